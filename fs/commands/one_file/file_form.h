// What a store can be written as: a table from the ending of a name to the files of a mount that have this
// form, and the search for the one that a store, or a part of it, has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fs/filesystem.h"

namespace plainfs {

// A file that belongs to another one and is called like it but for the ending.
struct Companion {
  std::string_view ending;         // in place of FileForm::ending
  std::string_view else_ending{};  // if the first one is unsupported; empty: none
  bool is_needed = true;           // false: an index, which may be left out
};

// Files of a mount: "a/b" is the end of a path between two slashes, "*.x" any name with that ending, "a/*.x"
// one in the directory a of the root.
struct FormName {
  std::string_view pattern;
  std::string_view what;  // "a Seurat object for R"
};

struct FileForm {
  std::string_view ending;          // ".h5ad", in small letters
  std::span<const FormName> names;  // of the files that have this form, the preferred ones first
  std::span<const Companion> companions{};
  bool is_folder = false;
};

// All forms, the most useful first.
std::span<const FileForm> file_forms();
// Returns the form of the longest ending that name has, in capitals or not; null if it has none of them.
const FileForm* form_of_name(std::string_view name);
// Returns the ending of a name that looks like that of a file, ".xlsx", whatever it means; "" of "out" and
// "out.2".
std::string_view file_ending(std::string_view name);

// A file that may be written, or a folder of files that is a form by itself.
struct FormFile {
  std::string path;  // from the root
  Inode inode = 0;
  bool is_folder = false;
  bool is_listed = true;  // false: found by its name
  // files_of_form() sets these:
  std::string_view what{};
  bool is_part = false;  // a column of a table, an array of a sparse matrix, or any array of an AnnData
};

// Returns all of what stands in a directory and below it. What cannot be listed is left out.
std::vector<FormFile> form_files(Filesystem& filesystem, const std::string& path);

// Returns those of all that have the form, the one that a store is written as first.
std::vector<FormFile> files_of_form(Filesystem& filesystem, const FileForm& form,
                                    const std::vector<FormFile>& all);

// A form that a store can be written in, and the file that it is then.
struct OfferedForm {
  const FileForm* form;
  FormFile file;
  size_t others;  // that have the form too and are no mere parts
};

// Returns all forms that all of a store have, but those that mere parts have alone.
std::vector<OfferedForm> offered_forms(Filesystem& filesystem, const std::vector<FormFile>& all);

// Returns the file of that form that a part of the store has: what stands at path itself, beside it under its
// name, or in it. Throws Failure if there is no such part, or no such file of it.
FormFile file_of_part(Filesystem& filesystem, const FileForm& form, const std::string& store,
                      const std::string& path);

}  // namespace plainfs
