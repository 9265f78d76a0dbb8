#include "formats/core/base/call_filter.h"

#include <cerrno>
#include <system_error>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstddef>
#endif

namespace plainfs {

#ifdef __linux__
namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kMachine = 0;  // no filter is implemented for this machine
#endif

constexpr sock_filter kLoadCall =
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offsetof(seccomp_data, nr)));

// Both machines are little-endian: the low word comes first.
sock_filter load_word(unsigned argument, unsigned word) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                  static_cast<uint32_t>(offsetof(seccomp_data, args) + 8 * argument + 4 * word));
}

constexpr uint8_t kPastRule = UINT8_MAX;  // until the rule is complete and its length known

void add_test(std::vector<sock_filter>& rule, const ArgumentTest& test) {
  rule.push_back(load_word(test.argument, 0));
  if (test.kind == ArgumentTest::kHasNoneOf) {
    rule.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, test.value, kPastRule, 0));
    return;
  }
  rule.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, test.value, 0, kPastRule));
  if (test.kind != ArgumentTest::kIsNull) return;
  rule.push_back(load_word(test.argument, 1));
  rule.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, kPastRule));
}

void allow_if(std::vector<sock_filter>& filter, const CallRule& rule) {
  std::vector<sock_filter> code{BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule.call, 0, kPastRule)};
  for (const ArgumentTest& test : rule.tests) add_test(code, test);
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  for (size_t i = 0; i < code.size(); ++i) {
    const auto rest = static_cast<uint8_t>(code.size() - i - 1);
    if (code[i].jt == kPastRule) code[i].jt = rest;
    if (code[i].jf == kPastRule) code[i].jf = rest;
  }
  filter.insert(filter.end(), code.begin(), code.end());
  filter.push_back(kLoadCall);  // for the next rule
}

}  // namespace

std::string allow_calls_only(std::span<const uint32_t> calls, std::span<const CallRule> rules,
                             int otherwise) {
  if (kMachine == 0) return "no system call filter for this machine";
  const uint32_t refusal = SECCOMP_RET_ERRNO | static_cast<uint32_t>(otherwise);
  std::vector<sock_filter> filter{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offsetof(seccomp_data, arch))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      kLoadCall,
  };
  for (const uint32_t call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  for (const CallRule& rule : rules) allow_if(filter, rule);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, refusal));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0)
    return {};
  return "the system cannot filter system calls: " + std::generic_category().message(errno);
}
#else
std::string allow_calls_only(std::span<const uint32_t>, std::span<const CallRule>, int) {
  return "this system cannot filter system calls";
}
#endif

}  // namespace plainfs
