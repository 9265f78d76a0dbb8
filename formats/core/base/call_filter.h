// Which system calls this process, the threads that it starts and the programs that it runs may make from now
// on: a filter of the kernel's own (seccomp), for good. Linux on x86-64 and arm64; elsewhere there is none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace plainfs {

// What an argument of a call has to be.
struct ArgumentTest {
  enum Kind {
    kHasNoneOf,  // of these bits
    kIs,         // this number of 32 bits; what stands above it does not count
    kIsNull,     // a pointer to nothing
  };
  unsigned argument;
  Kind kind;
  uint32_t value = 0;
};

// A call that is allowed where all of the tests hold. One call may have several rules: one of them is enough.
struct CallRule {
  uint32_t call;
  std::vector<ArgumentTest> tests;
};

// All other calls fail with this errno. Holds for the calling thread and those it starts: to be called while
// there is one. Why there is no filter, or empty.
std::string allow_calls_only(std::span<const uint32_t> calls, std::span<const CallRule> rules, int otherwise);

}  // namespace plainfs
