// A kernel filter (seccomp) that limits the system calls of this process, of the threads it starts and of the
// programs it runs. It cannot be removed. Linux on x86-64 and arm64 only; other systems have no filter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plainfs {

// A condition on one argument of a call.
struct ArgumentTest {
  enum Kind {
    kHasNoneOf,  // none of the bits of `value` is set
    kIs,         // the low 32 bits equal `value`; the higher bits are ignored
    kIsNull,     // a null pointer
  };
  unsigned argument;
  Kind kind;
  uint32_t value = 0;
};

// A call that is allowed if all of its tests hold. A call may have several rules; one that holds is enough.
struct CallRule {
  uint32_t call;
  std::vector<ArgumentTest> tests;
};

// Makes all other calls fail with the errno `otherwise`. Holds for the calling thread and the threads it
// starts, so call it while the process has a single thread. Returns why there is no filter, or an empty
// string.
std::string allow_calls_only(std::span<const uint32_t> calls, std::span<const CallRule> rules, int otherwise);

}  // namespace plainfs
