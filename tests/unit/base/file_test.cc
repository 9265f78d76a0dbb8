#include "formats/core/base/file_pool.h"
#include "formats/core/base/modified_time.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "cache/request.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/error.h"
#include "tests/support/mentions.h"
#include "tests/support/no_memory.h"
#include "tests/support/no_more_descriptors.h"
#include "tests/support/temporary_directory.h"

using namespace plainfs;
namespace fs = boost::filesystem;

namespace {

struct Directory : TemporaryDirectory {
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << text;
    return path(name);
  }
};

// Sets the times as if the file had been written a second later.
void touch(const std::string& path) {
  struct stat status {};
  BOOST_REQUIRE(::stat(path.c_str(), &status) == 0);
  const timespec times[2] = {status.st_atim, {status.st_mtim.tv_sec + 1, 0}};
  BOOST_REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

std::string text_of(const Bytes& bytes) {
  return std::string(as_text(bytes));
}

auto fails(Errc code, std::string text) {
  return [code, text](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    return error.code() == code && std::string_view(error.what()).find(text) != std::string_view::npos;
  };
}

// The descriptors of a pool besides those of files: the one that reports writes.
#ifdef __linux__
constexpr size_t kOfThePool = 1;
#else
constexpr size_t kOfThePool = 0;
#endif

size_t open_descriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(file)

BOOST_AUTO_TEST_CASE(read_returns_exactly_the_requested_bytes) {
  const Directory directory;
  std::atomic<uint64_t> bytes_read{0};
  FilePool pool(8, &bytes_read);
  const FilePtr file = pool.open(directory.write("a", "0123456789"));
  BOOST_TEST(file->size() == 10u);
  BOOST_TEST(text_of(file->read_at(3, 4)) == "3456");
  BOOST_TEST(text_of(file->read_at(0, 10)) == "0123456789");
  BOOST_TEST(text_of(file->read_at(10, 0)) == "");
  BOOST_TEST(bytes_read == 14u);
}

#ifdef __linux__
namespace {

// Returns whether the page at `offset` is in the system's memory.
bool is_in_memory(const std::string& path, off_t offset) {
  const Descriptor file(::open(path.c_str(), O_RDONLY));
  void* const page = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file.number(), offset);
  BOOST_REQUIRE(page != MAP_FAILED);
  unsigned char resident = 0;
  BOOST_TEST(::mincore(page, 4096, &resident) == 0);
  ::munmap(page, 4096);
  return (resident & 1) != 0;
}

}  // namespace

