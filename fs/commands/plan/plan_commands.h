// The further modes of `plainfs export`: `--plan`, `--task`, `--finish` and `--status`, for an export that
// many processes share, and `--tar`.
#pragma once

#include "fs/commands/commands.h"

namespace plainfs {

using PlanCommand = int (*)(Arguments arguments);

// Removes the mode from the arguments and returns its command; null: none is given.
PlanCommand take_plan_command(Arguments& arguments);

// [--tasks N | --task-size BYTES] STORE [PATH...] PLAN. Prints the number of tasks.
int plan_command(Arguments arguments);
// [I] PLAN DIR. Without I, the number comes from the environment that the batch system sets.
int task_command(Arguments arguments);
// [--verify] PLAN DIR
int finish_command(Arguments arguments);
// PLAN DIR
int status_command(Arguments arguments);
// STORE [PATH...] -
int tar_command(Arguments arguments);

}  // namespace plainfs
