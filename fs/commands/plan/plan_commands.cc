#include "fs/commands/plan/plan_commands.h"

#include "fs/command_line/exit_code.h"

namespace plainfs {

PlanCommand take_plan_command(Arguments& arguments) {
  struct Row {
    std::string_view flag;
    PlanCommand command;
  };
  static constexpr Row kRows[] = {{"--plan", plan_command},
                                  {"--finish", finish_command},
                                  {"--status", status_command},
                                  {"--tar", tar_command},
                                  {"--task", task_command}};
  // Accepts "--task=I" as well.
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--task=")) continue;
    const std::string number = argument.substr(7);
    argument = "--task";
    arguments.insert(arguments.begin() + (&argument - arguments.data()) + 1, number);
    break;
  }
  PlanCommand found = nullptr;
  for (const Row& row : kRows) {
    if (!take_flag(arguments, row.flag)) continue;
    if (found)
      throw Failure(
          kUsage,
          fmt::format("export: {}: only one of --plan, --task, --finish, --status and --tar is possible",
                      row.flag));
    found = row.command;
  }
  return found;
}

}  // namespace plainfs
