#include "formats/core/base/change_watch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>
#include <functional>
#include <list>
#include <string>

#include "formats/core/base/modified_time.h"
#include "tests/support/temporary_directory.h"

using namespace plainfs;

#ifdef __linux__

namespace {

// A watched file. Reports are read when they are asked for, as the thread may do it later.
struct WatchedFile : TemporaryDirectory {
  WatchedFile() {
    std::ofstream(place) << "0123456789";
    const Descriptor opened(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
    first = status();
    watch.watch(opened.number(), place);
  }

  struct stat status() const {
    struct stat found {};
    BOOST_TEST_REQUIRE(::stat(place.c_str(), &found) == 0);
    return found;
  }

  // Does what `touch -a` does.
  void touch() const {
    const Descriptor opened(::open(place.c_str(), O_WRONLY | O_CLOEXEC));
    const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    BOOST_TEST_REQUIRE(::futimens(opened.number(), times) == 0);
  }

  void restore_times() const {
    const timespec times[] = {first.st_atim, first.st_mtim};
    BOOST_TEST_REQUIRE(::utimensat(AT_FDCWD, place.c_str(), times, 0) == 0);
  }

  // Waits until the access time is noted.
  void note() {
    for (int turn = 0; turn < 3; ++turn) {
      wait_for_file_time();
      read();
      watch.writes_to(status());
    }
    ::usleep(50'000);  // until the thread is done with it
  }

  void read() const {
    const Descriptor opened(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
    char byte = 0;
    BOOST_TEST_REQUIRE(::pread(opened.number(), &byte, 1, 0) == 1);
  }

  bool leaves_access() const {
    struct statfs found {};
    BOOST_TEST_REQUIRE(::statfs(place.c_str(), &found) == 0);
    return (found.f_flags & (ST_RELATIME | ST_NOATIME)) != 0;
  }

  bool is_unwritten() { return watch.is_unwritten(status(), metadata_mark(first)); }

  const std::string place = path("file");
  struct stat first {};
  ChangeWatch watch{
      [](const std::string& name, struct stat& found) { return ::stat(name.c_str(), &found) == 0; },
      [](const std::string& name) { return ::open(name.c_str(), O_RDONLY | O_CLOEXEC); }};
};

// Writes through a mapping, and closes the file when it is destroyed.
struct MappedWrite {
  explicit MappedWrite(const std::string& path, bool reads = false)
      : file(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    char byte = 0;
    if (reads) BOOST_TEST_REQUIRE(::pread(file.number(), &byte, 1, 0) == 1);
    void* const mapped = ::mmap(nullptr, 10, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    BOOST_TEST_REQUIRE(mapped != MAP_FAILED);
    *static_cast<volatile char*>(mapped) = 'x';
    ::munmap(mapped, 10);
  }

  const Descriptor file;
};

// Does work in a process of its own, which ends after half a minute at the latest.
pid_t forked(const std::function<void()>& work) {
  constexpr unsigned kSeconds = 30;
  const pid_t process = ::fork();
  if (process != 0) return process;
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(kSeconds);
  work();
  ::_exit(0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(change_watch)

BOOST_AUTO_TEST_CASE(forked_process_watches_without_the_thread) {
  const WatchedFile starts_the_thread;
  int ready[2];
  BOOST_TEST_REQUIRE(::pipe(ready) == 0);
  // Unread reports must not keep the thread of this process busy with its mutex.
  const pid_t waits = forked([&] {
    const WatchedFile file;
    file.touch();
    if (::write(ready[1], "r", 1) == 1) ::pause();
  });
  char byte = 0;
  BOOST_TEST_REQUIRE(::read(ready[0], &byte, 1) == 1);
  for (int turn = 0; turn < 50; ++turn) {
    const pid_t process = forked([] {
      WatchedFile file;
      if (!file.is_unwritten()) ::_exit(1);
      std::ofstream(file.place) << "written";
      if (file.is_unwritten()) ::_exit(2);
    });
    int status = 0;
    BOOST_TEST_REQUIRE(::waitpid(process, &status, 0) == process);
    BOOST_TEST_REQUIRE(status == 0);
  }
  ::kill(waits, SIGKILL);
  ::waitpid(waits, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

BOOST_FIXTURE_TEST_CASE(touched_file_stays_unwritten_after_later_changes, WatchedFile) {
  for (int turn = 0; turn < 20; ++turn) {
    touch();
    BOOST_TEST(is_unwritten());
    BOOST_TEST_REQUIRE(::chmod(place.c_str(), turn % 2 == 0 ? 0640 : 0644) == 0);
    restore_times();
    BOOST_TEST(is_unwritten());
    ::usleep(10'000);  // until the system's clock of files has moved on
  }
}

// The reports of the two openings are merged if they arrive together.
BOOST_FIXTURE_TEST_CASE(touch_beside_a_reader_is_no_write, WatchedFile) {
  if (!leaves_access()) return;
  for (int turn = 0; turn < 20; ++turn) {
    note();
    {
      Descriptor reader(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
      const Descriptor writer(::open(place.c_str(), O_WRONLY | O_CLOEXEC));
      reader = Descriptor();
      const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
      BOOST_TEST_REQUIRE(::futimens(writer.number(), times) == 0);
    }
    BOOST_TEST_REQUIRE(is_unwritten());
  }
}

BOOST_FIXTURE_TEST_CASE(write_is_seen, WatchedFile) {
  {
    const Descriptor opened(::open(place.c_str(), O_WRONLY | O_CLOEXEC));
    BOOST_TEST_REQUIRE(::write(opened.number(), "x", 1) == 1);
  }
  restore_times();
  BOOST_TEST(!is_unwritten());
}

BOOST_FIXTURE_TEST_CASE(mapped_write_with_restored_times_is_seen, WatchedFile) {
  { const MappedWrite writer(place); }
  restore_times();
  BOOST_TEST(!is_unwritten());
  touch();
  BOOST_TEST(!is_unwritten());
}

BOOST_FIXTURE_TEST_CASE(times_restored_before_closing_are_no_explanation, WatchedFile) {
  {
    const MappedWrite writer(place);
    restore_times();
  }
  BOOST_TEST(!is_unwritten());
}

BOOST_FIXTURE_TEST_CASE(access_time_explains_one_closing_only, WatchedFile) {
  {
    const MappedWrite writer(place);
    restore_times();
    touch();
    is_unwritten();  // the writer is not closed yet
  }
  BOOST_TEST(!is_unwritten());
}

BOOST_FIXTURE_TEST_CASE(touches_and_changes_at_once_are_no_write, WatchedFile) {
  if (!leaves_access()) return;
  for (int turn = 0; turn < 30; ++turn) {
    note();
    for (int change = 0; change <= turn % 4; ++change) {
      touch();
      BOOST_TEST_REQUIRE(::chmod(place.c_str(), change % 2 == 0 ? 0640 : 0644) == 0);
    }
    BOOST_TEST(is_unwritten());
  }
}

BOOST_FIXTURE_TEST_CASE(mapped_write_among_touches_is_seen, WatchedFile) {
  note();
  touch();
  { const MappedWrite writer(place); }
  restore_times();
  touch();
  BOOST_TEST_REQUIRE(::chmod(place.c_str(), 0640) == 0);
  BOOST_TEST(!is_unwritten());
}

BOOST_FIXTURE_TEST_CASE(read_after_a_mapped_write_is_no_explanation, WatchedFile) {
  for (const bool reads : {false, true}) {
    note();
    { const MappedWrite writer(place, reads); }
    restore_times();
    read();
    BOOST_TEST(!is_unwritten());
    watch.clear();
    const Descriptor opened(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
    first = status();
    watch.watch(opened.number(), place);
  }
}

BOOST_FIXTURE_TEST_CASE(many_sets_leave_instances_to_other_programs, WatchedFile) {
  const auto instances = [] {
    int count = 0;
    for (const auto& entry : boost::filesystem::directory_iterator("/proc/self/fd")) {
      boost::system::error_code error;
      count += boost::filesystem::read_symlink(entry.path(), error).string() == "anon_inode:inotify";
    }
    return count;
  };
  const Descriptor opened(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
  const auto look = [](const std::string& path, struct stat& status) {
    return ::stat(path.c_str(), &status) == 0;
  };
  const auto open = [](const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); };
  std::list<ChangeWatch> sets;
  for (int i = 0; i < 2 * ChangeWatch::kMaxSets; ++i)
    sets.emplace_back(look, open).watch(opened.number(), place);
  BOOST_TEST(instances() <= ChangeWatch::kMaxSets);
  BOOST_TEST((sets.back().writes_to(status()) == ChangeWatch::Writes::kUnknown));
  sets.clear();
  sets.emplace_back(look, open).watch(opened.number(), place);
  BOOST_TEST((sets.back().writes_to(status()) == ChangeWatch::Writes::kNone));
}

BOOST_AUTO_TEST_SUITE_END()

#endif
