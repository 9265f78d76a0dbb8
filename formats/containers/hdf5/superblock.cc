#include "formats/containers/hdf5/superblock.h"

#include <algorithm>
#include <string_view>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/core/codecs/makers.h"

namespace plainfs::hdf5 {
namespace {

constexpr std::string_view kFileSignature = "\x89HDF\r\n\x1a\n";
constexpr unsigned kAddresses = 4;       // base, extension or free space, end of file, driver or root
constexpr unsigned kIsBeingWritten = 5;  // bits 0 and 2 of the flags of version 3
constexpr uint64_t kMaxSuperblock = 96;  // of version 1 with addresses of 8 bytes

bool is_width(unsigned bytes) {
  return bytes == 2 || bytes == 4 || bytes == 8;
}

uint64_t undefined_address(const FileLayout& layout) {
  return ~uint64_t{0} >> (64 - 8 * layout.address_size);
}

// The fields of a superblock before its addresses.
struct Head {
  FileLayout layout;
  bool is_usual;  // the file has no versions that were never written, and no flag that matters is set
};

// Reads versions 0 and 1.
Head old_head(Cursor& cursor, unsigned version) {
  Head head;
  const unsigned free_space = cursor.byte(), root = cursor.byte();
  cursor.skip(1);
  const unsigned shared = cursor.byte();
  head.layout.address_size = cursor.byte();
  head.layout.length_size = cursor.byte();
  cursor.skip(5);  // the ranks of the trees
  const uint32_t flags = cursor.little<uint32_t>();
  cursor.skip(version == 0 ? 0 : 4);  // the rank of another tree
  head.is_usual = free_space == 0 && root == 0 && shared == 0 && flags == 0;
  return head;
}

// Reads versions 2 and 3.
Head new_head(Cursor& cursor) {
  Head head;
  head.layout.address_size = cursor.byte();
  head.layout.length_size = cursor.byte();
  head.is_usual = (cursor.byte() & kIsBeingWritten) == 0;
  return head;
}

// Throws damaged if the checksum is wrong.
void check_checksum(ByteSpan superblock) {
  const auto size = DecodedSize::exactly(superblock.size() - 4);
  jenkins_lookup3_codec(0, {})->decode({superblock.begin(), superblock.end()}, size);
}

// Returns whether a superblock leaves nothing to ask libhdf5. Throws damaged if the file ends before the
// superblock does, or if its checksum is wrong.
bool is_plain(ByteSpan bytes, uint64_t at, uint64_t file_bytes) {
  Cursor cursor(bytes);
  cursor.skip(kFileSignature.size());
  const unsigned version = cursor.byte();
  if (version > 3) return false;
  const auto [layout, is_usual] = version < 2 ? old_head(cursor, version) : new_head(cursor);
  if (!is_usual || !is_width(layout.address_size) || !is_width(layout.length_size)) return false;
  uint64_t addresses[kAddresses];
  for (uint64_t& address : addresses) address = address_at(cursor, layout);
  const auto [base, extension, end, last] = addresses;
  if (version < 2) cursor.skip(layout.address_size);  // the root's name
  const uint64_t root = version < 2 ? address_at(cursor, layout) : last;
  if (version < 2 && last != undefined_address(layout)) return false;  // a driver
  if (extension != undefined_address(layout)) return false;
  if (base != at || end > file_bytes || root >= end) return false;
  if (version >= 2) check_checksum(bytes.first(cursor.position() + 4));
  return true;
}

// Returns whether the file is a tar archive. If its first member is an HDF5 file, the signature is at the end
// of a user block of 512 bytes.
bool is_tar(const Probe& probe) {
  constexpr uint64_t kMark = 257;
  return probe.size() >= 512 && as_text(probe.bytes(kMark, 5)) == "ustar";
}

}  // namespace

std::optional<uint64_t> place_of_superblock(const Probe& probe) {
  if (as_text(probe.first_bytes()).starts_with(kFileSignature)) return 0;
  if (is_tar(probe)) return std::nullopt;
  for (uint64_t at = 512; at + kFileSignature.size() <= probe.size(); at *= 2) {
    if (as_text(probe.bytes(at, kFileSignature.size())) == kFileSignature) return at;
  }
  return std::nullopt;
}

bool has_plain_superblock(const Probe& probe) {
  const std::optional<uint64_t> at = place_of_superblock(probe);
  if (!at) return false;
  try {
    return is_plain(probe.bytes(*at, std::min(kMaxSuperblock, probe.size() - *at)), *at, probe.size());
  } catch (const Error&) {
    return false;
  }
}

}  // namespace plainfs::hdf5
