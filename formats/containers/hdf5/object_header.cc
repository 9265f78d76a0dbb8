#include "formats/containers/hdf5/object_header.h"

#include <algorithm>
#include <deque>

#include "formats/containers/hdf5/raw_bytes.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/error.h"

namespace plainfs::hdf5 {
namespace {

constexpr unsigned kAttributeMessage = 0x000c, kContinuationMessage = 0x0010, kAttributeInfo = 0x0015;
constexpr unsigned kIsShared = 0x02;
// A header of attributes alone has a few thousand messages, in about as many blocks.
constexpr size_t kMostBlocks = 1 << 16;

// A stretch of an object header that holds messages and nothing else.
struct HeaderBlock {
  uint64_t address;
  uint64_t size;
};

// The form of an object header, and its first block.
struct ObjectHeader {
  unsigned version;         // 1 or 2
  bool has_creation_order;  // of version 2: with each message
  HeaderBlock first;
};

ObjectHeader read_prefix(const File& file, const FileLayout& layout, uint64_t address) {
  constexpr uint64_t kLongest = 34;  // version 2 with times and attribute bounds
  const uint64_t start = checked_add(address, layout.base_address);
  const uint64_t left = start < file.size() ? file.size() - start : 0;
  const Bytes bytes = read_bytes(file, layout, address, std::min(left, kLongest), "an object header");
  Cursor cursor(bytes);
  if (bytes.size() >= 4 && as_text(bytes).substr(0, 4) == "OHDR") {
    cursor.skip(4);
    if (const unsigned version = cursor.byte(); version != 2)
      throw damaged("an object header of version {}", version);
    const unsigned flags = cursor.byte();
    if (flags & 0x20) cursor.skip(16);
    if (flags & 0x10) cursor.skip(4);
    const unsigned width = 1u << (flags & 3);
    const uint64_t size = load_unsigned(cursor.bytes(width).data(), width);
    return {2, (flags & 0x04) != 0, {address + cursor.position(), size}};
  }
  if (const unsigned version = cursor.byte(); version != 1)
    throw damaged("an object header of version {}", version);
  cursor.skip(7);  // a reserved byte, u16 messages, u32 references
  const uint64_t size = cursor.little<uint32_t>();
  return {1, false, {checked_add(address, 16), size}};
}

// Where the message says that the header goes on.
HeaderBlock next_block(ByteSpan message, const FileLayout& layout, unsigned version) {
  Cursor cursor(message);
  const uint64_t address = address_at(cursor, layout);
  const uint64_t size = load_unsigned(cursor.bytes(layout.length_size).data(), layout.length_size);
  if (version == 1) return {address, size};
  if (size < 8) throw damaged("an object header block of {} bytes", size);
  return {checked_add(address, 4), size - 8};  // "OCHK", and a checksum at the end
}

std::string attribute_name(ByteSpan message) {
  Cursor cursor(message);
  const unsigned version = cursor.byte();
  if (version < 1 || version > 3) throw damaged("an attribute of version {}", version);
  cursor.skip(1);
  const size_t size = cursor.little<uint16_t>();
  cursor.skip(version == 3 ? 5 : 4);  // the sizes of type and space; the encoding
  const std::string_view name = as_text(cursor.bytes(size));
  return std::string(name.substr(0, name.find('\0')));
}

// Whether the message says that attributes are kept in a heap.
bool has_heap(ByteSpan message, const FileLayout& layout) {
  Cursor cursor(message);
  cursor.skip(1);
  if (cursor.byte() & 1) cursor.skip(2);  // the highest creation index
  const ByteSpan address = cursor.bytes(layout.address_size);
  return std::any_of(address.begin(), address.end(), [](std::byte b) { return b != std::byte{0xff}; });
}

}  // namespace

void for_each_message(const File& file, const FileLayout& layout, uint64_t address,
                      const std::function<bool(const HeaderMessage&)>& visit) {
  const ObjectHeader header = read_prefix(file, layout, address);
  const size_t message_header = header.version == 1 ? 8 : header.has_creation_order ? 6 : 4;
  std::deque<HeaderBlock> blocks{header.first};
  size_t block_count = 1;
  uint64_t allowance = file.size();  // blocks do not share bytes
  for (; !blocks.empty(); blocks.pop_front()) {
    const HeaderBlock block = blocks.front();
    if (block.size > allowance) throw damaged("an object header of more bytes than the file has");
    allowance -= block.size;
    const Bytes bytes = read_bytes(file, layout, block.address, block.size, "an object header");
    Cursor cursor(bytes);
    while (cursor.remaining() >= message_header) {
      const unsigned type = header.version == 1 ? cursor.little<uint16_t>() : cursor.byte();
      const unsigned size = cursor.little<uint16_t>();
      const unsigned flags = cursor.byte();
      cursor.skip(message_header - (header.version == 1 ? 5 : 4));
      const HeaderMessage message{type, flags, cursor.bytes(size)};
      if (!visit(message)) return;
      if (type != kContinuationMessage) continue;
      if (++block_count > kMostBlocks) throw damaged("an object header of over {} blocks", kMostBlocks);
      blocks.push_back(next_block(message.data, layout, header.version));
    }
  }
}

std::optional<std::vector<std::string>> attribute_names(const File& file, const FileLayout& layout,
                                                        uint64_t address) {
  std::vector<std::string> names;
  bool are_all_here = true;
  for_each_message(file, layout, address, [&](const HeaderMessage& message) {
    if (message.type == kAttributeMessage) {
      are_all_here = !(message.flags & kIsShared);
      if (are_all_here) names.push_back(attribute_name(message.data));
    } else if (message.type == kAttributeInfo) {
      are_all_here = !has_heap(message.data, layout);
    }
    return are_all_here;
  });
  if (!are_all_here) return std::nullopt;
  return names;
}

}  // namespace plainfs::hdf5
