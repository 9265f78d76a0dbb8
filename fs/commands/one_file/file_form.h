// The formats of an export to one file: the endings of the rows of the table of files, and the search for the
// file of a store, or of a part of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fs/command_line/options.h"
#include "fs/filesystem.h"
#include "fs/report/ranked_files.h"

namespace plainfs {

// Returns the form of the longest exported ending of `name`, ignoring case; null if it has none of them. Each
// ending has one form here, that of its first row.
const FileForm* form_of_name(std::string_view name);
// Returns the ending of a name if it looks like a file extension, ".xlsx", known or not; "" for "out" and
// "out.2".
std::string_view file_ending(std::string_view name);

// Returns ranked_files(), the first of which an export takes. Throws if a directory cannot be listed for now.
std::vector<RankedFile> sure_files(Filesystem& filesystem, const std::string& path);

// Returns the files in `all` with the ending of the form, in their order.
std::vector<RankedFile> files_of_form(const FileForm& form, const std::vector<RankedFile>& all);

// A form in which a store can be exported, and the file for it.
struct OfferedForm {
  const FileForm* form;
  RankedFile file;
  size_t others;  // number of other files with the form that are not parts
};

// Returns all forms in which a whole store can be exported, without those that only parts have.
std::vector<OfferedForm> offered_forms(const std::vector<RankedFile>& all);

// Returns the file with that form for a part of the store: beside the entry at `path`, in it, or the entry
// itself. Throws Failure if there is no such part, or no such file.
RankedFile file_of_part(Filesystem& filesystem, const FileForm& form, const std::string& store,
                        const std::string& path);

// Returns the forms in which a store, or a part of it, can be exported: one command line each; "" if there is
// no such form. options: the store as it was given, and how it was opened. path: of a part, or "". all: its
// files.
std::string lines_to_write(const std::vector<RankedFile>& all, const Options& options,
                           const std::string& path);

}  // namespace plainfs
