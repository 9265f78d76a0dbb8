// A file with its whole content in memory.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "fs/text/view_file.h"

namespace plainfs {

class MemoryFile : public ViewFile {
 public:
  explicit MemoryFile(std::string content)
      : content_(std::make_shared<const std::string>(std::move(content))) {}
  uint64_t size() override { return content_->size(); }
  std::optional<uint64_t> known_size() override { return content_->size(); }
  Slices read(uint64_t offset, size_t size) override {
    Slices slices;
    if (offset < content_->size())
      slices.add(as_byte_span(std::string_view(*content_).substr(offset, size)), content_);
    return slices;
  }

 private:
  const std::shared_ptr<const std::string> content_;
};

}  // namespace plainfs
