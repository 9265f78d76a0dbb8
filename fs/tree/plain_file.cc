#include "fs/tree/plain_file.h"

#include <algorithm>

namespace plainfs {

uint64_t PlainFileView::size() {
  return context_.files.open(path_)->size();
}

Slices PlainFileView::read(uint64_t offset, size_t size) {
  const FilePtr file = context_.files.open(path_);
  Slices slices;
  if (offset >= file->size()) return slices;
  const size_t wanted = std::min<uint64_t>(size, file->size() - offset);
  auto bytes = std::make_shared<const Bytes>(file->read_at(offset, wanted));
  slices.add(*bytes, bytes);
  return slices;
}

Slices ValueFile::read(uint64_t offset, size_t size) {
  Slices slices;
  if (offset >= value_->size()) return slices;
  const uint64_t wanted = std::min<uint64_t>(size, value_->size() - offset);
  auto bytes = std::make_shared<const Bytes>(value_->read(offset, wanted));
  slices.add(*bytes, bytes);
  return slices;
}

}  // namespace plainfs
