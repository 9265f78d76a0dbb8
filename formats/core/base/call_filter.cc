#include "formats/core/base/call_filter.h"

#include <cerrno>
#include <system_error>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstddef>
#include <iterator>
#include <vector>
#endif

namespace plainfs {

#ifdef __linux__
namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kMachine = 0;  // no filter is known for it
#endif

void allow_if(std::vector<sock_filter>& filter, const CallCondition& condition, uint32_t refusal) {
  const auto low_word = static_cast<uint32_t>(offsetof(seccomp_data, args) + 8 * condition.argument);
  const sock_filter test = condition.is_value
                               ? sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, condition.value, 0, 1)
                               : sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, condition.value, 1, 0);
  const sock_filter rule[] = {
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, condition.call, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_word),
      test,
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, refusal),
  };
  filter.insert(filter.end(), std::begin(rule), std::end(rule));
}

}  // namespace

std::string allow_calls_only(std::span<const uint32_t> calls, std::span<const CallCondition> conditions,
                             int otherwise) {
  if (kMachine == 0) return "no filter of system calls is known for this machine";
  const uint32_t refusal = SECCOMP_RET_ERRNO | static_cast<uint32_t>(otherwise);
  std::vector<sock_filter> filter{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offsetof(seccomp_data, arch))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offsetof(seccomp_data, nr))),
  };
  for (const uint32_t call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  for (const CallCondition& condition : conditions) allow_if(filter, condition, refusal);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, refusal));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0)
    return {};
  return "the system filters no system calls: " + std::generic_category().message(errno);
}
#else
std::string allow_calls_only(std::span<const uint32_t>, std::span<const CallCondition>, int) {
  return "this system has no filter of system calls";
}
#endif

}  // namespace plainfs
