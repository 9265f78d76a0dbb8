// An array that a container stores in chunks on a grid. A container implements load_chunk(). read() assembles
// boxes from whole chunks. Each chunk is decoded once and kept in the cache, several in parallel.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

// The positions where the chunks of an array begin along each axis: steps of one length, or a list of lengths
// (Zarr's rectilinear grids). Only chunks that contain elements of the array count.
class ChunkGrid {
 public:
  // Creates a grid with equal steps on every axis. The last chunk of an axis may exceed the array. Throws
  // damaged if the ranks differ, a step is 0, or there are over 2^64 chunks.
  ChunkGrid(Shape shape, Shape chunk_shape);
  // lengths[d]: the chunk lengths along axis d; an empty list = equal steps of steps[d]. Throws damaged like
  // the constructor above, and if the lengths do not cover the axis.
  ChunkGrid(Shape shape, Shape steps, std::vector<std::vector<uint64_t>> lengths);

  size_t rank() const { return shape_.size(); }
  uint64_t chunks_along(size_t axis) const;
  uint64_t chunk_count() const;  // of the whole grid; 1 at rank 0
  // Returns the chunk that contains element i of the axis.
  uint64_t chunk_at(size_t axis, uint64_t i) const;
  uint64_t start(size_t axis, uint64_t chunk) const;
  uint64_t length(size_t axis, uint64_t chunk) const;        // as stored: may exceed the array's end
  Shape chunk_shape(std::span<const uint64_t> chunk) const;  // as stored
  Shape typical_chunk_shape() const;
  uint64_t number_of(std::span<const uint64_t> chunk) const;  // its number in C order
  const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
  Shape steps_;
  std::vector<std::vector<uint64_t>> starts_;  // per axis: empty, or chunks + 1 starts, the first 0
};

class ChunkedArray : public Array {
 public:
  ChunkedArray(Context& context, DType dtype, ChunkGrid grid, bool column_major = false);

  // Reads a box. If load_rows reads nothing else, only a few rows are read at the first few accesses to a
  // chunk, so that scattered accesses cost no more than they need.
  Elements read(const Box& box) const final;
  // Reads a box. At the first few accesses to a large chunk only the rows are decoded, if load_rows can do
  // that.
  Elements peek(const Box& box) const final;
  std::optional<Elements> repeated(const Box& box) const final;
  // Drops the chunks that end in the box.
  void release(const Box& box) const final;
  Shape chunk_shape() const override { return grid_.typical_chunk_shape(); }
  // Returns false for numbers, which have no missing values as stored. If some numbers stand for missing
  // values, another array is derived.
  bool may_be_missing() const override {
    return !dtype().is_integer() && dtype().kind != Kind::real && dtype().kind != Kind::boolean;
  }
  const ChunkGrid& grid() const { return grid_; }

 protected:
  // Returns all elements of the chunk in C order: product(grid().chunk_shape(chunk)) of them, overhang
  // included. Or returns a single element that stands for all of them (an absent chunk), so that an empty
  // chunk of any size costs nothing. Called without a lock, from any thread, once per chunk while the cache
  // holds it. Errors name the chunk as the container's own tools do.
  virtual Elements load_chunk(std::span<const uint64_t> chunk) const = 0;
  // Announces that the chunks of the box will be loaded, several at a time.
  virtual void will_load(const Box&) const {}
  // Returns the single element that stands for the whole box, if it is known that no part of the box is
  // stored without examining each chunk.
  virtual std::optional<Elements> absent(const Box&) const { return std::nullopt; }
  // Returns rows [first, first + count) along the chunk's first axis, if they cost much less than the whole
  // chunk. Returns nullopt otherwise, and if only load_chunk can report the error.
  virtual std::optional<Elements> load_rows(std::span<const uint64_t>, uint64_t, uint64_t) const {
    return std::nullopt;
  }
  // Returns whether load_rows reads and decodes nothing else.
  virtual bool loads_rows_alone() const { return false; }
  Context& context() const { return context_; }

 private:
  Elements read(const Box& box, bool sequential) const;
  std::optional<Elements> first_rows(std::span<const uint64_t> chunk, const Box& inside) const;
  bool touch(uint64_t number) const;
  Elements load_checked(std::span<const uint64_t> chunk) const;
  CacheKey key_of(std::span<const uint64_t> chunk) const { return {cache_owner_, grid_.number_of(chunk)}; }
  std::shared_ptr<const Elements> chunk(std::span<const uint64_t> chunk) const;
  std::shared_ptr<const Elements> chunk_unless_loading(std::span<const uint64_t> chunk) const;

  Context& context_;
  ChunkGrid grid_;
  uint64_t cache_owner_;
  // The chunks accessed recently, with the number of accesses: a chunk that is used repeatedly is decoded
  // whole. Collisions of two chunks in a slot or of two threads cost time only.
  static constexpr uint64_t kTouches = 3;
  mutable std::array<std::atomic<uint64_t>, 64> touched_{};
};

}  // namespace plainfs
