// Directories of a mirrored folder for matrices in files with a common prefix (schemas/mex/dialects.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::folder {

// Adds a directory for each matrix with files among the members of the folder at `path`. Logs a matrix if its
// name is taken.
void add_matrices(const std::string& path, std::vector<Member>& members, const Context& context);

// Returns the directory `name` of such a matrix in the folder at `path`, or nullopt.
std::optional<Node> matrix_named(const std::string& path, std::string_view name, const Context& context);

}  // namespace plainfs::folder
