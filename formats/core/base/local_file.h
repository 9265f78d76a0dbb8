// A regular file of this machine, identified by its device, inode, size and time of modification. A different
// time of the last change means that it was written to, unless only its metadata are known to have changed
// (change_watch.h). The pool may close its descriptor between reads. The next read opens the file again, and
// it must be the same one.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <functional>

#include "cache/mutex.h"
#include "formats/core/base/change_watch.h"
#include "formats/core/base/error.h"
#include "formats/core/base/file.h"

namespace plainfs {

// Returns the File::fingerprint of a file with `status`.
uint64_t fingerprint_of(const struct stat& status);

class LocalFile : public File {
 public:
  // State that the files of one pool share. It outlives their reads.
  struct Owner {
    std::function<int(const std::string& path)> open;  // opens like FilePool: -1 if absent
    // See Sources::look and Sources::is_unwritten.
    std::function<bool(const std::string& path, struct stat& status)> look =
        [](const std::string& path, struct stat& status) { return ::stat(path.c_str(), &status) == 0; };
    std::function<bool(const std::string& path, const struct stat& now, uint64_t before)> is_unwritten =
        [](const std::string&, const struct stat& now, uint64_t before) {
          return explains_change(before, metadata_mark(now));
        };
    std::atomic<uint64_t>* bytes_read = nullptr;  // counts the bytes of read_at
    std::atomic<size_t> open_descriptors{0};
  };

  // Takes ownership of `descriptor`, also on an exception. Throws damaged if it is not a regular file.
  static std::shared_ptr<const LocalFile> adopt(int descriptor, std::string path,
                                                std::shared_ptr<Owner> owner) {
    return adopt_as<LocalFile>(descriptor, std::move(path), std::move(owner));
  }
  // Returns a file of a derived class likewise.
  template <class Derived>
  static std::shared_ptr<const Derived> adopt_as(int descriptor, std::string path,
                                                 std::shared_ptr<Owner> owner) {
    const struct stat status = status_of_regular(descriptor, path);
    return std::make_shared<const Derived>(descriptor, std::move(path), status, std::move(owner));
  }
  LocalFile(int descriptor, std::string path, const struct stat& status, std::shared_ptr<Owner> owner);
  ~LocalFile() override;

  // Keeps the descriptor open from now on.
  int descriptor() const override;
  void will_read(std::span<const ByteRange> ranges) const override;
  // Calls `borrow` with the descriptor, which stays open during the call.
  void lend_descriptor(const std::function<void(int descriptor)>& borrow) const;
  // Closes the descriptor, unless it is in use or descriptor() was called.
  void let_descriptor_go() const;
  // Returns its metadata mark when it was opened, or when the last change of its metadata was seen.
  uint64_t metadata() const { return metadata_.load(std::memory_order_relaxed); }
  // Returns whether only its metadata changed since its metadata mark was `before`.
  bool is_unwritten_since(uint64_t before) const;
  // If a folder of the path was replaced, it may take some milliseconds until that is seen.
  void check_unchanged() const override;
  void check_unchanged_lately() const override;
  void check_unmodified_since(timespec then) const override;

 protected:
  void read(uint64_t offset, std::span<std::byte> out) const override;

 private:
  // Closes the descriptor before it throws.
  static struct stat status_of_regular(int descriptor, const std::string& path);
  bool is_same(const struct stat& status) const;
  void check_open_file() const REQUIRES_SHARED(mutex_);
  void check_open_file_before_reading() const REQUIRES_SHARED(mutex_);
  void check_path() const REQUIRES_SHARED(mutex_);
  void check_path_now(int64_t now) const REQUIRES_SHARED(mutex_);
  // Keeps the descriptor open while the mutex is held shared.
  void hold_descriptor() const ACQUIRE_SHARED(mutex_);

  mutable SharedMutex mutex_;                  // held shared while a reader uses the descriptor
  mutable int descriptor_ GUARDED_BY(mutex_);  // -1: closed
  mutable bool is_asked_for_ GUARDED_BY(mutex_) = false;
  const timespec modified_;
  mutable std::atomic<uint64_t> metadata_;        // relaxed: independent of other data
  mutable std::atomic<int64_t> path_checked_{0};  // the tick of the latest check of the path
  mutable std::atomic<int64_t> file_checked_{0};  // when the latest check of the open file began, in ns
  const std::shared_ptr<Owner> owner_;
};

// Returns an unreadable error: "PATH: the system's text for error".
Error system_error(const std::string& path, int error);

}  // namespace plainfs
