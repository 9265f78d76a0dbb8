#include "formats/containers/zarr/sharding.h"

#include <algorithm>
#include <limits>

#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/model/arrays/box_runs.h"

namespace plainfs::zarr {
namespace {

constexpr uint64_t kAbsent = std::numeric_limits<uint64_t>::max();

// A part of a value: an inner chunk of a shard.
class PartValue : public Value {
 public:
  PartValue(ValuePtr whole, InnerPlace place) : whole_(std::move(whole)), place_(place) {
    if (checked_add(place.offset, place.size) > whole_->size()) {
      throw damaged("inner chunk of {} bytes at {} is beyond the shard's end at {}", place.size, place.offset,
                    whole_->size());
    }
  }
  uint64_t size() const override { return place_.size; }
  Bytes read(uint64_t offset, uint64_t size) const override {
    if (checked_add(offset, size) > place_.size) {
      throw damaged("{} bytes at {} are beyond the end at {}", size, offset, place_.size);
    }
    return whole_->read(place_.offset + offset, size);
  }
  Bytes read_all() const override { return read(0, place_.size); }

 private:
  ValuePtr whole_;
  InnerPlace place_;
};

struct DecodedShard {
  Bytes bytes;
  size_t allocated_bytes() const { return bytes.capacity(); }
};

// A value in memory. It shares the shard, since the cache may drop it meanwhile.
class MemoryValue : public Value {
 public:
  explicit MemoryValue(std::shared_ptr<const DecodedShard> shard) : shard_(std::move(shard)) {}
  uint64_t size() const override { return shard_->bytes.size(); }
  Bytes read(uint64_t offset, uint64_t size) const override {
    Cursor cursor(shard_->bytes);
    cursor.seek(offset);
    const ByteSpan part = cursor.bytes(size);
    return Bytes(part.begin(), part.end());
  }
  Bytes read_all() const override { return shard_->bytes; }

