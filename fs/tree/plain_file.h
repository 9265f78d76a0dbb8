// A file of the host, shown unchanged. The pool opens it for each read, so that any number of them may be
// open under the mountpoint.
#pragma once

#include "formats/core/model/context.h"
#include "fs/text/view_file.h"

namespace plainfs {

class PlainFileView : public ViewFile {
 public:
  PlainFileView(std::string path, Context& context) : path_(std::move(path)), context_(context) {}
  uint64_t size() override;
  std::optional<uint64_t> known_size() override { return size(); }
  Slices read(uint64_t offset, size_t size) override;

 private:
  const std::string path_;
  Context& context_;
};

// A file with bytes that a store keeps: a member of a zip archive, or decompressed data.
class ValueFile : public ViewFile {
 public:
  explicit ValueFile(ValuePtr value) : value_(std::move(value)) {}
  uint64_t size() override { return value_->size(); }
  std::optional<uint64_t> known_size() override { return value_->size(); }
  Slices read(uint64_t offset, size_t size) override;

 private:
  const ValuePtr value_;
};

}  // namespace plainfs
