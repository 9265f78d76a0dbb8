#include "fs/commands/commands.h"

#include <algorithm>

#include "fs/exit_code.h"

namespace plainfs {
namespace {

constexpr Command kCommands[] = {
    {"ls", list_command},   {"cat", cat_command},     {"export", export_command},
    {"info", info_command}, {"check", check_command},
};

}  // namespace

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                  [&](const Command& c) { return c.name == name; });
  return found == std::end(kCommands) ? nullptr : found;
}

bool asks_for_help(const Arguments& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end, [](const std::string& a) { return a == "-h" || a == "--help"; });
}

bool take_flag(Arguments& arguments, char letter) {
  for (auto argument = arguments.begin(); argument != arguments.end() && *argument != "--"; ++argument) {
    const bool only_letters = argument->size() > 1 && (*argument)[0] == '-' &&
                              argument->find_first_not_of("lR", 1) == std::string::npos;
    const size_t at = only_letters ? argument->find(letter) : std::string::npos;
    if (at == std::string::npos) continue;
    argument->erase(at, 1);
    if (*argument == "-") arguments.erase(argument);
    return true;
  }
  return false;
}

std::string take_value(Arguments& arguments, std::string_view name) {
  for (auto argument = arguments.begin(); argument != arguments.end() && *argument != "--"; ++argument) {
    if (*argument == name) {
      if (argument + 1 == arguments.end())
        throw Failure(kUsage, fmt::format("option {}: a value is wanted", name));
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

}  // namespace plainfs
