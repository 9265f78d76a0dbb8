// A file of the host shown as it is. It is opened anew for each read through the pool, so that any number of
// them may be open under the mountpoint.
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

// A file whose bytes a store keeps for it: a member of a zip archive, or what was decompressed.
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
