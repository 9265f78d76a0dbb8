// The commands that work without FUSE, for containers and clusters. Those that read a store use the same
// Filesystem and produce the same bytes as a mount. Others talk to a mount.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plainfs {

class Json;

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  // arguments: those after the command's name. Returns the exit code. Throws Failure and Error.
  int (*run)(Arguments arguments);
};

// Returns the command, or null if it does not exist.
const Command* find_command(std::string_view name);
// Returns the command name that differs in one letter; empty if no name does.
std::string_view nearest_command(std::string_view name);

int list_command(Arguments arguments);
int cat_command(Arguments arguments);
int export_command(Arguments arguments);
int info_command(Arguments arguments);
int check_command(Arguments arguments);
int index_command(Arguments arguments);
int reload_command(Arguments arguments);
int ps_command(Arguments arguments);
int umount_command(Arguments arguments);

// Returns whether --help is among the arguments before "--", or -h is the only argument.
bool asks_for_help(const Arguments& arguments);
// Removes single-letter options before "--", "-l" or combined as in "-lR", and returns their letters. Throws
// Failure(kUsage) if an allowed letter is combined with one that is not in `allowed`.
std::string take_letters(Arguments& arguments, std::string_view allowed);
// Removes the flag `name`, such as "--json", before "--". Returns whether it was present.
bool take_flag(Arguments& arguments, std::string_view name);
// Removes "--name VALUE" or "--name=VALUE" and returns the value; empty if it is absent.
std::string take_value(Arguments& arguments, std::string_view name);
// Prints JSON, indented by two spaces. On a terminal, everything but ASCII is escaped, which includes control
// characters.
void print_json(const Json& value);

}  // namespace plainfs
