// The file formats of an export: a table from the ending of a name to the files of a mount with that format,
// and the search for the file of a store, or of a part of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fs/filesystem.h"

namespace plainfs {

// A file that belongs to another one and has the same name but for the ending.
struct Companion {
  std::string_view ending;         // in place of FileForm::ending
  std::string_view else_ending{};  // used if the first one is unsupported; empty: none
  bool is_needed = true;           // false: an index, which may be omitted
};

// A pattern for files of a mount: "a/b" is the end of a path between slashes, "*.x" any name with that
// ending, "a/*.x" such a name in the directory a of the root.
struct FormName {
  std::string_view pattern;
  std::string_view what;  // "a Seurat object for R"
};

struct FileForm {
  std::string_view ending;          // ".h5ad", in lower case
  std::span<const FormName> names;  // of the files with this form, the preferred ones first
  std::span<const Companion> companions{};
  bool is_folder = false;
};

// Returns all forms, the most useful first.
std::span<const FileForm> file_forms();
// Returns the form of the longest ending of `name`, ignoring case; null if it has none of the endings.
const FileForm* form_of_name(std::string_view name);
// Returns the ending of a name if it looks like a file extension, ".xlsx", known or not; "" for "out" and
// "out.2".
std::string_view file_ending(std::string_view name);

// A file that may be exported, or a folder of files that is a form itself.
struct FormFile {
  std::string path;  // from the root
  Inode inode = 0;
  bool is_folder = false;
  bool is_listed = true;  // false: found by its name
  // Set by files_of_form():
  std::string_view what{};
  bool is_part = false;  // a column of a table, an array of a sparse matrix, or any array of an AnnData
  bool is_any = false;   // has nothing but the ending of the form
};

// Returns everything in a directory and below it. Entries that cannot be listed are omitted.
std::vector<FormFile> form_files(Filesystem& filesystem, const std::string& path);

// Returns the files in `all` that have the form, the default one first.
std::vector<FormFile> files_of_form(Filesystem& filesystem, const FileForm& form,
                                    const std::vector<FormFile>& all);

// A form in which a store can be exported, and the file for it.
struct OfferedForm {
  const FileForm* form;
  FormFile file;
  size_t others;  // number of other files with the form that are not parts
};

// Returns all forms in which a whole store can be exported, without those that only parts have.
std::vector<OfferedForm> offered_forms(Filesystem& filesystem, const std::vector<FormFile>& all);

// Returns the file with that form for a part of the store: the entry at `path`, beside it with its name, or
// in it. Throws Failure if there is no such part, or no such file.
FormFile file_of_part(Filesystem& filesystem, const FileForm& form, const std::string& store,
                      const std::string& path);

// Returns the forms in which a store, or a part of it, can be exported: one command line each; "" if there is
// no such form. store: as it was given. path: of a part, or "".
std::string lines_to_write(Filesystem& filesystem, const std::string& store, const std::string& path);

}  // namespace plainfs
