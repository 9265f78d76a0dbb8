// HDF5 metadata that plainfs reads itself: object headers, the tree of chunks, the global heap. Input: the
// widths of addresses and lengths, the offsets of an object header and of a heap (u16 each), the file.
#include <cstring>

#include "formats/containers/hdf5/chunk_btree.h"
#include "formats/containers/hdf5/global_heap.h"
#include "formats/containers/hdf5/object_header.h"
#include "formats/core/base/cursor.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
using namespace plainfs::hdf5;

class InputFile : public File {
 public:
  explicit InputFile(ByteSpan bytes) : File("input", bytes.size(), 1), bytes_(bytes) {}
  void check_unchanged() const override {}

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }
  const ByteSpan bytes_;
};

template <class Read>
void attempt(Read&& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 6) return 0;
  const ByteSpan input = std::as_bytes(std::span(data, size));
  const FileLayout layout{0, data[0] % 2 ? 4u : 8u, data[1] % 2 ? 4u : 8u};
  const uint64_t header = load_little<uint16_t>(input.data() + 2),
                 heap = load_little<uint16_t>(input.data() + 4);
  const auto file = std::make_shared<const InputFile>(input.subspan(6));
  TestContext context(size_t{1} << 20, 0);
  attempt([&] { attribute_names(*file, layout, header); });
  for (const bool in_attributes : {false, true})
    for (const char* reason :
         {"bad version number for layout message", "bad version number for datatype message"})
      attempt([&] { newer_form(*file, layout, header, in_attributes, reason); });
  attempt([&] {
    const ChunkLayout chunks = read_chunk_layout(*file, layout, header);
    if (!chunks.has_btree) return;
    const ChunkBtree tree(*file, layout, context, chunks);
    const Box places{Shape(chunks.chunk_shape.size(), 0), Shape(chunks.chunk_shape.size(), 3)};
    if (places.extent.size() > 4) return;  // 3 to the power of the rank are too many
    for (const PlacedChunk& chunk : tree.find(places)) file->read_at(chunk.stored.offset, chunk.stored.size);
    tree.holds_any(places);
  });
  const GlobalHeap objects(file, layout, context);
  HeapReader reader(objects);
  for (uint32_t index = 0; index < 8; ++index)
    for (const uint64_t bytes : {0, 1, 12}) attempt([&] { reader.read(heap, index, bytes); });
  return 0;
}
