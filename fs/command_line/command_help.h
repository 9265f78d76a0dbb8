// The `--help` of each command: its usage, and its own letters and options. The general help (options.h)
// lists the usage of all commands.
#pragma once

#include <string>
#include <string_view>

namespace plainfs {

bool is_command(std::string_view name);

// Returns the usage of all commands, one per line, each after `indent`: "plainfs ls [-lRhapt] STORE [PATH]".
std::string usage_of_commands(std::string_view indent);

// Returns the help of one command. Requires: is_command(name).
std::string help_of_command(std::string_view name);

}  // namespace plainfs
