#include "fs/commands/one_file/gzip_stream.h"

#include <algorithm>

#include "cache/in_order.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/compress.h"

namespace plainfs {
namespace {

constexpr uint64_t kGzipPiece = 1 << 20;  // bytes deflated together

struct GzipPiece {
  Bytes deflated;
  uint32_t crc;
  uint64_t size;  // before compression
};

}  // namespace

uint64_t write_gzip(Filesystem& filesystem, Workers& workers, const Copy& copy, int level, PartFile& output,
                    const std::function<void(uint64_t)>& wrote) {
  const OpenFile file = filesystem.open(copy.inode);
  uint64_t size = 0;
  uint32_t crc = 0;
  const auto put = [&](ByteSpan bytes) {
    output.write_at(size, bytes);
    size += bytes.size();
  };
  put(as_byte_span(kGzipHeader));
  InOrder<GzipPiece>::run(
      workers, divide_up(copy.size, kGzipPiece),
      [&](size_t number) {
        const uint64_t first = number * kGzipPiece, wanted = std::min(kGzipPiece, copy.size - first);
        const Slices slices = filesystem.read(file, first, wanted);
        if (slices.size() != wanted)
          throw damaged("{} bytes at {}, expected {}", slices.size(), first, wanted);
        Bytes bytes(wanted);
        slices.copy_to(bytes);
        return GzipPiece{deflated_part(bytes, level), gzip_crc(bytes), wanted};
      },
      [&](size_t, GzipPiece piece) {
        put(piece.deflated);
        crc = joined_gzip_crc(crc, piece.crc, piece.size);
        wrote(piece.size);
      });
  put(as_byte_span(kDeflateEnd));
  put(as_byte_span(gzip_trailer(crc, copy.size)));
  return size;
}

}  // namespace plainfs
