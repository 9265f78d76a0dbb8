// The state of a process from Linux's /proc/PID/stat.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace plainfs {

struct ProcessStat {
  char state = 0;  // see proc(5): 'R' runs or waits for a processor
  std::chrono::nanoseconds processor_time{};
  std::chrono::nanoseconds begun{};  // since the machine started
};

// Returns nullopt if there is no such process, and on other systems.
std::optional<ProcessStat> process_stat(pid_t process);

}  // namespace plainfs
