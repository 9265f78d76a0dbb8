#include "formats/core/base/containment.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <fstream>
#include <functional>
#include <thread>

#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#endif

#include "tests/support/temporary_directory.h"

namespace plainfs {
namespace {

namespace disk = boost::filesystem;

// Behaves like a kernel before 5.6, or a filter that does not know the call. This is permanent, so it runs in
// a child process.
bool do_without_openat2(int refusal) {
#if defined(__linux__) && defined(SYS_openat2)
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(refusal)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 &&
         ::syscall(SYS_openat2, AT_FDCWD, "/", nullptr, 0) < 0 && errno == refusal;
#else
  return refusal != 0;
#endif
}

// DIR/inside/deep/file and DIR/outside/file, which contain their place.
struct Fixture {
  TemporaryDirectory directory;
  const std::string root = disk::canonical(directory.path()).string();
  const std::string deep = root + "/inside/deep", outside = root + "/outside";

  Fixture() {
    for (const std::string& folder : {deep, outside}) {
      disk::create_directories(folder);
      std::ofstream(folder + "/file") << folder;
    }
    disk::create_symlink(outside, root + "/inside/link");
    disk::create_symlink("file", deep + "/link");
  }

  static int error_of(const std::string& path, int flags = O_RDONLY) {
    const int descriptor = open_without_links(path, flags);
    if (descriptor < 0) return errno;
    ::close(descriptor);
    return 0;
  }

  // Returns the first failure, or 0.
  int wrong() const {
    int line = 0;
    const auto expect = [&](int number, const std::string& path, int error, int flags = O_RDONLY) {
      if (line == 0 && error_of(path, flags) != error) line = number;
    };
    expect(__LINE__, deep + "/file", 0);
    expect(__LINE__, deep, 0, O_RDONLY | O_DIRECTORY);
    expect(__LINE__, deep + "/", 0, O_RDONLY | O_DIRECTORY);
    expect(__LINE__, root + "//inside/./deep//file", 0);
    expect(__LINE__, "/", 0, O_RDONLY | O_DIRECTORY);
    expect(__LINE__, deep + "/link", ELOOP);
    expect(__LINE__, root + "/inside/link", ELOOP, O_RDONLY | O_DIRECTORY);
    expect(__LINE__, root + "/inside/link/file", ELOOP);
    expect(__LINE__, deep + "/gone", ENOENT);
    expect(__LINE__, root + "/gone/file", ENOENT);
    expect(__LINE__, deep + "/file/below", ENOTDIR);
    expect(__LINE__, deep + "/file/", ENOTDIR);
    return line;
  }

  // Returns the result of a process that cannot use openat2.
  static int in_a_process_without_openat2(int refusal, const std::function<int()>& mentions) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(do_without_openat2(refusal) ? mentions() : 255);
    int status = -1;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
  }
};

BOOST_FIXTURE_TEST_SUITE(open_without_links_, Fixture)

BOOST_AUTO_TEST_CASE(a_path_with_a_link_anywhere_is_not_opened) {
  BOOST_TEST(wrong() == 0);
}

BOOST_AUTO_TEST_CASE(a_linked_path_is_refused_without_openat2) {
  for (const int refusal : {ENOSYS, EPERM})
    BOOST_TEST(in_a_process_without_openat2(refusal, [&] { return wrong(); }) == 0);
}

BOOST_AUTO_TEST_CASE(searchable_folder_is_traversed_without_listing) {
  disk::permissions(root + "/inside", disk::owner_exe | disk::group_exe | disk::others_exe);
  disk::permissions(root, disk::owner_all | disk::group_exe | disk::others_exe);
  BOOST_TEST(in_a_process_without_openat2(ENOSYS, [&] {
               if (::geteuid() == 0 && ::seteuid(65534) != 0) return 1;
               return error_of(deep + "/file");
             }) == 0);
  disk::permissions(root + "/inside", disk::owner_all);
}

// Replaces a folder of the store by a link to one outside, and back, while a file in it is opened.
BOOST_AUTO_TEST_CASE(folder_swapped_for_a_link_meanwhile_does_not_escape) {
  const auto reads_outside = [&] {
    const Containment bounds = Containment::of_store(root + "/inside");
    std::atomic<bool> is_over{false};
    std::thread other([&] {
      const std::string link = root + "/inside/link", aside = root + "/aside";
      while (!is_over) {
        ::rename(deep.c_str(), aside.c_str());
        ::rename(link.c_str(), deep.c_str());
        ::rename(deep.c_str(), link.c_str());
        ::rename(aside.c_str(), deep.c_str());
      }
    });
    int outcome = 0;
    for (int times = 0; times < 20'000 && outcome == 0; ++times) {
      const int descriptor = bounds.open(deep + "/file", O_RDONLY);
      if (descriptor < 0) continue;
      char text[4096];
      const ssize_t size = ::read(descriptor, text, sizeof text);
      if (size < 0 || std::string(text, static_cast<size_t>(size)) != deep) outcome = 1;
      ::close(descriptor);
    }
    is_over = true;
    other.join();
    return outcome;
  };
  BOOST_TEST(reads_outside() == 0);
  BOOST_TEST(in_a_process_without_openat2(ENOSYS, reads_outside) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
