#include "formats/containers/hdf5/object_header.h"

#include <algorithm>
#include <deque>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/error.h"

namespace plainfs::hdf5 {
namespace {

constexpr unsigned kDatatypeMessage = 0x0003;
constexpr unsigned kAttributeMessage = 0x000c, kContinuationMessage = 0x0010, kAttributeInfo = 0x0015;
constexpr unsigned kIsShared = 0x02;
// A header that has only attributes has a few thousand messages, in about as many blocks.
constexpr size_t kMaxBlocks = 1 << 16;

// A stretch of an object header that holds only messages.
struct HeaderBlock {
  uint64_t address;
  uint64_t size;
};

// The form of an object header and its first block.
struct ObjectHeader {
  unsigned version;         // 1 or 2
  bool has_creation_order;  // with each message, in version 2
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
      throw damaged("unknown object header version {}", version);
    const unsigned flags = cursor.byte();
    if (flags & 0x20) cursor.skip(16);
    if (flags & 0x10) cursor.skip(4);
    const unsigned width = 1u << (flags & 3);
    const uint64_t size = load_unsigned(cursor.bytes(width).data(), width);
    return {2, (flags & 0x04) != 0, {address + cursor.position(), size}};
  }
  if (const unsigned version = cursor.byte(); version != 1)
    throw damaged("unknown object header version {}", version);
  cursor.skip(7);  // a reserved byte, u16 messages, u32 references
  const uint64_t size = cursor.little<uint32_t>();
  return {1, false, {checked_add(address, 16), size}};
}

// Returns the block in which the header continues, according to a continuation message.
HeaderBlock next_block(ByteSpan message, const FileLayout& layout, unsigned version) {
  Cursor cursor(message);
  const uint64_t address = address_at(cursor, layout);
  const uint64_t size = length_at(cursor, layout);
  if (version == 1) return {address, size};
  if (size < 8) throw damaged("invalid object header block: {} bytes", size);
  return {checked_add(address, 4), size - 8};  // "OCHK", and a checksum at the end
}

// A message that has a version, the highest version that any supported library knows, and the highest
// published. A version that a library refuses is newer than it or damaged.
struct VersionedForm {
  std::string_view name;  // in the library's messages
  unsigned message;
  unsigned known;
  unsigned published;
};

constexpr VersionedForm kVersionedForms[] = {{"layout", kLayoutMessage, 4, 5},
                                             {"datatype", kDatatypeMessage, 3, 5}};

struct AttributeHead {
  std::string name;
  bool has_shared_type;
  ByteSpan type;
  ByteSpan space;
  ByteSpan data;
};

// Returns the next size bytes, fewer at the end. In version 1, skips the padding to a multiple of 8.
ByteSpan next_part(Cursor& cursor, size_t size, unsigned version) {
  const ByteSpan part = cursor.bytes(std::min(size, cursor.remaining()));
  if (version == 1) cursor.skip(std::min<size_t>((8 - size % 8) % 8, cursor.remaining()));
  return part;
}

AttributeHead attribute_head(ByteSpan message) {
  Cursor cursor(message);
  const unsigned version = cursor.byte();
  if (version < 1 || version > 3) throw damaged("unknown attribute version {}", version);
  const unsigned flags = cursor.byte();
  const size_t size = cursor.little<uint16_t>();
  const size_t type_size = cursor.little<uint16_t>();
  const size_t space_size = cursor.little<uint16_t>();
  if (version == 3) cursor.skip(1);                  // the encoding
  if (size > cursor.remaining()) cursor.skip(size);  // throws: the message is damaged
  const std::string_view name = as_text(next_part(cursor, size, version));
  const ByteSpan type = next_part(cursor, type_size, version);
  const ByteSpan space = next_part(cursor, space_size, version);
  return {std::string(name.substr(0, name.find('\0'))), version > 1 && (flags & 1), type, space,
          cursor.rest()};
}

// Returns the address of the committed type to which a shared message refers, nullopt if it refers to a heap.
std::optional<uint64_t> committed_type(ByteSpan message, const FileLayout& layout) {
  Cursor cursor(message);
  const unsigned version = cursor.byte();
  const unsigned kind = cursor.byte();
  if (version == 3 && kind != 2) return std::nullopt;
  if (version == 1) cursor.skip(6);
  return address_at(cursor, layout);
}

unsigned version_of(const VersionedForm& form, ByteSpan message) {
  const unsigned first = Cursor(message).byte();
  return form.message == kDatatypeMessage ? first >> 4 : first;
}

// Returns the part of a header's message that has the form: the message itself, or the type of the attribute.
std::optional<HeaderMessage> part_of_form(const HeaderMessage& message, const VersionedForm& form,
                                          bool in_attributes) {
  if (!in_attributes) return message.type == form.message ? std::optional(message) : std::nullopt;
  if (message.type != kAttributeMessage || message.flags & kIsShared) return std::nullopt;
  const AttributeHead head = attribute_head(message.data);
  return HeaderMessage{form.message, head.has_shared_type ? kIsShared : 0, head.type, message.has_checksum};
}

// Returns whether an attribute info message refers to a heap of attributes.
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
    if (block.size > allowance) throw damaged("an object header is larger than the file");
    allowance -= block.size;
    const Bytes bytes = read_bytes(file, layout, block.address, block.size, "an object header");
    Cursor cursor(bytes);
    while (cursor.remaining() >= message_header) {
      const unsigned type = header.version == 1 ? cursor.little<uint16_t>() : cursor.byte();
      const unsigned size = cursor.little<uint16_t>();
      const unsigned flags = cursor.byte();
      cursor.skip(message_header - (header.version == 1 ? 5 : 4));
      const HeaderMessage message{type, flags, cursor.bytes(size), header.version == 2};
      if (!visit(message)) return;
      if (type != kContinuationMessage) continue;
      if (++block_count > kMaxBlocks) throw damaged("an object header of more than {} blocks", kMaxBlocks);
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
      if (are_all_here) names.push_back(attribute_head(message.data).name);
    } else if (message.type == kAttributeInfo) {
      are_all_here = !has_heap(message.data, layout);
    }
    return are_all_here;
  });
  if (!are_all_here) return std::nullopt;
  return names;
}

