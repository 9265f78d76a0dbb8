// Which system calls this process, the threads that it starts and the programs that it runs may make from now
// on: a filter of the kernel's own (seccomp), for good. Linux on x86-64 and arm64; elsewhere there is none.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace plainfs {

// A call that is allowed where this argument has none of these bits, or is this very value.
struct CallCondition {
  uint32_t call;
  unsigned argument;
  uint32_t value;
  bool is_value;
};

// All other calls fail with this errno. Holds for the calling thread and those it starts: to be called while
// there is one. Why there is no filter, or empty.
std::string allow_calls_only(std::span<const uint32_t> calls, std::span<const CallCondition> conditions,
                             int otherwise);

}  // namespace plainfs
