#include "formats/containers/zarr/chain.h"

#include <limits>

#include "formats/containers/zarr/sharding.h"
#include "formats/core/base/checked.h"

namespace plainfs::zarr {
namespace {

// The largest plausible growth of decompressed data: the best compressors reach about 50,000 times. Small
// chunks are not checked.
constexpr uint64_t kMaxGrowth = 65536;
constexpr uint64_t kAlwaysPlausibleBytes = uint64_t{64} << 20;
// How much larger than the elements an encoded form may be. astype may widen one byte to eight. An index of
// inner chunks of one byte each has 16 bytes per chunk.
constexpr uint64_t kMaxOverhead = 32;
constexpr uint64_t kOverheadBytes = uint64_t{1} << 20;

using Size = std::optional<uint64_t>;

uint64_t decoded_bytes(const CodecChain& chain, const Shape& shape) {
  return checked_multiply(element_count(shape), chain.dtype.packed_size());
}

bool fixed_size(const CodecChain& chain) {
  return !chain.object && chain.dtype.fixed_size();
}

// Returns the largest size in bytes that a chunk of this shape may have at any stage.
uint64_t max_bytes(const CodecChain& chain, const Shape& shape) {
  if (!fixed_size(chain)) return kMaxVariableBytes;
  return checked_add(checked_multiply(decoded_bytes(chain, shape), kMaxOverhead), kOverheadBytes);
}

Size after(const CodecPtr& codec, Size before) {
  return before ? codec->encoded_size(*before) : std::nullopt;
}

// Returns the size in bytes before the array steps and after each of them, nullopt after a step of unknown
// size.
std::vector<Size> sizes_of_steps(const CodecChain& chain, const Shape& shape) {
  std::vector<Size> sizes{decoded_bytes(chain, shape)};
  for (const ArrayStep& step : chain.array_steps) {
    const CodecPtr* codec = std::get_if<CodecPtr>(&step);
    sizes.push_back(codec ? after(*codec, sizes.back()) : sizes.back());
  }
  return sizes;
}

// Returns the size in bytes of the serializer's output, nullopt if it is not fixed.
Size serialized_size(const CodecChain& chain, const Shape& shape) {
  if (!fixed_size(chain) || chain.sharding) return std::nullopt;
  return sizes_of_steps(chain, shape).back();
}

Bytes undo(const CodecPtr& codec, Bytes encoded, Size decoded, uint64_t most) {
  if (!decoded) return codec->decode(std::move(encoded), DecodedSize::at_most(most));
  check_plausible(encoded.size(), *decoded);
  return codec->decode(std::move(encoded), DecodedSize::exactly(*decoded));
}

void check_size(uint64_t bytes, Size expected) {
  if (expected && bytes != *expected) throw damaged("{} bytes, expected {}", bytes, *expected);
}

// Returns the input of each array step, then the input of the serializer.
std::vector<ArrayStage> stages_of(const CodecChain& chain, const Shape& shape) {
  std::vector<ArrayStage> stages{{chain.dtype, shape}};
  for (const ArrayStep& step : chain.array_steps) {
    const ArrayStage& before = stages.back();
    if (const auto* transpose = std::get_if<Transpose>(&step)) {
      stages.push_back({before.dtype, stored_shape(before.shape, transpose->order)});
    } else if (const auto* codec = std::get_if<CodecPtr>(&step)) {
      stages.push_back((*codec)->encoded_stage(before));
    } else {
      stages.push_back(before);
    }
  }
  return stages;
}

Elements decode_objects(const CodecChain& chain, ByteSpan serialized, const Shape& shape) {
  const std::vector<ArrayStage> stages = stages_of(chain, shape);
  Elements elements = chain.object->decode(serialized, stages.back().shape);
  if (elements.count != element_count(shape)) {
    throw damaged("{} elements, expected {}", elements.count, element_count(shape));
  }
  for (size_t i = chain.array_steps.size(); i-- > 0;) {
    const auto& transpose = std::get<Transpose>(chain.array_steps[i]);
    elements = transposed_back(chain.dtype, std::move(elements), stages[i].shape, transpose.order);
  }
  return elements;
}

// Undoes the array steps on bytes: the serializer's output, or the numbers of a shard that was decoded whole.
Bytes undo_array_steps(const CodecChain& chain, Bytes bytes, const Shape& shape) {
  const std::vector<ArrayStage> stages = stages_of(chain, shape);
  const std::vector<Size> sizes = sizes_of_steps(chain, shape);
  for (size_t i = chain.array_steps.size(); i-- > 0;) {
    const ArrayStep& step = chain.array_steps[i];
    if (const auto* transpose = std::get_if<Transpose>(&step)) {
      check_size(bytes.size(), sizes[i]);
      bytes = transposed_back(std::move(bytes), transpose->element_size, stages[i].shape, transpose->order);
    } else if (const auto* order = std::get_if<ByteOrder>(&step)) {
      const uint64_t count = bytes.size() / order->stored.size;
      bytes = unpack(order->stored, std::move(bytes), count).bytes;
    } else {
      bytes = undo(std::get<CodecPtr>(step), std::move(bytes), sizes[i], max_bytes(chain, shape));
    }
  }
  return bytes;
}

}  // namespace

CodecChain::CodecChain() = default;
CodecChain::CodecChain(CodecChain&&) noexcept = default;
CodecChain& CodecChain::operator=(CodecChain&&) noexcept = default;
CodecChain::~CodecChain() = default;

void check_plausible(uint64_t encoded_bytes, uint64_t decoded_bytes) {
  if (decoded_bytes > kAlwaysPlausibleBytes && decoded_bytes / kMaxGrowth > encoded_bytes) {
    throw damaged("{} bytes cannot hold {} decoded bytes", encoded_bytes, decoded_bytes);
  }
}

std::optional<uint64_t> encoded_chunk_size(const CodecChain& chain, const Shape& shape) {
  Size size = serialized_size(chain, shape);
  for (const CodecPtr& codec : chain.byte_codecs) size = after(codec, size);
  return size;
}

void check_encoded_size(const CodecChain& chain, uint64_t encoded_bytes, const Shape& shape) {
  check_size(encoded_bytes, encoded_chunk_size(chain, shape));
  if (encoded_bytes > max_bytes(chain, shape))
    throw damaged("{} bytes are too many for the chunk's shape", encoded_bytes);
}

Bytes undo_byte_codecs(const CodecChain& chain, Bytes encoded, const Shape& shape) {
  std::vector<Size> sizes{serialized_size(chain, shape)};
  for (const CodecPtr& codec : chain.byte_codecs) sizes.push_back(after(codec, sizes.back()));
  check_size(encoded.size(), sizes.back());
  for (size_t i = chain.byte_codecs.size(); i-- > 0;) {
    encoded = undo(chain.byte_codecs[i], std::move(encoded), sizes[i], max_bytes(chain, shape));
  }
  return encoded;
}

Elements decode_chunk(const CodecChain& chain, Bytes encoded, const Shape& shape) {
  Bytes bytes = undo_byte_codecs(chain, std::move(encoded), shape);
  if (chain.object) return decode_objects(chain, bytes, shape);
  if (chain.sharding) {
    bytes = decode_whole_shard(*chain.sharding, std::move(bytes), stages_of(chain, shape).back().shape);
  }
  bytes = undo_array_steps(chain, std::move(bytes), shape);
  return unpack(chain.stored, std::move(bytes), element_count(shape));
}

std::optional<Elements> decode_rows(const CodecChain& chain, const EncodedSource& encoded, const Shape& shape,
                                    uint64_t first, uint64_t count) {
  if (!fixed_size(chain) || chain.sharding || !chain.array_steps.empty() || chain.byte_codecs.size() > 1)
    return std::nullopt;
  const uint64_t row_elements = element_count(Shape(shape.begin() + 1, shape.end()));
  const uint64_t row_bytes = checked_multiply(row_elements, chain.stored.size);
  const uint64_t all_bytes = checked_multiply(row_bytes, shape[0]);
  if (serialized_size(chain, shape) != all_bytes) return std::nullopt;
  std::optional<Bytes> rows =
      chain.byte_codecs.empty()
          ? encoded.read(first * row_bytes, count * row_bytes)
          : chain.byte_codecs[0]->decode_part(encoded, all_bytes, first * row_bytes, count * row_bytes);
  if (!rows) return std::nullopt;
  return unpack(chain.stored, std::move(*rows), count * row_elements);
}

}  // namespace plainfs::zarr
