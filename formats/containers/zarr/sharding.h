// Shards: chunks that are files of inner chunks. One inner chunk is read with the shard's index, which is
// read once and cached, and one more read; shards inside shards likewise. Only where bytes -> bytes codecs
// stand around a shard is the shard decoded whole (and cached).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/containers/zarr/chain.h"
#include "formats/core/base/key_store.h"
#include "formats/core/model/context.h"

namespace plainfs::zarr {

// Where an inner chunk stands in its shard, in bytes from the shard's start.
struct InnerPlace {
  uint64_t offset;
  uint64_t size;
};

// The places of all inner chunks of a shard, in C order.
struct ShardIndex {
  std::vector<uint64_t> values;  // offset, size, offset, size, …; both 2^64 - 1 = absent

  std::optional<InnerPlace> find(uint64_t inner_chunk) const;
  size_t allocated_bytes() const { return values.capacity() * sizeof(uint64_t); }
};

// Inner chunks along each axis of a shard of that shape (after the array steps).
Shape inner_grid(const Sharding& sharding, const Shape& shard_shape);

// Throws damaged where the index is not whole.
ShardIndex read_index(const Sharding& sharding, const Value& shard, const Shape& grid);

// All numbers of a shard in native byte order and C order; for array -> array codecs before the sharding,
// which see the whole. Requires: numbers.
Bytes decode_whole_shard(const Sharding& sharding, Bytes shard, const Shape& shard_shape);

// Finds the bytes of inner chunks of one array through all the levels of its sharding.
class ShardReader {
 public:
  // Takes the levels of sharding off the chain, as far as they allow partial reads. Requires:
  // has_levels(chain). chain is left as the chain of the innermost chunks, whose elements are in the array's
  // own axis order.
  ShardReader(Context& context, CodecChain& chain, size_t rank);
  static bool has_levels(const CodecChain& chain);

  // The shape of the innermost chunks along the array's axes.
  const Shape& inner_shape() const { return inner_shape_; }

  // The bytes of the inner chunk that begins at element `position` of the shard, or null where it is absent.
  // shard_shape: of the whole shard, along the array's axes. shard_number: which shard of the array it is.
  ValuePtr find(ValuePtr shard, uint64_t shard_number, Shape position, Shape shard_shape) const;

 private:
  struct Level {
    CodecChain chain;  // with sharding
    uint64_t index_owner;
    uint64_t decoded_owner;
  };
  ValuePtr decoded(const Level& level, uint64_t number, ValuePtr shard, const Shape& shape) const;

  Context& context_;
  std::vector<Level> levels_;  // the outermost first
  Shape inner_shape_;
};

}  // namespace plainfs::zarr
