// The commands that read a store without a mount, for containers and clusters: they use the same Filesystem
// and give the same bytes as a mount. And one that speaks to a mount.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plainfs {

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  // arguments: those after the command's name. Returns the exit code; throws Failure and Error.
  int (*run)(Arguments arguments);
};

// Null where there is no such command.
const Command* find_command(std::string_view name);
// The name that differs from it in one letter; empty where none does.
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

// Whether --help is among the arguments before "--", or -h is the only one.
bool asks_for_help(const Arguments& arguments);
// The letters of the arguments before "--" that are letters of allowed, "-l" or joined as in "-lR"; they are
// taken out. Throws Failure(kUsage) for one that is not allowed beside one that is.
std::string take_letters(Arguments& arguments, std::string_view allowed);
// Whether the argument, "--json", stands before "--"; it is taken out.
bool take_flag(Arguments& arguments, std::string_view name);
// The value of "--name VALUE" or "--name=VALUE", taken out; empty where it is absent.
std::string take_value(Arguments& arguments, std::string_view name);

}  // namespace plainfs
