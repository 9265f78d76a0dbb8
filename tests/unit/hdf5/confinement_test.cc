// The abilities of libhdf5's process once it is confined, in child processes.
#include "formats/containers/hdf5/process/confinement.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <functional>

#ifdef __linux__
#include <sys/syscall.h>
#endif

namespace plainfs::hdf5 {
namespace {

#ifdef __linux__
// Returns the errno of an action of a confined process, or 0.
int refusal(const std::function<bool()>& succeeds) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!confine().empty()) ::_exit(255);
    errno = 0;
    ::_exit(succeeds() ? 0 : errno);
  }
  int status = -1;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

BOOST_AUTO_TEST_SUITE(confinement)

BOOST_AUTO_TEST_CASE(limits_of_other_processes_are_inaccessible) {
  const pid_t parent = ::getpid();
  rlimit before{}, after{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_CORE, &before) == 0);
  BOOST_TEST(refusal([&] {
               const rlimit none{0, before.rlim_max};
               return ::prlimit(parent, RLIMIT_CORE, &none, nullptr) == 0;
             }) == EPERM);
  BOOST_TEST(refusal([&] {
               rlimit seen{};
               return ::prlimit(parent, RLIMIT_CORE, nullptr, &seen) == 0;
             }) == EPERM);
  BOOST_REQUIRE(::getrlimit(RLIMIT_CORE, &after) == 0);
  BOOST_TEST(after.rlim_cur == before.rlim_cur);
}

BOOST_AUTO_TEST_CASE(own_limits_are_readable_but_not_settable) {
  BOOST_TEST(refusal([] {
               rlimit core{1, 1};
               return ::getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0;
             }) == 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  BOOST_TEST(refusal([] {
               rlimit memory{};
               return ::getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_max <= rlim_t{8} << 30;
             }) == 0);
#endif
  BOOST_TEST(refusal([] {
               const rlimit none{0, 0};
               return ::setrlimit(RLIMIT_CORE, &none) == 0;
             }) == EPERM);
}

BOOST_AUTO_TEST_CASE(no_other_process_is_signalled) {
  const pid_t parent = ::getpid();
  BOOST_TEST(refusal([&] { return ::kill(parent, 0) == 0; }) == EPERM);
  BOOST_TEST(refusal([&] { return ::syscall(SYS_tgkill, parent, parent, 0) == 0; }) == EPERM);
  BOOST_TEST(refusal([] { return ::raise(0) == 0; }) == 0);
}

BOOST_AUTO_TEST_CASE(nothing_is_opened_written_run_or_reached) {
  BOOST_TEST(refusal([] { return ::open("/dev/null", O_RDONLY) >= 0; }) == EPERM);
  BOOST_TEST(refusal([] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }) == EPERM);
  BOOST_TEST(refusal([] { return ::execl("/bin/true", "true", nullptr) == 0; }) == EPERM);
  BOOST_TEST(refusal([] { return ::fork() >= 0; }) == EPERM);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  BOOST_TEST(refusal([] { return ::write(STDOUT_FILENO, "", 0) == 0; }) == EPERM);
#endif
  const auto memory = [](int rights) {
    return ::mmap(nullptr, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
  };
  BOOST_TEST(refusal([&] { return memory(PROT_READ | PROT_EXEC); }) == EPERM);
  BOOST_TEST(refusal([&] { return memory(PROT_READ | PROT_WRITE); }) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
#endif

}  // namespace
}  // namespace plainfs::hdf5