 private:
  std::shared_ptr<const DecodedShard> shard_;
};

Shape index_shape(const Shape& grid) {
  Shape shape = grid;
  shape.push_back(2);
  return shape;
}

// Converts position and shape from the array's axes to the axes that the sharding sees.
void apply_transposes(const CodecChain& chain, Shape& position, Shape& shape) {
  for (const ArrayStep& step : chain.array_steps) {
    const AxisOrder& order = std::get<Transpose>(step).order;
    position = stored_shape(position, order);
    shape = stored_shape(shape, order);
  }
}

// Returns the number of the inner chunk that holds position, in C order of the grid.
uint64_t number_in(const Shape& grid, const Shape& position, const Shape& chunk_shape) {
  uint64_t number = 0;
  for (size_t d = 0; d < grid.size(); ++d) number = number * grid[d] + position[d] / chunk_shape[d];
  return number;
}

}  // namespace

std::optional<InnerPlace> ShardIndex::find(uint64_t inner_chunk) const {
  const InnerPlace place{values.at(2 * inner_chunk), values.at(2 * inner_chunk + 1)};
  if (place.offset == kAbsent && place.size == kAbsent) return std::nullopt;
  return place;
}

Shape inner_grid(const Sharding& sharding, const Shape& shard_shape) {
  Shape grid(shard_shape.size());
  for (size_t d = 0; d < grid.size(); ++d) {
    if (shard_shape[d] % sharding.chunk_shape[d] != 0) {
      throw damaged("a shard of {} along axis {} is not a multiple of its chunks of {}", shard_shape[d], d,
                    sharding.chunk_shape[d]);
    }
    grid[d] = shard_shape[d] / sharding.chunk_shape[d];
  }
  return grid;
}

ShardIndex read_index(const Sharding& sharding, const Value& shard, const Shape& grid) {
  const Shape shape = index_shape(grid);
  const auto size = encoded_chunk_size(sharding.index, shape);
  if (!size) throw damaged("the index codecs do not have a fixed size");
  if (*size > shard.size())
    throw damaged("a shard of {} bytes is smaller than its index of {}", shard.size(), *size);
  Bytes encoded = shard.read(sharding.index_at_start ? 0 : shard.size() - *size, *size);
  const Elements index = decode_chunk(sharding.index, std::move(encoded), shape);
  const auto values = index.values<uint64_t>();
  return {{values.begin(), values.end()}};
}

Bytes decode_whole_shard(const Sharding& sharding, Bytes shard, const Shape& shard_shape) {
  const MemoryValue value(std::make_shared<const DecodedShard>(DecodedShard{std::move(shard)}));
  const Box inner_chunks = whole(inner_grid(sharding, shard_shape));
  const ShardIndex index = read_index(sharding, value, inner_chunks.extent);
  const uint64_t element_size = sharding.inner.dtype.size;
  const Shape& inner_shape = sharding.chunk_shape;
  const Box inner_box = whole(inner_shape);
  const uint64_t result_bytes = checked_multiply(element_count(shard_shape), element_size);
  check_plausible(value.size(), result_bytes);
  Bytes result(result_bytes);
  const uint64_t count = element_count(inner_chunks.extent);
  for (uint64_t number = 0; number < count; ++number) {
    const auto place = index.find(number);
    // The fill value would have to pass the codecs before the sharding. No writer is known to do this.
    if (!place) throw unsupported("an absent inner chunk in a shard with array-to-array codecs");
    check_encoded_size(sharding.inner, place->size, inner_shape);
    const Elements inner = decode_chunk(sharding.inner, value.read(place->offset, place->size), inner_shape);
    Shape origin = place_in(inner_chunks, number);
    for (size_t d = 0; d < origin.size(); ++d) origin[d] *= inner_shape[d];
    copy_box(element_size, inner.bytes.data(), inner_shape, inner_box, result.data(), shard_shape, origin);
  }
  return result;
}

bool ShardReader::has_levels(const CodecChain& chain) {
  if (!chain.sharding) return false;
  for (const ArrayStep& step : chain.array_steps) {
    if (!std::holds_alternative<Transpose>(step)) return false;
  }
  return true;
}

ShardReader::ShardReader(Context& context, CodecChain& chain, size_t rank) : context_(context) {
  AxisOrder order(rank);
  for (size_t d = 0; d < rank; ++d) order[d] = d;
  while (has_levels(chain)) {
    CodecChain inner = std::move(chain.sharding->inner);
    for (const ArrayStep& step : chain.array_steps)
      order = stored_shape(order, std::get<Transpose>(step).order);
    inner_shape_ = shape_before(chain.sharding->chunk_shape, order);
    levels_.push_back({std::move(chain), context.cache.new_owner(), context.cache.new_owner()});
    chain = std::move(inner);
  }
  if (std::is_sorted(order.begin(), order.end())) return;  // no axis has moved
  std::vector<ArrayStep> steps;
  steps.emplace_back(Transpose{order, chain.dtype.fixed_size() ? chain.dtype.packed_size() : 0});
  for (ArrayStep& step : chain.array_steps) steps.push_back(std::move(step));
  chain.array_steps = std::move(steps);
}

ValuePtr ShardReader::decoded(const Level& level, uint64_t number, ValuePtr shard, const Shape& shape) const {
  if (level.chain.byte_codecs.empty()) return shard;
  const CacheKey key{level.decoded_owner, number};
  return std::make_shared<MemoryValue>(context_.cache.get<DecodedShard>(key, [&] {
    check_encoded_size(level.chain, shard->size(), shape);
    return DecodedShard{undo_byte_codecs(level.chain, shard->read_all(), shape)};
  }));
}

ValuePtr ShardReader::find(ValuePtr shard, uint64_t shard_number, Shape position, Shape shape) const {
  for (const Level& level : levels_) {
    const Sharding& sharding = *level.chain.sharding;
    shard = decoded(level, shard_number, std::move(shard), shape);
    apply_transposes(level.chain, position, shape);
    const Shape grid = inner_grid(sharding, shape);
    const auto index = context_.cache.get<ShardIndex>(CacheKey{level.index_owner, shard_number},
                                                      [&] { return read_index(sharding, *shard, grid); });
    const uint64_t number = number_in(grid, position, sharding.chunk_shape);
    const auto place = index->find(number);
    if (!place) return nullptr;
    shard = std::make_shared<PartValue>(std::move(shard), *place);
    shard_number = checked_add(checked_multiply(shard_number, element_count(grid)), number);
    for (size_t d = 0; d < position.size(); ++d) position[d] %= sharding.chunk_shape[d];
    shape = sharding.chunk_shape;
  }
  return shard;
}

}  // namespace plainfs::zarr
