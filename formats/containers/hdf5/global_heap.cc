#include "formats/containers/hdf5/global_heap.h"

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"

namespace plainfs::hdf5 {
namespace {

// Signature, version, three reserved bytes; the collection's size follows.
constexpr size_t kFixedHeader = 8;

}  // namespace

HeapCollection::HeapCollection(Bytes bytes, unsigned length_size) : bytes_(std::move(bytes)) {
  Cursor cursor(bytes_);
  cursor.skip(kFixedHeader + length_size);
  const size_t object_header = 8 + length_size;  // index, reference count, four reserved bytes, size
  while (cursor.remaining() >= object_header) {
    const uint16_t index = cursor.little<uint16_t>();
    cursor.skip(6);
    const uint64_t size = load_unsigned(cursor.bytes(length_size).data(), length_size);
    if (index == 0) break;  // free space, always the last
    if (objects_.size() <= index) objects_.resize(index + size_t{1}, Object{0, 0, false});
    if (objects_[index].present) throw damaged("global heap object {} is repeated in its collection", index);
    objects_[index] = {cursor.position(), size, true};
    cursor.skip(size);
    cursor.skip(std::min<uint64_t>((8 - size % 8) % 8, cursor.remaining()));
  }
}

ByteSpan HeapCollection::object(uint32_t index) const {
  if (index >= objects_.size() || !objects_[index].present)
    throw damaged("global heap object {} is missing", index);
  return ByteSpan(bytes_).subspan(objects_[index].offset, objects_[index].size);
}

GlobalHeap::GlobalHeap(FilePtr file, FileLayout layout, Context& context)
    : file_(std::move(file)), layout_(layout), context_(context), cache_owner_(context.cache.new_owner()) {}

std::shared_ptr<const HeapCollection> GlobalHeap::collection(uint64_t address) const {
  return context_.cache.get<HeapCollection>({cache_owner_, address}, [&] { return load(address); });
}

HeapCollection GlobalHeap::load(uint64_t address) const {
  const uint64_t start = checked_add(address, layout_.base_address);
  const size_t header_size = kFixedHeader + layout_.length_size;
  if (start > file_->size() || file_->size() - start < header_size)
    throw damaged("global heap collection at {} lies beyond the file's end at {}", start, file_->size());
  const Bytes header = file_->read_at(start, header_size);
  if (as_text(header).substr(0, 4) != "GCOL") throw damaged("not a global heap collection at {}", start);
  if (const auto version = static_cast<unsigned>(header[4]); version != 1)
    throw damaged("global heap collection at {}: unknown version {}", start, version);
  const uint64_t size = load_unsigned(header.data() + kFixedHeader, layout_.length_size);
  if (size < header_size || size > file_->size() - start)
    throw damaged("global heap collection at {}: invalid size {}", start, size);
  return HeapCollection(file_->read_at(start, size), layout_.length_size);
}

ByteSpan HeapReader::read(uint64_t address, uint32_t index, uint64_t size) {
  if (size > allowance_) throw damaged("variable-length data are larger than the file");
  allowance_ -= size;
  if (!collection_ || address != address_) {
    collection_ = heap_.collection(address);
    address_ = address;
  }
  const ByteSpan object = collection_->object(index);
  if (size > object.size())
    throw damaged("global heap object {} at {} has {} bytes, expected {}", index, address, object.size(),
                  size);
  return object.first(size);
}

}  // namespace plainfs::hdf5
