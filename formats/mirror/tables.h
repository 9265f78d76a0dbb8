// The tables of a mirrored folder, beside the Parquet files and the folders of parts that have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::folder {

// Adds the table of each member that has one (PlainFile::is_table), under its name without the ending. Logs a
// file that cannot be read.
void add_tables(std::vector<Member>& members, Context& context);

// Returns the table of the file or folder of parts called `name` with an ending of Parquet files in the
// folder at `path`, or nullopt.
std::optional<Node> table_named(const std::string& path, std::string_view name, Context& context);

}  // namespace plainfs::folder
