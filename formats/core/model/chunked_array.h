// An array that a container keeps in chunks on a grid. A container implements load_chunk(); read() puts boxes
// together from whole chunks, each decoded once and kept in the cache, several of them in parallel.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

// Where the chunks of an array begin along each axis: steps of one length, or a list of lengths (Zarr's
// rectilinear grids). Only chunks that hold elements of the array count.
class ChunkGrid {
 public:
  // Every axis in equal steps, the last chunk of an axis may hang over. Throws damaged where the ranks
  // differ, a step is 0, or there are over 2^64 chunks.
  ChunkGrid(Shape shape, Shape chunk_shape);
  // lengths[d]: the chunk lengths along axis d; an empty list = equal steps of steps[d]. Throws damaged as
  // above, and where the lengths do not cover the axis.
  ChunkGrid(Shape shape, Shape steps, std::vector<std::vector<uint64_t>> lengths);

  size_t rank() const { return shape_.size(); }
  uint64_t chunks_along(size_t axis) const;
  uint64_t chunk_count() const;  // of the whole grid; 1 at rank 0
  // The chunk that holds element i of the axis.
  uint64_t chunk_at(size_t axis, uint64_t i) const;
  uint64_t start(size_t axis, uint64_t chunk) const;
  uint64_t length(size_t axis, uint64_t chunk) const;        // as stored: may hang over the array's end
  Shape chunk_shape(std::span<const uint64_t> chunk) const;  // as stored
  Shape typical_chunk_shape() const;
  uint64_t number_of(std::span<const uint64_t> chunk) const;  // its place in C order
  const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
  Shape steps_;
  std::vector<std::vector<uint64_t>> starts_;  // per axis: empty, or chunks + 1 starts, the first 0
};

class ChunkedArray : public Array {
 public:
  ChunkedArray(Context& context, DType dtype, ChunkGrid grid, bool column_major = false);

  // Where load_rows reads nothing else, only a few rows are read the first few times that a chunk is touched:
  // what is scattered costs no more than it is.
  Elements read(const Box& box) const final;
  // The first few times that a large chunk is touched only the rows are decoded, where load_rows can.
  Elements peek(const Box& box) const final;
  std::optional<Elements> repeated(const Box& box) const final;
  // Drops the chunks that end in the box.
  void passed(const Box& box) const final;
  Shape chunk_shape() const override { return grid_.typical_chunk_shape(); }
  // Numbers are as they are stored: where some of them mean nothing, another array is derived.
  bool may_be_missing() const override {
    return !dtype().is_integer() && dtype().kind != Kind::real && dtype().kind != Kind::boolean;
  }
  const ChunkGrid& grid() const { return grid_; }

 protected:
  // All elements of the chunk in C order, product(grid().chunk_shape(chunk)) of them, overhang included; or
  // one element alone that stands for all of them (an absent chunk), so that a chunk of any size that holds
  // nothing costs nothing. Called without a lock, from any thread, once per chunk while the cache holds it.
  virtual Elements load_chunk(std::span<const uint64_t> chunk) const = 0;
  // That the chunks of box are going to be loaded, several at a time.
  virtual void will_load(const Box&) const {}
  // The one element that stands for all of box, where it is known without a look at each chunk that nothing
  // of it is stored.
  virtual std::optional<Elements> absent(const Box&) const { return std::nullopt; }
  // Rows [first, first + count) along the chunk's first axis, where they can be had for much less than the
  // whole chunk; nullopt where they cannot, and where only load_chunk can tell what is wrong.
  virtual std::optional<Elements> load_rows(std::span<const uint64_t>, uint64_t, uint64_t) const {
    return std::nullopt;
  }
  // Whether load_rows reads and decodes nothing else.
  virtual bool loads_rows_alone() const { return false; }
  Context& context() const { return context_; }

 private:
  Elements read(const Box& box, bool in_passing) const;
  std::optional<Elements> first_rows(std::span<const uint64_t> chunk, const Box& inside) const;
  bool touch(uint64_t number) const;
  Elements load_checked(std::span<const uint64_t> chunk) const;
  CacheKey key_of(std::span<const uint64_t> chunk) const { return {cache_owner_, grid_.number_of(chunk)}; }
  std::shared_ptr<const Elements> chunk(std::span<const uint64_t> chunk) const;
  std::shared_ptr<const Elements> chunk_unless_loading(std::span<const uint64_t> chunk) const;

  Context& context_;
  ChunkGrid grid_;
  uint64_t cache_owner_;
  // Which chunks were touched lately and how often: one that is wanted again and again is decoded whole. What
  // two chunks of one slot or two threads do to each other costs time only.
  static constexpr uint64_t kTouches = 3;
  mutable std::array<std::atomic<uint64_t>, 64> touched_{};
};

}  // namespace plainfs
