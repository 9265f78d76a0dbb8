#include "formats/containers/hdf5/local_heap.h"

#include <algorithm>
#include <optional>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/containers/hdf5/object_header.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/error.h"

namespace plainfs::hdf5 {
namespace {

constexpr unsigned kSymbolTable = 0x0011;
constexpr uint64_t kNoMore = 1;  // in place of the next free block

// Returns the address of the group's heap, nullopt if its members are stored in another form.
std::optional<uint64_t> heap_of(const File& file, const FileLayout& layout, uint64_t group) {
  std::optional<uint64_t> address;
  for_each_message(file, layout, group, [&](const HeaderMessage& message) {
    if (message.type != kSymbolTable || message.data.size() < 2u * layout.address_size) return true;
    Cursor cursor(message.data);
    cursor.skip(layout.address_size);  // of the tree of members
    address = address_at(cursor, layout);
    return false;
  });
  return address;
}

// Detects a list that returns to an earlier place, soon after it did (Brent, 1980).
class Returns {
 public:
  bool see(uint64_t place) {
    if (place == mark_) return true;
    if (++since_mark_ == until_next_) {
      mark_ = place;
      since_mark_ = 0;
      until_next_ *= 2;
    }
    return false;
  }

 private:
  uint64_t mark_ = kNoMore, since_mark_ = 0, until_next_ = 1;
};

bool lies_within(const File& file, const FileLayout& layout, uint64_t address, uint64_t size) {
  const uint64_t end = file.size() - std::min(file.size(), layout.base_address);
  return size <= end && address <= end - size;
}

}  // namespace

void check_local_heap(const File& file, const FileLayout& layout, uint64_t group) {
  const std::optional<uint64_t> address = heap_of(file, layout, group);
  const uint64_t header_size = 8 + 2u * layout.length_size + layout.address_size;
  if (!address || !lies_within(file, layout, *address, header_size)) return;
  const Bytes header = read_bytes(file, layout, *address, header_size, "a local heap");
  if (as_text(header).substr(0, 4) != "HEAP") return;
  Cursor cursor(header);
  cursor.skip(8);  // "HEAP", the version, three reserved bytes
  const uint64_t heap_size = length_at(cursor, layout);
  uint64_t free = length_at(cursor, layout);
  const uint64_t content = address_at(cursor, layout), least = 2u * layout.length_size;
  uint64_t left = heap_size;  // free blocks do not share bytes
  Returns returns;
  while (free != kNoMore) {
    if (free > heap_size || !lies_within(file, layout, content, checked_add(free, least))) return;
    const Bytes bytes =
        read_bytes(file, layout, checked_add(content, free), least, "a free block of a local heap");
    Cursor block(bytes);
    const uint64_t next = length_at(block, layout), size = std::max(length_at(block, layout), least);
    if (size > left || returns.see(free))
      throw damaged(
          "the local heap of a group's names: the list of free blocks has a cycle or exceeds its {} bytes",
          heap_size);
    left -= size;
    free = next;
  }
}

}  // namespace plainfs::hdf5
