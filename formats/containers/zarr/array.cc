#include "formats/containers/zarr/array.h"

#include "formats/core/base/checked.h"

namespace plainfs::zarr {
namespace {

std::optional<ShardReader> shards_of(Context& context, ArrayMetadata& metadata) {
  if (!ShardReader::has_levels(metadata.chain)) return std::nullopt;
  return ShardReader(context, metadata.chain, metadata.grid.rank());
}

ChunkGrid innermost_grid(const ArrayMetadata& metadata, const std::optional<ShardReader>& shards) {
  if (!shards) return metadata.grid;
  return ChunkGrid(metadata.grid.shape(), shards->inner_shape());
}

// About what decoding a chunk takes: as stored, between two codecs where there are several, and decoded.
uint64_t working_bytes(const CodecChain& chain, uint64_t encoded, const Shape& shape) {
  const uint64_t decoded = chain.dtype.fixed_size()
                               ? checked_multiply(element_count(shape), chain.dtype.packed_size())
                               : checked_multiply(encoded, 2);
  const bool several = chain.array_steps.size() + chain.byte_codecs.size() > 1;
  return checked_add(encoded, checked_multiply(decoded, several ? 2 : 1));
}

}  // namespace

std::string ChunkKeys::key(std::span<const uint64_t> chunk, char separator_used) const {
  if (chunk.empty()) return leading_c ? "c" : "0";
  std::string key = leading_c ? "c" : "";
  for (const uint64_t index : chunk) {
    if (!key.empty()) key += separator_used;
    key += std::to_string(index);
  }
  return key;
}

std::shared_ptr<const StoredArray> StoredArray::open(Context& context, KeyStorePtr store, std::string path,
                                                     ArrayMetadata metadata,
                                                     std::function<Attributes()> attributes) {
  auto shards = shards_of(context, metadata);
  return std::shared_ptr<const StoredArray>(new StoredArray(context, std::move(store), std::move(path),
                                                            std::move(metadata), std::move(shards),
                                                            std::move(attributes)));
}

StoredArray::StoredArray(Context& context, KeyStorePtr store, std::string path, ArrayMetadata metadata,
                         std::optional<ShardReader> shards, std::function<Attributes()> attributes)
    : ChunkedArray(context, metadata.chain.dtype, innermost_grid(metadata, shards)),
      store_(std::move(store)),
      path_(std::move(path)),
      keys_(metadata.keys),
      outer_grid_(std::move(metadata.grid)),
      chain_(std::move(metadata.chain)),
      fill_(std::move(metadata.fill)),
      stated_fill_(std::move(metadata.stated_fill)),
      nczarr_(std::move(metadata.nczarr)),
      shards_(std::move(shards)),
      attributes_(std::move(attributes)) {}

Elements StoredArray::absent_chunk() const {
  if (context().options.absent_chunk_is_error) throw damaged("the chunk is absent");
  return fill_;
}

// The stored chunk, or null. key becomes its key, for messages.
ValuePtr StoredArray::open_chunk(std::span<const uint64_t> chunk, std::string& key) const {
  const std::string prefix = path_.empty() ? "" : path_ + "/";
  key = prefix + keys_.key(chunk, keys_.separator);
  ValuePtr value = store_->open_unchanged(key);
  if (value || keys_.separator_is_known || chunk.size() < 2) return value;
  return store_->open_unchanged(prefix + keys_.key(chunk, '/'));
}

ValuePtr StoredArray::open_inner(ValuePtr shard, std::span<const uint64_t> inner,
                                 std::span<const uint64_t> outer) const {
  Shape position(inner.size());
  for (size_t d = 0; d < inner.size(); ++d)
    position[d] = grid().start(d, inner[d]) - outer_grid_.start(d, outer[d]);
  return shards_->find(std::move(shard), outer_grid_.number_of(outer), std::move(position),
                       outer_grid_.chunk_shape(outer));
}

ValuePtr StoredArray::find_chunk(std::span<const uint64_t> chunk, std::string& key) const {
  Shape outer(chunk.begin(), chunk.end());
  if (shards_) {
    for (size_t d = 0; d < outer.size(); ++d) outer[d] = outer_grid_.chunk_at(d, grid().start(d, chunk[d]));
  }
  ValuePtr value = open_chunk(outer, key);
  if (value && shards_) value = open_inner(std::move(value), chunk, outer);
  return value;
}

Elements StoredArray::load_chunk(std::span<const uint64_t> chunk) const {
  std::string key;
  try {
    const ValuePtr value = find_chunk(chunk, key);
    if (!value) return absent_chunk();
    const Shape shape = grid().chunk_shape(chunk);
    check_encoded_size(chain_, value->size(), shape);
    const auto room = context().decode_budget.take(working_bytes(chain_, value->size(), shape));
    return decode_chunk(chain_, value->read_all(), shape);
  } catch (const Error& error) {
    throw error.at(key);
  }
}

std::optional<Elements> StoredArray::load_rows(std::span<const uint64_t> chunk, uint64_t first,
                                               uint64_t count) const {
  std::string key;
  const ValuePtr value = find_chunk(chunk, key);
  if (!value) return std::nullopt;
  const Shape shape = grid().chunk_shape(chunk);
  check_encoded_size(chain_, value->size(), shape);
  const uint64_t row_bytes = element_count(shape) / shape[0] * dtype().size;
  const auto room = context().decode_budget.take(checked_multiply(row_bytes, 4 * count));
  const EncodedSource encoded{value->size(),
                              [&](uint64_t offset, uint64_t size) { return value->read(offset, size); }};
  return decode_rows(chain_, encoded, shape, first, count);
}

}  // namespace plainfs::zarr