std::optional<HeaderAttribute> attribute_in_header(const File& file, const FileLayout& layout,
                                                   uint64_t address, const std::string& name) {
  std::optional<HeaderAttribute> found;
  const auto copy = [](ByteSpan bytes) { return Bytes(bytes.begin(), bytes.end()); };
  for_each_message(file, layout, address, [&](const HeaderMessage& message) {
    if (message.type != kAttributeMessage || (message.flags & kIsShared)) return true;
    const AttributeHead head = attribute_head(message.data);
    if (head.name != name) return true;
    found = HeaderAttribute{head.has_shared_type, copy(head.type), copy(head.space), copy(head.data)};
    return false;
  });
  return found;
}

std::optional<std::string> newer_form(const File& file, const FileLayout& layout, uint64_t address,
                                      bool in_attributes, std::string_view reason) {
  const auto* const form = std::find_if(
      std::begin(kVersionedForms), std::end(kVersionedForms), [&](const VersionedForm& candidate) {
        return reason.ends_with(fmt::format("bad version number for {} message", candidate.name));
      });
  if (form == std::end(kVersionedForms)) return std::nullopt;
  std::optional<std::string> newer;
  std::vector<uint64_t> committed;
  bool is_in_heap = false;
  // Searches the header at an address.
  const auto look = [&](uint64_t at, bool at_attributes) {
    for_each_message(file, layout, at, [&](const HeaderMessage& message) {
      if (at_attributes && message.type == kAttributeInfo) is_in_heap |= has_heap(message.data, layout);
      const auto part = part_of_form(message, *form, at_attributes);
      if (!part) return true;
      if (part->flags & kIsShared) {
        if (const auto type = committed_type(part->data, layout)) committed.push_back(*type);
      } else if (const unsigned version = version_of(*form, part->data);
                 version > form->known && (part->has_checksum || version <= form->published)) {
        newer = fmt::format("{} version {}", form->name, version);
      }
      return !newer;
    });
  };
  look(address, in_attributes);
  const std::vector<uint64_t> types = std::move(committed);
  for (size_t i = 0; i < types.size() && !newer; ++i) look(types[i], false);
  // The library has verified the checksums of a heap's blocks.
  if (!newer && is_in_heap) newer = fmt::format("unknown {} version", form->name);
  return newer;
}

}  // namespace plainfs::hdf5
