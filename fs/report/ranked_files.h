// The files of a store in the order in which users want them, and how programs open them.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fs/filesystem.h"
#include "fs/report/walk.h"
#include "fs/views/view.h"

namespace plainfs {

// Lower is better: the whole store before its parts, data before what describes them, the variable with the
// most dimensions first.
using FileRank = std::tuple<Shows, int, int>;
FileRank rank(const FileRow& row, const Node& node);

// A file of a view, or a folder of files that is one.
struct RankedFile {
  std::string path;  // from the root
  Inode inode = 0;
  const FileRow* row = nullptr;
  bool is_listed = true;  // false: found by its name
  // A column of a table, an array of a sparse matrix, its matrix.csv unless that matrix is asked for, or any
  // other array in a store with a file for all of it.
  bool is_part = false;
  FileRank rank{};
  // Its place in a store of several assays or modalities: 0 in the main one, 1 in none, 2 in another.
  int assay = 1;

  // Returns whether users want this file rather than the other one.
  bool is_better_than(const RankedFile& other) const;
};

// Returns the files of views in a directory and below it, and those that show the member at a path, the best
// ones first. Folders that are one file are not entered. A directory that cannot be listed is omitted, and
// added to failures if a retry may succeed: its files may be better than those returned.
std::vector<RankedFile> ranked_files(Filesystem& filesystem, const std::string& path,
                                     std::vector<WalkFailure>& failures);

// Returns whether the .csv of the object begins with its first value (fs/VIEWS.md, section 3).
bool has_no_header(const Meaning& meaning);

// Returns the text to type to open a file. text: a text of `with`. place: the path or address, quoted.
std::string text_to_open(const OpenWith& with, std::string_view text, std::string_view place, bool no_header);

}  // namespace plainfs
