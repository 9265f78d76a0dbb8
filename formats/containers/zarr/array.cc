#include "formats/containers/zarr/array.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/box_runs.h"

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

// Returns the approximate memory that decoding a chunk takes: the stored bytes, the decoded bytes, and the
// bytes between two codecs if there are several.
uint64_t working_bytes(const CodecChain& chain, uint64_t encoded, const Shape& shape) {
  const uint64_t decoded = chain.dtype.fixed_size()
                               ? checked_multiply(element_count(shape), chain.dtype.packed_size())
                               : checked_multiply(encoded, 2);
  const bool several = chain.array_steps.size() + chain.byte_codecs.size() > 1;
  return checked_add(encoded, checked_multiply(decoded, several ? 2 : 1));
}

}  // namespace

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
      fill_error_(std::move(metadata.fill_error)),
      shards_(std::move(shards)),
      presence_owner_(context.cache.new_owner()),
      attributes_(std::move(attributes)) {
  announce_sizes();
}

// Announces the sizes of the chunks to a server, as far as they follow from the shape: an encoder that does
// not compress adds a few bytes to a chunk.
void StoredArray::announce_sizes() const {
  constexpr uint64_t kOverhead = 1024, kLargest = uint64_t{1} << 40;
  if (!store_->is_remote() || shards_ || !chain_.dtype.fixed_size()) return;
  uint64_t bytes = chain_.dtype.packed_size();
  for (const uint64_t length : grid().chunk_shape(Shape(grid().rank(), 0)))
    bytes = length > kLargest / std::max<uint64_t>(bytes, 1) ? kLargest : bytes * length;
  store_->expect_sizes(path_, bytes + kOverhead);
}

Elements StoredArray::absent_chunk() const {
  if (context().options.absent_chunk_is_error) throw damaged("the chunk is absent");
  if (fill_error_) throw fill_error_->at("the chunk is absent");
  return fill_;
}

// Returns the chunk if it is stored under the key that keys spell, null if not or if that key is stated, the
// key according to the metadata.
ValuePtr StoredArray::open_as(const ChunkKeys& keys, std::span<const uint64_t> chunk,
                              const std::string& stated) const {
  const std::string key = zarr::key_of(path_, keys.key(chunk));
  if (key == stated) return nullptr;
  const size_t slash = key.rfind('/');
  const bool is_nested = slash != key.npos && slash > path_.size();
  if (is_nested && !store_->is_remote() && !store_->has_folder(key.substr(0, slash))) return nullptr;
  if (!store_->open(key)) return nullptr;
  if (!has_other_.exchange(true, std::memory_order_relaxed) && keys_.separator_is_known)
    context().notice(fmt::format(
        "{}: the name of this chunk should be {} by the metadata; the file with the other separator is read",
        key, stated));
  return store_->open_unchanged(key);
}

// Returns the stored chunk, null if it is absent. Sets key to its key, for messages.
ValuePtr StoredArray::open_chunk(std::span<const uint64_t> chunk, std::string& key) const {
  key = zarr::key_of(path_, keys_.key(chunk));
  ValuePtr value = store_->open_unchanged(key);
  if (value) {
    has_stated_.store(true, std::memory_order_relaxed);
    return value;
  }
  // A request to a server is slow: one chunk found under the key of the metadata settles the spelling for
  // all.
  const bool is_settled = has_stated_.load(std::memory_order_relaxed);
  if (is_settled && store_->is_remote()) return nullptr;
  for (const ChunkKeys& keys : keys_.others())
    if ((value = open_as(keys, chunk, key))) {
      key = zarr::key_of(path_, keys.key(chunk));
      return value;
    }
  const bool has_any = is_settled || has_other_.load(std::memory_order_relaxed);
  if (!has_any && !store_->is_remote()) check_no_strangers();
  return value;
}

// Throws damaged if the array's folder has files named like chunks, but none with a key of this array.
void StoredArray::check_no_strangers() const {
  const std::optional<Error>& strangers = strangers_.get([this]() -> std::optional<Error> {
    const size_t rank = grid().rank();
    std::vector<ChunkKeys> spellings = keys_.others();
    spellings.push_back(keys_);
    bool has_own = false;
    std::string stranger;
    const auto look = [&](const Entry& entry) {
      has_own = std::any_of(spellings.begin(), spellings.end(),
                            [&](const ChunkKeys& keys) { return keys.may_be(entry, rank); });
      if (!has_own && looks_like_chunk(entry.name)) stranger = entry.name;
      return !has_own;
    };
    store_->visit(path_, look);
    if (has_own || stranger.empty()) return std::nullopt;
    return damaged("no chunk has a key that matches the metadata; found {}", stranger);
  });
  if (strangers) throw *strangers;
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
    if (!shards_) throw error.at(key);
    throw error.at(fmt::format("chunk ({}) in the shard {}", fmt::join(chunk, ", "), key));
  }
}

namespace {

struct Presence {
  bool is_absent;
  size_t allocated_bytes() const { return 0; }
};

}  // namespace

bool StoredArray::is_absent(std::span<const uint64_t> outer) const {
  return context()
      .cache
      .get<Presence>({presence_owner_, outer_grid_.number_of(outer)},
                     [&] {
                       std::string key;
                       return Presence{!open_chunk(outer, key)};
                     })
      ->is_absent;
}

// Asks for each shard once. A server is not asked, since the read that follows asks it again.
std::optional<Elements> StoredArray::absent(const Box& box) const try {
  constexpr uint64_t kMaxShards = 1024;
  if (!shards_ || store_->is_remote() || fill_error_ || context().options.absent_chunk_is_error ||
      element_count(box.extent) == 0)
    return std::nullopt;
  Box shards{Shape(outer_grid_.rank()), Shape(outer_grid_.rank())};
  for (size_t d = 0; d < outer_grid_.rank(); ++d) {
    shards.origin[d] = outer_grid_.chunk_at(d, box.origin[d]);
    shards.extent[d] = outer_grid_.chunk_at(d, box.origin[d] + box.extent[d] - 1) - shards.origin[d] + 1;
  }
  const uint64_t count = element_count(shards.extent);
  if (count > kMaxShards) return std::nullopt;
  for (uint64_t i = 0; i < count; ++i)
    if (!is_absent(place_in(shards, i))) return std::nullopt;
  return fill_;
} catch (const Error&) {
  return std::nullopt;  // load_chunk reports the error
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
