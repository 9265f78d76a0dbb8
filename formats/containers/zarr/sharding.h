// Shards: chunks that are files of inner chunks. Reading an inner chunk takes the shard's index, which is
// read once and cached, and one more read. Shards inside shards are read in this way too. A shard is decoded
// whole, and cached, only if it is inside bytes -> bytes codecs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/containers/zarr/chain.h"
#include "formats/core/base/key_store.h"
#include "formats/core/model/context.h"

namespace plainfs::zarr {

// The position of an inner chunk in its shard, in bytes from the shard's start.
struct InnerPlace {
  uint64_t offset;
  uint64_t size;
};

// The positions of all inner chunks of a shard, in C order.
struct ShardIndex {
  std::vector<uint64_t> values;  // offset, size, offset, size, …; both 2^64 - 1 = absent

  std::optional<InnerPlace> find(uint64_t inner_chunk) const;
  size_t allocated_bytes() const { return values.capacity() * sizeof(uint64_t); }
};

// Returns the number of inner chunks along each axis of a shard of this shape (after the array steps). Throws
// damaged if they do not divide it.
Shape inner_grid(const Sharding& sharding, const Shape& shard_shape);

// Reads the index of a shard. Throws damaged if it is invalid.
ShardIndex read_index(const Sharding& sharding, const Value& shard, const Shape& grid);

// Decodes all numbers of a shard in native byte order and C order, for array -> array codecs before the
// sharding, which need the whole shard. Requires: numbers.
Bytes decode_whole_shard(const Sharding& sharding, Bytes shard, const Shape& shard_shape);

// Finds the bytes of inner chunks of one array through all levels of its sharding.
class ShardReader {
 public:
  // Moves the levels of sharding out of chain, as far as they allow partial reads. Leaves in chain the chain
  // of the innermost chunks, with elements in the array's own axis order. Requires: has_levels(chain).
  ShardReader(Context& context, CodecChain& chain, size_t rank);
  static bool has_levels(const CodecChain& chain);

  // Returns the shape of the innermost chunks along the array's axes.
  const Shape& inner_shape() const { return inner_shape_; }

  // Returns the bytes of the inner chunk that begins at element `position` of the shard, null if it is
  // absent. shard_shape: of the whole shard, along the array's axes. shard_number: the shard's number in the
  // array.
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
