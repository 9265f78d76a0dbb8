#include "formats/containers/hdf5/cache_image.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "formats/containers/hdf5/object_header.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/error.h"

namespace plainfs::hdf5 {
namespace {

constexpr std::string_view kImageSignature = "MDCI";
constexpr unsigned kImageMessage = 0x0018;

bool is_no_address(uint64_t address, const FileLayout& layout) {
  return address == ~uint64_t{0} >> (64 - 8 * layout.address_size);
}

// Returns the address of the superblock's extension, an object header. Only versions 2 and 3 have one.
std::optional<uint64_t> extension_of(const File& file, const FileLayout& layout) {
  constexpr uint64_t kVersion = 8, kAddresses = 12;  // bytes from the signature on
  const Bytes bytes = read_bytes(file, layout, 0, kAddresses + 2 * layout.address_size, "the superblock");
  if (static_cast<unsigned>(bytes[kVersion]) < 2) return std::nullopt;
  Cursor cursor(bytes);
  cursor.skip(kAddresses + layout.address_size);  // the base address
  const uint64_t extension = address_at(cursor, layout);
  return is_no_address(extension, layout) ? std::nullopt : std::optional(extension);
}

// A stretch of the image, which replaces a stretch of the file.
struct Piece {
  uint64_t offset;  // in the image
  uint64_t size;
};

class ImagedFile : public DerivedFile {
 public:
  // image: the block. Throws damaged if it is invalid.
  ImagedFile(FilePtr file, Bytes image, const FileLayout& layout)
      : DerivedFile(std::move(file)), image_(std::move(image)) {
    find_pieces(layout);
  }

 private:
  void find_pieces(const FileLayout& layout);

  void read(uint64_t offset, std::span<std::byte> out) const override {
    file().read_at(offset, out);
    const uint64_t end = offset + out.size();
    auto piece = pieces_.upper_bound(offset);
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->first < end; ++piece) {
      const auto& [at, stored] = *piece;
      const uint64_t from = std::max(offset, at), to = std::min(end, at + stored.size);
      if (from < to)
        std::memcpy(out.data() + (from - offset), image_.data() + stored.offset + (from - at), to - from);
    }
  }

  const Bytes image_;
  std::map<uint64_t, Piece> pieces_;  // by offset in the file; they do not overlap
};

// Parses the block: signature, version, flags, the size of the rest, the number of entries, the entries, a
// checksum. An entry has type, flags, ring and age, one byte each; three counts of 2 bytes, the last one for
// its parents; a rank of 4 bytes; its address and size; an address for each parent; its bytes.
void ImagedFile::find_pieces(const FileLayout& layout) {
  Cursor cursor(image_);
  if (as_text(cursor.bytes(kImageSignature.size())) != kImageSignature)
    throw damaged("the cache image has no signature");
  if (const unsigned version = cursor.byte(); version != 0)
    throw unsupported("unknown cache image version {}", version);
  cursor.skip(1 + layout.length_size);
  for (uint32_t left = cursor.little<uint32_t>(); left > 0; --left) {
    cursor.skip(8);
    const unsigned parents = cursor.little<uint16_t>();
    cursor.skip(4);
    const uint64_t at = checked_add(address_at(cursor, layout), layout.base_address);
    const uint64_t size = length_at(cursor, layout);
    cursor.skip(uint64_t{parents} * layout.address_size);
    const uint64_t offset = cursor.position();
    cursor.skip(size);
    const auto next = pieces_.lower_bound(at);
    const bool overlaps =
        (next != pieces_.end() && next->first - at < size) ||
        (next != pieces_.begin() && at - std::prev(next)->first < std::prev(next)->second.size);
    if (overlaps) throw damaged("two entries of the cache image overlap at {}", at);
    pieces_.emplace(at, Piece{offset, size});
  }
}

}  // namespace

FilePtr with_cache_image(FilePtr file, const FileLayout& layout) {
  const std::optional<uint64_t> extension = extension_of(*file, layout);
  if (!extension) return file;
  Bytes image;
  for_each_message(*file, layout, *extension, [&](const HeaderMessage& message) {
    if (message.type != kImageMessage) return true;
    Cursor cursor(message.data);
    if (const unsigned version = cursor.byte(); version != 0)
      throw unsupported("unknown cache image message version {}", version);
    const uint64_t address = address_at(cursor, layout);
    const uint64_t size = length_at(cursor, layout);
    if (!is_no_address(address, layout) && size > 0)
      image = read_bytes(*file, layout, address, size, "the cache image");
    return false;
  });
  if (image.empty()) return file;
  return std::make_shared<const ImagedFile>(std::move(file), std::move(image), layout);
}

}  // namespace plainfs::hdf5
