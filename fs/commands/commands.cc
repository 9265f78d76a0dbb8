#include "fs/commands/commands.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "formats/core/text/indented_json.h"
#include "fs/command_line/exit_code.h"
#include "fs/report/edit_distance.h"

namespace plainfs {
namespace {

constexpr Command kCommands[] = {
    {"ls", list_command},       {"cat", cat_command},     {"export", export_command},
    {"info", info_command},     {"check", check_command}, {"index", index_command},
    {"reload", reload_command}, {"ps", ps_command},       {"umount", umount_command},
};

}  // namespace

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                  [&](const Command& c) { return c.name == name; });
  return found == std::end(kCommands) ? nullptr : found;
}

std::string_view nearest_command(std::string_view name) {
  if (name.starts_with('-')) return {};  // an option
  for (const Command& command : kCommands)
    if (edit_distance(name, command.name) == 1) return command.name;
  return {};
}

bool asks_for_help(const Arguments& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::find(arguments.begin(), end, "--help") != end ||
         (arguments.size() == 1 && arguments[0] == "-h");
}

std::string take_letters(Arguments& arguments, std::string_view allowed) {
  std::string taken;
  for (auto argument = arguments.begin(); argument != arguments.end() && *argument != "--";) {
    const bool is_ours =
        argument->size() > 1 && (*argument)[0] == '-' && allowed.find((*argument)[1]) != allowed.npos;
    if (!is_ours) {
      ++argument;
      continue;
    }
    const size_t other = argument->find_first_not_of(allowed, 1);
    if (other != std::string::npos)
      throw Failure(kUsage, fmt::format("unknown option: -{}", (*argument)[other]));
    taken += argument->substr(1);
    argument = arguments.erase(argument);
  }
  return taken;
}

bool take_flag(Arguments& arguments, std::string_view name) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const auto found = std::find(arguments.begin(), end, name);
  if (found == end) return false;
  arguments.erase(found);
  return true;
}

std::string take_value(Arguments& arguments, std::string_view name) {
  for (auto argument = arguments.begin(); argument != arguments.end() && *argument != "--"; ++argument) {
    if (*argument == name) {
      if (argument + 1 == arguments.end())
        throw Failure(kUsage, fmt::format("option {} requires a value", name));
      std::string value = *(argument + 1);
      arguments.erase(argument, argument + 2);
      return value;
    }
    if (argument->size() > name.size() && argument->starts_with(name) && (*argument)[name.size()] == '=') {
      std::string value = argument->substr(name.size() + 1);
      arguments.erase(argument);
      return value;
    }
  }
  return {};
}

void print_json(const Json& value) {
  std::puts(indented_json(value, {2, false, ::isatty(STDOUT_FILENO) == 1}).c_str());
}

}  // namespace plainfs
