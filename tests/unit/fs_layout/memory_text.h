// A file in memory that returns pieces like a file of blocks, and counts reads.
#pragma once

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "fs/text/view_file.h"

namespace plainfs {

class MemoryText : public ViewFile {
 public:
  explicit MemoryText(std::string text, size_t piece = 1000)
      : text_(std::make_shared<const std::string>(std::move(text))), piece_(piece) {}

  uint64_t size() override { return text_->size(); }
  Slices read(uint64_t offset, size_t size) override {
    Slices slices;
    const uint64_t end = std::min<uint64_t>(text_->size(), offset + size);
    while (offset < end) {
      const uint64_t some = std::min(end, (offset / piece_ + 1) * piece_) - offset;
      slices.add(as_byte_span(*text_).subspan(offset, some), text_);
      offset += some;
    }
    bytes_read_ += slices.size();
    return slices;
  }
  uint64_t bytes_read() const { return bytes_read_; }

 private:
  const std::shared_ptr<const std::string> text_;
  const size_t piece_;
  std::atomic<uint64_t> bytes_read_{0};
};

inline std::string test_file(const std::string& path) {
  std::ifstream in(PLAINFS_TEST_DATA "/" + path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

}  // namespace plainfs
