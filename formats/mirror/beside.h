// The members of a mirrored folder beside its files: directories for matrices in files with a common prefix
// (schemas/mex/dialects.h), and the tables of Parquet files and of folders of parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::folder {

// Adds to the members of the folder at `path` a directory for each such matrix, and the table of each member
// that has one (PlainFile::is_table) under its name without the ending, and sorts them by name. Logs a matrix
// with a name that is taken, and a table that cannot be read.
void add_beside(const std::string& path, std::vector<Member>& members, Context& context);

// Returns the directory or the table called `name` that add_beside() adds to the folder at `path`, or
// nullopt.
std::optional<Node> named_beside(const std::string& path, std::string_view name, Context& context);

}  // namespace plainfs::folder
