// Files that a test can make fail: all of them for a while, or one read among many.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "formats/core/base/file_pool.h"
#include "tests/support/test_context.h"

namespace plainfs {

// The faults of the files of a pool.
struct Faults {
  std::atomic<bool> all{false};  // each read fails
  // This many reads succeed, the next one fails, and later ones succeed. -1: none fails.
  std::atomic<int> reads_before{-1};
};

class FaultyFile : public File {
 public:
  FaultyFile(FilePtr file, Faults& faults)
      : File(file->path(), file->size(), file->fingerprint()), file_(std::move(file)), faults_(faults) {}
  void check_unchanged() const override { file_->check_unchanged(); }

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override {
    const bool is_the_one = faults_.reads_before >= 0 && faults_.reads_before-- == 0;
    if (faults_.all || is_the_one) throw unreadable("{}: the disk fails", path());
    file_->read_at(offset, out);
  }

  FilePtr file_;
  Faults& faults_;
};

class FaultyPool : public FilePool {
 public:
  FilePtr open_if_exists(const std::string& path) override {
    if (path == unreadable_path) throw unreadable("{}: Permission denied", path);
    FilePtr file = FilePool::open_if_exists(path);
    return file ? std::make_shared<const FaultyFile>(std::move(file), faults) : nullptr;
  }

  EntryKind kind_of(const std::string& path) override {
    if (path == unreadable_path) throw unreadable("{}: Permission denied", path);
    return FilePool::kind_of(path);
  }

  Faults faults;
  std::string unreadable_path;
};

// A TestContext with files that may fail.
struct FaultyContext {
  TestContext test;
  FaultyPool files;
  Context context{test.cache,    test.workers, test.decode_budget,       test.unit_budget, files,
                  test.counters, {},           [](const std::string&) {}};
};

// Calls `read` once for every read that it makes, each time with a separate context and that read failing.
// Then calls it again with the same context, without the fault. `read` must throw, or return the same as
// without a fault.
template <class Read>
void fail_each_read(Read&& read) {
  for (int reads = 0, left = -1; left < 0; ++reads) {
    FaultyContext own;
    own.files.faults.reads_before = reads;
    try {
      read(own.context);
    } catch (const Error&) {
    }
    left = own.files.faults.reads_before;  // number of reads still to succeed
    own.files.faults.reads_before = -1;
    read(own.context);
  }
}

}  // namespace plainfs
