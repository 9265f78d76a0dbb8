// Bytes in memory as a file.
#pragma once

#include <cstring>
#include <string>
#include <utility>

#include "formats/core/base/file.h"

namespace plainfs {

class BytesFile final : public File {
 public:
  explicit BytesFile(std::string bytes) : File("bytes", bytes.size(), 1), bytes_(std::move(bytes)) {}
  void check_unchanged() const override {}

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }

  const std::string bytes_;
};

}  // namespace plainfs
