// What else `plainfs export` does: `--plan`, `--task`, `--finish` and `--status`, an export that many
// processes share, and `--tar`.
#pragma once

#include "fs/commands/commands.h"

namespace plainfs {

using PlanCommand = int (*)(Arguments arguments);

// The one of them that is asked for, taken out of the arguments; null: none.
PlanCommand take_plan_command(Arguments& arguments);

// [--tasks N | --task-size BYTES] STORE [PATH...] PLAN. Prints the number of tasks.
int plan_command(Arguments arguments);
// [I] PLAN DIR; without I the number that the engine gives in the environment.
int task_command(Arguments arguments);
// [--verify] PLAN DIR
int finish_command(Arguments arguments);
// PLAN DIR
int status_command(Arguments arguments);
// STORE [PATH...] -
int tar_command(Arguments arguments);

}  // namespace plainfs
