// What `--help` says of each command: its usage, and what its own letters and options do. The general help
// (options.h) lists the usage of all.
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

bool is_command(std::string_view name);

// The lines of the usage of all commands, "plainfs ls [-lRhapt] STORE [PATH]", each with a line end, behind
// indent.
std::string usage_of_commands(std::string_view indent);

// The page of one command. Requires: is_command(name).
std::string help_of_command(std::string_view name);

}  // namespace plainfs