// If the disk answers before the check for a fetch, nothing is fetched. This is rare, so the test retries.
BOOST_AUTO_TEST_CASE(announced_ranges_are_fetched_together) {
  const Directory directory;
  constexpr uint64_t kPage = 4096, kApart = 1 << 20;
  const std::string path = directory.write("a", std::string(8 * kApart, 'x'));
  FilePool pool;
  const std::vector<ByteRange> ranges = {{kApart, kPage}, {3 * kApart, kPage}, {5 * kApart, kPage}};
  const auto are_in_memory = [&] {
    return std::all_of(ranges.begin(), ranges.end(),
                       [&](ByteRange range) { return is_in_memory(path, static_cast<off_t>(range.offset)); });
  };
  bool fetched = false;
  for (int attempt = 0; attempt < 10 && !fetched; ++attempt) {
    {
      const Descriptor file(::open(path.c_str(), O_RDONLY));
      ::fsync(file.number());
      ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
    }
    if (is_in_memory(path, 3 * kApart)) return;  // a file system without a disk
    const FilePtr file = pool.open(path);
    file->will_read(ranges);
    for (int tries = 0; tries < 1000 && !are_in_memory(); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fetched = are_in_memory();
    BOOST_TEST(!is_in_memory(path, 7 * kApart));
    BOOST_TEST(text_of(file->read_at(3 * kApart, 4)) == "xxxx");
  }
  BOOST_TEST(fetched);
}
#endif

BOOST_AUTO_TEST_CASE(read_beyond_the_end_is_damaged_and_allocates_nothing) {
  const Directory directory;
  FilePool pool;
  const FilePtr file = pool.open(directory.write("a", "0123456789"));
  BOOST_CHECK_EXCEPTION(file->read_at(8, 3), Error, fails(Errc::damaged, "the file has 10"));
  BOOST_CHECK_EXCEPTION(file->read_at(11, 0), Error, fails(Errc::damaged, "the file has 10"));
  BOOST_CHECK_EXCEPTION(file->read_at(0, size_t{1} << 62), Error,
                        mentions("expected 4611686018427387904 bytes at byte 0, but the file has 10"));
  BOOST_CHECK_EXCEPTION(file->read_at(~uint64_t{0}, 1), Error,
                        mentions("expected 1 bytes at byte 18446744073709551615, but the file has 10"));
  BOOST_CHECK_EXCEPTION(file->read_at(5, ~size_t{0} - 2), Error,
                        mentions("expected 18446744073709551613 bytes at byte 5, but the file has 10"));
}

BOOST_AUTO_TEST_CASE(absent_file_is_null_or_not_found) {
  const Directory directory;
  FilePool pool;
  BOOST_TEST(!pool.open_if_exists(directory.path("none")));
  BOOST_TEST(!pool.read_whole_if_exists(directory.path("none"), 10).has_value());
  BOOST_CHECK_EXCEPTION(pool.open(directory.path("none")), Error, fails(Errc::not_found, "none"));
  BOOST_CHECK_EXCEPTION(pool.read_whole(directory.path("none"), 10), Error, fails(Errc::not_found, "none"));
}

BOOST_AUTO_TEST_CASE(every_other_reason_is_unreadable) {
  const Directory directory;
  FilePool pool;
  const std::string file = directory.write("a", "x");
  BOOST_CHECK_EXCEPTION(pool.open_if_exists(file + "/below"), Error,
                        fails(Errc::unreadable, "Not a directory"));
  fs::create_symlink("loop", directory.path("loop"));
  BOOST_CHECK_EXCEPTION(pool.open_if_exists(directory.path("loop")), Error,
                        fails(Errc::unreadable, "symbolic"));
  BOOST_TEST(!pool.open_if_exists(directory.path(std::string(300, 'x'))));  // no file can have that name
  BOOST_CHECK_THROW(pool.open_if_exists(file + std::string("\0y", 2)), Error);
}

BOOST_AUTO_TEST_CASE(special_file_is_damaged_and_never_waited_for) {
  const Directory directory;
  FilePool pool;
  const auto fails_here = fails(Errc::damaged, "not a regular file");
  BOOST_CHECK_EXCEPTION(pool.open(directory.path()), Error, fails_here);
  const std::string fifo = directory.path("fifo");
  BOOST_REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  BOOST_CHECK_EXCEPTION(pool.open(fifo), Error, fails_here);
  const std::string path = directory.path("socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BOOST_REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  BOOST_CHECK_EXCEPTION(pool.open(path), Error, fails_here);
  ::close(descriptor);
}

BOOST_AUTO_TEST_CASE(read_whole_has_a_limit) {
  const Directory directory;
  FilePool pool;
  const std::string path = directory.write("a", "0123456789");
  BOOST_TEST(text_of(pool.read_whole(path, 10)) == "0123456789");
  BOOST_CHECK_EXCEPTION(pool.read_whole(path, 9), Error, fails(Errc::damaged, "at most 9"));
  BOOST_TEST(pool.read_whole(directory.write("empty", ""), 0).empty());
}

BOOST_AUTO_TEST_CASE(file_modified_while_open_has_changed) {
  const Directory directory;
  FilePool pool;
  const std::string path = directory.write("a", "0123456789");
  const FilePtr file = pool.open(path);
  file->check_unchanged();
  touch(path);
  BOOST_CHECK_EXCEPTION(file->read_at(0, 4), Error, fails(Errc::changed, "has changed since it was mounted"));
  const std::string shrinking = directory.write("b", "0123456789");
  const FilePtr shrunk = pool.open(shrinking);
  BOOST_REQUIRE(::truncate(shrinking.c_str(), 3) == 0);
  BOOST_CHECK_EXCEPTION(shrunk->read_at(0, 8), Error, fails(Errc::changed, "has changed"));
  BOOST_CHECK_EXCEPTION(shrunk->read_at(0, 80), Error, fails(Errc::changed, "has changed"));
}

BOOST_AUTO_TEST_CASE(dangling_link_is_not_absent) {
  const Directory directory;
  FilePool pool;
  const std::string link = (fs::path(directory.write("x", "")).parent_path() / "link").string();
  fs::create_symlink("gone", link);
  BOOST_CHECK_EXCEPTION(pool.open_if_exists(link), Error, fails(Errc::unreadable, "the link is broken"));
  BOOST_TEST(!pool.open_if_exists(link + ".not"));
}

BOOST_AUTO_TEST_CASE(file_replaced_while_open_has_changed) {
  const Directory directory;
  FilePool pool;
  const std::string path = directory.write("a", "0123456789");
  const FilePtr file = pool.open(path);
  file->check_unchanged();
  fs::rename(directory.write("b", "abcdefghij"), path);
  BOOST_CHECK_EXCEPTION(file->read_at(0, 4), Error, fails(Errc::changed, "has changed since it was mounted"));
  BOOST_CHECK_EXCEPTION(file->read_at(0, 4), Error, fails(Errc::changed, "has changed since it was mounted"));
}

BOOST_AUTO_TEST_CASE(store_renamed_to_and_fro_has_not_changed) {
  const Directory directory;
  const std::string store = directory.path("store"), other = directory.path("other");
  fs::create_directory(store);
  directory.write("store/a", "0123456789");
  FilePool pool(1);  // files are opened again
  pool.follow(store);
  const FilePtr file = pool.open(store + "/a");
  std::atomic<bool> is_over{false};
  std::thread mover([&] {
    while (!is_over) {
      fs::rename(store, other);
      ::usleep(1000);
      fs::rename(other, store);
      ::usleep(1000);
    }
  });
  std::string faults;
  try {
    for (int turn = 0; turn < 2000; ++turn) {
      file->check_unchanged();
      if (!pool.look_into(store + "/a")) faults += "absent ";
      if (pool.kind_of(store + "/a") != EntryKind::file) faults += "no file ";
    }
  } catch (const Error& error) {
    faults += error.what();
  }
  is_over = true;
  mover.join();
  BOOST_TEST(faults == "");
}

BOOST_AUTO_TEST_CASE(file_in_a_replaced_folder_has_changed) {
  const Directory directory;
  FilePool pool;
  const fs::path folder = fs::path(directory.write("x", "")).parent_path() / "folder";
  fs::create_directory(folder);
  const std::string path = directory.write("folder/a", "0123456789");
  const FilePtr file = pool.open(path);
  file->check_unchanged();
  fs::rename(folder, folder.string() + ".old");
  wait_for_file_time();
  BOOST_CHECK_EXCEPTION(file->read_at(0, 4), Error, fails(Errc::changed, "has changed since it was mounted"));
}

BOOST_AUTO_TEST_CASE(file_modified_after_a_time_has_changed_since) {
  const Directory directory;
  FilePool pool;
  const FilePtr file = pool.open(directory.write("a", "x"));
  const timespec now = file_time();
  file->check_unmodified_since(now);
  BOOST_CHECK_EXCEPTION(file->check_unmodified_since({now.tv_sec - 60, 0}), Error,
                        fails(Errc::changed, "a: has changed since it was mounted"));
  // A file from the future has not been modified yet.
  BOOST_TEST(!is_modified_since({now.tv_sec + 3600, 0}, now));
}

BOOST_AUTO_TEST_CASE(path_of_another_file_later_has_changed) {
  const Directory directory;
  FilePool pool(1);
  const std::string a = directory.write("a", "first");
  const std::string b = directory.write("b", "other");
  pool.open(a);
  pool.open(b);  // closes a
  BOOST_TEST(text_of(pool.read_whole(a, 100)) == "first");
  pool.open(b);
  fs::rename(directory.write("c", "first"), a);
  BOOST_CHECK_EXCEPTION(pool.open(a), Error, fails(Errc::changed, "has changed since it was mounted"));
  pool.clear();
  BOOST_TEST(text_of(pool.read_whole(a, 100)) == "first");
}

namespace {

void check(int result) {
  BOOST_REQUIRE_MESSAGE(result == 0, std::strerror(errno));
}

// Overwrites the beginning of the file with `text`, keeping its size and modification time.
void write_in_secret(const std::string& path, const std::string& text, bool through_a_mapping = false) {
  struct stat status {};
  check(::stat(path.c_str(), &status));
  const Descriptor file(::open(path.c_str(), O_RDWR));
  if (through_a_mapping) {
    void* const page = ::mmap(nullptr, text.size(), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    BOOST_REQUIRE(page != MAP_FAILED);
    std::memcpy(page, text.data(), text.size());
    check(::munmap(page, text.size()));
  } else {
    BOOST_REQUIRE(::pwrite(file.number(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  }
  const timespec times[2] = {status.st_atim, status.st_mtim};
  check(::futimens(file.number(), times));
}

// Returns changes that leave the bytes of a file unchanged.
std::vector<std::function<void(const std::string& path)>> metadata_changes() {
  return {
      [](const std::string& path) { check(::chmod(path.c_str(), 0640)); },
      [](const std::string& path) { check(::link(path.c_str(), (path + ".link").c_str())); },
      [](const std::string& path) { check(::unlink((path + ".link").c_str())); },
      [](const std::string& path) {
        const timespec times[2] = {{1, 0}, {0, UTIME_OMIT}};
        check(::utimensat(AT_FDCWD, path.c_str(), times, 0));
      },
      [](const std::string& path) { check(::chown(path.c_str(), ::getuid(), ::getgid())); },
      // Opens the file for writing, like `touch -a`.
      [](const std::string& path) {
        const Descriptor file(::open(path.c_str(), O_WRONLY));
        const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
        check(::futimens(file.number(), times));
      },
  };
}

}  // namespace

BOOST_AUTO_TEST_CASE(change_of_metadata_leaves_an_open_file_unchanged) {
  const Directory directory;
  FilePool pool;
  const std::string path = directory.write("a", "0123456789");
  const FilePtr file = pool.open(path);
  for (const auto& change : metadata_changes()) {
    wait_for_file_time();
    change(path);
    BOOST_TEST(text_of(file->read_at(0, 4)) == "0123");
    file->check_unchanged();
  }
}

BOOST_AUTO_TEST_CASE(change_of_metadata_leaves_a_closed_file_unchanged) {
  const Directory directory;
  FilePool pool(1);
  const std::string path = directory.write("a", "0123456789"), other = directory.write("b", "x");
  pool.open(path);
  for (const auto& change : metadata_changes()) {
    pool.open(other);  // closes a
    wait_for_file_time();
    change(path);
    BOOST_TEST(text_of(pool.read_whole(path, 10)) == "0123456789");
  }
}

BOOST_AUTO_TEST_CASE(write_with_a_restored_mtime_changes_a_file) {
  for (const bool through_a_mapping : {false, true}) {
    const Directory directory;
    FilePool pool(1);
    const std::string open = directory.write("a", "0123456789"), closed = directory.write("b", "0123456789");
    pool.open(closed);
    const FilePtr file = pool.open(open);
    wait_for_file_time();
    for (const std::string& path : {open, closed}) write_in_secret(path, "9876", through_a_mapping);
    BOOST_CHECK_EXCEPTION(file->read_at(0, 4), Error, fails(Errc::changed, "has changed"));
    BOOST_CHECK_EXCEPTION(pool.open(closed), Error, fails(Errc::changed, "has changed"));
  }
}

// A later change of the mode explains the time of the last change, but the write was detected.
BOOST_AUTO_TEST_CASE(write_before_a_change_of_mode_changes_a_file) {
  const Directory directory;
  FilePool pool;
  const std::string path = directory.write("a", "0123456789");
  const FilePtr file = pool.open(path);
  wait_for_file_time();
  write_in_secret(path, "9876");
  check(::chmod(path.c_str(), 0640));
  BOOST_CHECK_EXCEPTION(file->read_at(0, 4), Error, fails(Errc::changed, "has changed"));
}

BOOST_AUTO_TEST_CASE(renamed_store_is_followed) {
  const Directory directory;
  FilePool pool(1);
  const std::string store = directory.write("s", "0123456789");
  pool.follow(store);
  const FilePtr file = pool.open(store);
  pool.open(directory.write("other", "x"));
  wait_for_file_time();
  fs::rename(store, store + ".old");
  BOOST_TEST(text_of(file->read_at(0, 4)) == "0123");
  BOOST_TEST(text_of(pool.read_whole(store, 10)) == "0123456789");
  BOOST_TEST(pool.place_of(store) == store + ".old");
  wait_for_file_time();
  directory.write("s", "9876543210");
  BOOST_CHECK_EXCEPTION(file->read_at(0, 4), Error, fails(Errc::changed, "has changed"));
  wait_for_file_time();
  fs::rename(store + ".old", store);
  BOOST_TEST(text_of(file->read_at(0, 4)) == "0123");
  fs::remove(store);
  wait_for_file_time();
  BOOST_CHECK_EXCEPTION(file->read_at(0, 4), Error, fails(Errc::changed, "has changed"));
}

BOOST_AUTO_TEST_CASE(files_of_a_renamed_folder_are_followed) {
  const Directory directory;
  FilePool pool(1);
  fs::create_directory(directory.path("s"));
  const std::string store = directory.path("s"), first = directory.write("s/a", "aa");
  directory.write("s/b", "bb");
  pool.confine(Containment::of_store(store));
  pool.follow(store);
  const KeyStorePtr keys = pool.open_folder(store);
  const FilePtr file = pool.open(first);
  wait_for_file_time();
  fs::rename(store, store + ".old");
  BOOST_TEST(text_of(file->read_at(0, 2)) == "aa");
  BOOST_TEST(text_of(keys->open_unchanged("b")->read_all()) == "bb");
  BOOST_TEST(!keys->open_unchanged("c"));
  BOOST_TEST(keys->list("").size() == 2u);
  fs::rename(store + ".old", store);
  BOOST_TEST(text_of(keys->open_unchanged("a")->read_all()) == "aa");
}

BOOST_AUTO_TEST_CASE(file_created_or_removed_later_has_changed) {
  const Directory directory;
  FilePool pool(1);
  const std::string late = directory.path("late");
  BOOST_TEST(!pool.open_if_exists(late));
  BOOST_TEST(!pool.open_if_exists(late));
  directory.write("late", "x");
  BOOST_CHECK_EXCEPTION(pool.open_if_exists(late), Error, fails(Errc::changed, "has changed"));
  const std::string gone = directory.write("gone", "x");
  pool.open(gone);
  pool.open(directory.write("next", "x"));
  fs::remove(gone);
  BOOST_CHECK_EXCEPTION(pool.open_if_exists(gone), Error, fails(Errc::changed, "has changed"));
}

BOOST_AUTO_TEST_CASE(pool_keeps_a_bounded_number_open) {
  const Directory directory;
  FilePool pool(4);
  const size_t before = open_descriptors();
  for (int i = 0; i < 50; ++i) {
    const FilePtr file = pool.open(directory.write(std::to_string(i), "x"));
    BOOST_TEST((::fcntl(file->descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
  }
  BOOST_TEST(open_descriptors() == before + 4 + kOfThePool);
  const FilePtr last = pool.open(directory.path("49"));
  BOOST_TEST(last == pool.open(directory.path("49")));
  pool.clear();
  BOOST_TEST(text_of(last->read_at(0, 1)) == "x");
}

BOOST_AUTO_TEST_CASE(shared_file_has_one_descriptor) {
  Directory directory;
  FilePool pool(1);
  const size_t before = open_descriptors();
  const FilePtr held = pool.open(directory.write("held", "text"));
  for (int i = 0; i < 200; ++i) {
    pool.open(directory.write("other" + std::to_string(i), "text"));
    BOOST_TEST(pool.open(directory.path("held")) == held);
  }
  BOOST_TEST(open_descriptors() == before + 1 + kOfThePool);
}

// Limits open descriptors by RLIMIT_NOFILE while in scope.
struct FewDescriptors {
  explicit FewDescriptors(rlim_t most) {
    BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit few{most, before.rlim_max};
    BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before); }
  rlimit before{};
};

BOOST_AUTO_TEST_CASE(pool_is_emptied_without_memory_too) {
  const Directory directory;
  const std::string path = directory.write("a", "one"), other = directory.write("b", "two");
  bool is_cleared = true;
  with_each_allocation_failing(
      [&] {
        FilePool pool;
        const FilePtr held = pool.open(path), another = pool.open(other);
        is_cleared = false;
        pool.clear();
        is_cleared = true;
      },
      [&] { BOOST_TEST(is_cleared); });
}

BOOST_AUTO_TEST_CASE(more_files_than_descriptors_can_be_held_and_read) {
  Directory directory;
  const FewDescriptors few(64);
  FilePool pool;
  std::vector<FilePtr> held;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "file" + std::to_string(i);
    held.push_back(pool.open(directory.write(name, name)));
  }
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 200; ++i) {
      const std::string name = "file" + std::to_string(i);
      held[static_cast<size_t>(i)]->check_unchanged();
      BOOST_TEST(text_of(held[static_cast<size_t>(i)]->read_at(0, name.size())) == name);
    }
  BOOST_TEST(open_descriptors() < 40U);
  pool.clear();
  for (int i = 0; i < 200; ++i) held.push_back(pool.open(directory.path("file" + std::to_string(i))));
  for (const FilePtr& file : held) BOOST_TEST(file->read_at(0, 4).size() == 4U);
  BOOST_TEST(open_descriptors() < 40U);
  BOOST_TEST((::fcntl(held[0]->descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
}

BOOST_AUTO_TEST_CASE(file_replaced_while_its_descriptor_is_closed_has_changed) {
  Directory directory;
  const FewDescriptors few(64);
  FilePool pool;
  const FilePtr first = pool.open(directory.write("first", "text"));
  const FilePtr gone = pool.open(directory.write("gone", "text"));
  std::vector<FilePtr> others;
  for (int i = 0; i < 100; ++i)
    others.push_back(pool.open(directory.write("other" + std::to_string(i), "text")));
  touch(directory.path("first"));
  fs::remove(directory.path("gone"));
  BOOST_CHECK_EXCEPTION(first->read_at(0, 4), Error, fails(Errc::changed, "has changed"));
  BOOST_CHECK_EXCEPTION(first->check_unchanged(), Error, fails(Errc::changed, "has changed"));
  BOOST_CHECK_EXCEPTION(gone->read_at(0, 4), Error, fails(Errc::changed, "has changed"));
}

BOOST_AUTO_TEST_CASE(file_rewritten_with_its_time_put_back_has_changed) {
  const Directory directory;
  FilePool pool;
  const std::string path = directory.write("a", "0123456789");
  const FilePtr file = pool.open(path);
  struct stat before {};
  BOOST_REQUIRE(::stat(path.c_str(), &before) == 0);
  wait_for_file_time();
  directory.write("a", "abcdefghij");
  const timespec times[2] = {before.st_atim, before.st_mtim};
  BOOST_REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  BOOST_CHECK_EXCEPTION(file->read_at(0, 4), Error, fails(Errc::changed, "has changed since it was mounted"));
}

BOOST_AUTO_TEST_CASE(without_a_free_descriptor_open_waits) {
  const Directory directory;
  FilePool pool;
  const std::string a = directory.write("a", "first"), b = directory.write("b", "other");
  FilePtr held = pool.open(a);
  held->descriptor();  // stays open from now on
  std::atomic<bool> may_begin{false}, opened{false}, may_end{false};
  std::string text;
  // Begins and ends with free descriptors: the sanitizers need some to inspect a thread.
  std::thread waiting([&] {
    while (!may_begin) std::this_thread::yield();
    text = text_of(pool.open(b)->read_at(0, 5));
    opened = true;
    while (!may_end) std::this_thread::yield();
  });
  std::optional<NoMoreDescriptors> none(std::in_place);
  may_begin = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST(!opened);
  held.reset();
  while (!opened) std::this_thread::yield();
  none.reset();
  may_end = true;
  waiting.join();
  BOOST_TEST(text == "other");
}

BOOST_AUTO_TEST_CASE(wait_for_a_descriptor_can_be_cancelled) {
  struct Flag : Request {
    bool cancelled() const override { return true; }
  } flag;
  const Directory directory;
  FilePool pool;
  const FilePtr held = pool.open(directory.write("a", "first"));
  held->descriptor();  // stays open from now on
  const std::string b = directory.write("b", "other");
  const Request::Scope scope(&flag);
  BOOST_CHECK_THROW(check_cancelled(),
                    Cancelled);  // the sanitizers inspect `flag` while there are descriptors
  const NoMoreDescriptors none;
  BOOST_CHECK_THROW(pool.open(b), Cancelled);
}

BOOST_AUTO_TEST_CASE(pool_keeps_a_quarter_of_the_descriptors_open_and_no_more) {
  const Directory directory;
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{64, before.rlim_max};
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  BOOST_TEST(max_descriptors() == 64u);
  FilePool pool;
  ::setrlimit(RLIMIT_NOFILE, &before);
  const size_t before_any = open_descriptors();
  for (int i = 0; i < 50; ++i) pool.open(directory.write(std::to_string(i), "x"));
  BOOST_TEST(open_descriptors() == before_any + 16 + kOfThePool);
}

BOOST_AUTO_TEST_CASE(absent_paths_are_remembered_within_bounds) {
  const Directory directory;
  FilePool pool;
  for (int i = 0; i < 300'000; ++i) pool.open_if_exists(directory.path(std::to_string(i)));
  const std::string last = directory.write("299999", "x");
  BOOST_CHECK_EXCEPTION(pool.open_if_exists(last), Error, fails(Errc::changed, "has changed"));
  const std::string first = directory.write("0", "x");
  BOOST_TEST(pool.open_if_exists(first) != nullptr);
}

BOOST_AUTO_TEST_CASE(threads_share_the_pool) {
  const Directory directory;
  FilePool pool(3);
  for (int i = 0; i < 10; ++i) directory.write(std::to_string(i), "content " + std::to_string(i));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 300; ++k) {
        const std::string name = std::to_string((k * 7 + t) % 10);
        wrong += text_of(pool.read_whole(directory.path(name), 100)) != "content " + name;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(bounded_pool_opens_nothing_outside) {
  TemporaryDirectory outside;
  TemporaryDirectory inside;
  std::ofstream(outside.path("secret")) << "secret";
  std::ofstream(inside.path("own")) << "own";
  boost::filesystem::create_symlink(outside.path("secret"), inside.path("link"));
  FilePool pool;
  pool.confine(Containment::of_store(inside.path()));
  BOOST_TEST(pool.open(inside.path("own"))->size() == 3U);
  for (const std::string& path : {inside.path("link"), outside.path("secret")})
    BOOST_CHECK_EXCEPTION(pool.open(path), Error, [](const Error& error) {
      return error.code() == Errc::unreadable &&
             std::string(error.what()).find("outside") != std::string::npos;
    });
  BOOST_TEST(!pool.open_if_exists(inside.path(std::string(300, 'x'))));
}

BOOST_AUTO_TEST_SUITE_END()
