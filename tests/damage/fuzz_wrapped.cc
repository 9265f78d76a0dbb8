// libFuzzer: tar archives and compressed data. The first byte selects: 0: a tar archive, all members of which
// are read; otherwise compressed data, which are decompressed again from each place. An Error is a valid
// outcome. A crash, a hang, a leak or other bytes from a place are not. Build with clang++
// -fsanitize=fuzzer,address,undefined.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "formats/core/base/error.h"
#include "formats/core/unpacked/byte_source.h"
#include "formats/core/unpacked/tar_tree.h"
#include "tests/support/bytes_file.h"

namespace {

using namespace plainfs;
using namespace plainfs::unpacked;

void read_members(const TarTree& tree, const std::string& folder) {
  for (const Entry& entry : tree.list(folder)) {
    const std::string key = folder.empty() ? entry.name : folder + "/" + entry.name;
    if (tree.kind_of(key) != entry.kind) std::abort();
    if (entry.kind == EntryKind::folder) {
      read_members(tree, key);
      continue;
    }
    try {
      const FilePtr file = tree.open(key);
      if (!file) std::abort();
      file->read_at(file->size() - std::min<uint64_t>(file->size(), 100),
                    std::min<uint64_t>(file->size(), 100));
    } catch (const Error&) {
    }
  }
}

// Checks that decompression gives the same bytes from each place.
void decompress(const std::string& input) {
  constexpr size_t kMaxDecompressed = 10 << 20, kPiece = 64 << 10, kSome = 1000;
  const Compression compression = compression_of(as_byte_span(std::string_view(input).substr(0, 8)));
  if (compression == Compression::none) return;
  const auto file = std::make_shared<BytesFile>(input);
  std::vector<SeekPoint> points;
  const auto source = open_source(file, compression, &points);
  Bytes all;
  for (bool is_last = false; !is_last && all.size() < kMaxDecompressed;) {
    Bytes piece(kPiece);
    piece.resize(source->read(piece));
    is_last = piece.size() < kPiece;
    all.insert(all.end(), piece.begin(), piece.end());
  }
  for (const SeekPoint& point : points) {
    if (point.output > all.size()) continue;
    Bytes some(std::min(kSome, all.size() - static_cast<size_t>(point.output)));
    const size_t size = resume_source(file, compression, point)->read(some);
    if (size != some.size() || std::memcmp(some.data(), all.data() + point.output, size) != 0) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string input(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    if (data[0] == 0)
      read_members(TarTree(std::make_shared<BytesFile>(input), "a.tar"), "");
    else
      decompress(input);
  } catch (const Error&) {
  }
  return 0;
}
