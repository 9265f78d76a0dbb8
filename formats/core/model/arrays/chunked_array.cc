#include "formats/core/model/arrays/chunked_array.h"

#include <algorithm>

#include "cache/mutex.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/assembly.h"
#include "formats/core/model/arrays/box_runs.h"

namespace plainfs {

namespace {

// Returns the starts of the chunks along an axis that contain its elements, and their end.
std::vector<uint64_t> starts_of(const std::vector<uint64_t>& lengths, uint64_t axis_length) {
  std::vector<uint64_t> starts{0};
  for (const uint64_t length : lengths) {
    if (starts.back() >= axis_length) break;
    if (length == 0) throw damaged("the chunk length is 0");
    starts.push_back(checked_add(starts.back(), length));
  }
  if (starts.back() < axis_length) {
    throw damaged("the chunk lengths add up to {} for an axis of {}", starts.back(), axis_length);
  }
  return starts;
}

// Returns the chunks that a box touches, as a box of the grid of chunks.
Box chunks_of(const ChunkGrid& grid, const Box& box) {
  Box chunks{Shape(grid.rank()), Shape(grid.rank())};
  for (size_t d = 0; d < grid.rank(); ++d) {
    chunks.origin[d] = grid.chunk_at(d, box.origin[d]);
    chunks.extent[d] = grid.chunk_at(d, box.origin[d] + box.extent[d] - 1) - chunks.origin[d] + 1;
  }
  return chunks;
}

// The part of a box in one chunk.
struct Overlap {
  Box inside;    // relative to the chunk
  Shape in_box;  // its origin, relative to the box
};

Overlap overlap_of(const ChunkGrid& grid, const Shape& chunk, const Box& box) {
  const size_t rank = grid.rank();
  Overlap overlap{{Shape(rank), Shape(rank)}, Shape(rank)};
  for (size_t d = 0; d < rank; ++d) {
    const uint64_t start = grid.start(d, chunk[d]);
    const uint64_t first = std::max(start, box.origin[d]);
    overlap.inside.origin[d] = first - start;
    overlap.in_box[d] = first - box.origin[d];
    overlap.inside.extent[d] =
        std::min(box.extent[d] - overlap.in_box[d], grid.length(d, chunk[d]) - (first - start));
  }
  return overlap;
}

// Returns whether a chunk was loaded as a single element that stands for all.
bool stands_for_all(const Elements& elements, const Shape& chunk_shape) {
  return elements.count == 1 && element_count(chunk_shape) != 1;
}

}  // namespace

ChunkGrid::ChunkGrid(Shape shape, Shape chunk_shape)
    : ChunkGrid(std::move(shape), std::move(chunk_shape), {}) {}

ChunkGrid::ChunkGrid(Shape shape, Shape steps, std::vector<std::vector<uint64_t>> lengths)
    : shape_(std::move(shape)), steps_(std::move(steps)), starts_(shape_.size()) {
  if (steps_.size() != shape_.size() || (!lengths.empty() && lengths.size() != shape_.size())) {
    throw damaged("chunks of rank {} for an array of rank {}", steps_.size(), shape_.size());
  }
  for (size_t d = 0; d < lengths.size(); ++d) {
    if (lengths[d].empty()) continue;
    starts_[d] = starts_of(lengths[d], shape_[d]);
    steps_[d] = lengths[d].front();
  }
  for (const uint64_t step : steps_) {
    if (step == 0) throw damaged("the chunk length is 0");
  }
  chunk_count();  // so that every chunk has a number
}

uint64_t ChunkGrid::chunks_along(size_t axis) const {
  return starts_[axis].empty() ? divide_up(shape_[axis], steps_[axis]) : starts_[axis].size() - 1;
}

uint64_t ChunkGrid::chunk_count() const {
  Shape chunks(rank());
  for (size_t d = 0; d < rank(); ++d) chunks[d] = chunks_along(d);
  return element_count(chunks);
}

uint64_t ChunkGrid::chunk_at(size_t axis, uint64_t i) const {
  const std::vector<uint64_t>& starts = starts_[axis];
  if (starts.empty()) return i / steps_[axis];
  return static_cast<uint64_t>(std::upper_bound(starts.begin(), starts.end(), i) - starts.begin()) - 1;
}

uint64_t ChunkGrid::start(size_t axis, uint64_t chunk) const {
  return starts_[axis].empty() ? chunk * steps_[axis] : starts_[axis][chunk];
}

uint64_t ChunkGrid::length(size_t axis, uint64_t chunk) const {
  return starts_[axis].empty() ? steps_[axis] : starts_[axis][chunk + 1] - starts_[axis][chunk];
}

Shape ChunkGrid::chunk_shape(std::span<const uint64_t> chunk) const {
  Shape lengths(rank());
  for (size_t d = 0; d < rank(); ++d) lengths[d] = length(d, chunk[d]);
  return lengths;
}

Shape ChunkGrid::typical_chunk_shape() const {
  return steps_;
}

uint64_t ChunkGrid::number_of(std::span<const uint64_t> chunk) const {
  uint64_t number = 0;
  for (size_t d = 0; d < rank(); ++d) number = number * chunks_along(d) + chunk[d];
  return number;
}

ChunkedArray::ChunkedArray(Context& context, DType dtype, ChunkGrid grid, bool column_major)
    : Array(std::move(dtype), grid.shape(), column_major),
      context_(context),
      grid_(std::move(grid)),
      cache_owner_(context.cache.new_owner()) {}

Elements ChunkedArray::read(const Box& box) const {
  return read(box, false);
}

Elements ChunkedArray::peek(const Box& box) const {
  return read(box, true);
}

Elements ChunkedArray::read(const Box& box, bool sequential) const {
  check_inside(box, shape());
  if (element_count(box.extent) == 0) return zero_elements(dtype(), 0);
  const Box chunks = chunks_of(grid_, box);
  const uint64_t chunk_count = element_count(chunks.extent);
  const bool may_take_rows = sequential || loads_rows_alone();
  if (chunk_count > 1 || may_take_rows)
    if (const std::optional<Elements> one = absent(box))
      return repeated_element(dtype(), *one, element_count(box.extent));
  if (chunk_count == 1 && !may_take_rows) {
    const auto elements = chunk(chunks.origin);
    const Shape chunk_shape = grid_.chunk_shape(chunks.origin);
    if (stands_for_all(*elements, chunk_shape))
      return repeated_element(dtype(), *elements, element_count(box.extent));
    return cut(dtype(), *elements, chunk_shape, overlap_of(grid_, chunks.origin, box).inside);
  }
  Assembly assembly(dtype(), box.extent);
  const auto place = [&](const Shape& at, const Elements& elements) {
    const Overlap overlap = overlap_of(grid_, at, box);
    const Shape chunk_shape = grid_.chunk_shape(at);
    if (stands_for_all(elements, chunk_shape)) {
      const Shape& extent = overlap.inside.extent;
      assembly.place(repeated_element(dtype(), elements, element_count(extent)), extent, whole(extent),
                     overlap.in_box);
    } else {
      assembly.place(elements, chunk_shape, overlap.inside, overlap.in_box);
    }
  };
  const auto place_first_rows = [&](const Shape& at) {
    const Overlap overlap = overlap_of(grid_, at, box);
    const std::optional<Elements> rows = first_rows(at, overlap.inside);
    if (!rows) return false;
    Shape rows_shape = grid_.chunk_shape(at);
    Box inside = overlap.inside;
    rows_shape[0] = inside.extent[0];
    inside.origin[0] = 0;
    assembly.place(*rows, rows_shape, inside, overlap.in_box);
    return true;
  };
  if (chunk_count > 1) will_load(box);
  // Concurrent readers of adjacent boxes need the same chunks: each loads chunks that the other does not.
  Mutex mutex;
  std::vector<Shape> loaded_by_others;  // guarded by mutex
  context_.workers.parallel_for(chunk_count, [&](size_t i) {
    const Shape at = place_in(chunks, i);
    if (may_take_rows && place_first_rows(at)) return;
    // Released at once: besides the cache, memory holds only as many chunks as there are threads.
    if (const auto elements = chunk_unless_loading(at)) return place(at, *elements);
    const MutexLock lock(mutex);
    loaded_by_others.push_back(at);
  });
  for (const Shape& at : loaded_by_others) place(at, *chunk(at));
  return assembly.finish();
}

// Returns the rows that `inside` needs of a chunk, if the chunk is not worth decoding for them; else nullopt.
std::optional<Elements> ChunkedArray::first_rows(std::span<const uint64_t> chunk, const Box& inside) const {
  constexpr uint64_t kLargeChunk = 1 << 20, kFewRows = 8;  // bytes; one row in this many
  const Shape chunk_shape = grid_.chunk_shape(chunk);
  if (chunk_shape.empty() || inside.extent[0] > chunk_shape[0] / kFewRows ||
      layout_of(dtype()) != Layout::flat)
    return std::nullopt;
  const auto is_large = [&] {
    return element_count(chunk_shape) >= kLargeChunk / std::max<uint64_t>(dtype().size, 1);
  };
  if (!loads_rows_alone() && !is_large()) return std::nullopt;
  const bool wanted_again = touch(grid_.number_of(chunk));
  if (wanted_again || context_.cache.held<Elements>(key_of(chunk))) return std::nullopt;
  std::optional<Elements> rows;
  try {
    rows = load_rows(chunk, inside.origin[0], inside.extent[0]);
  } catch (const Error&) {
    return std::nullopt;  // load_chunk reports the error for the whole chunk
  }
  if (!rows) return rows;
  check_layout(dtype(), *rows, element_count(chunk_shape) / chunk_shape[0] * inside.extent[0]);
  context_.counters.bytes_decoded.fetch_add(rows->allocated_bytes(), std::memory_order_relaxed);
  return rows;
}

// Returns whether the chunk was accessed several times recently.
bool ChunkedArray::touch(uint64_t number) const {
  std::atomic<uint64_t>& slot = touched_[number % touched_.size()];
  const uint64_t first = number * (kTouches + 1) + 1;
  const uint64_t before = slot.load(std::memory_order_relaxed);
  const bool is_first = before < first || before > first + kTouches;
  if (!is_first && before == first + kTouches) return true;
  slot.store(is_first ? first + 1 : before + 1, std::memory_order_relaxed);
  return false;
}

std::optional<Elements> ChunkedArray::repeated(const Box& box) const {
  check_inside(box, shape());
  if (std::optional<Elements> absent = this->absent(box)) return absent;
  const Box chunks = chunks_of(grid_, box);
  const uint64_t chunk_count = element_count(chunks.extent);
  std::shared_ptr<const Elements> one;
  for (uint64_t i = 0; i < chunk_count; ++i) {
    const Shape at = place_in(chunks, i);
    const auto elements = chunk(at);
    if (!stands_for_all(*elements, grid_.chunk_shape(at)) || (one && !(*one == *elements)))
      return std::nullopt;
    if (!one) one = elements;
  }
  return *one;
}

void ChunkedArray::release(const Box& box) const {
  check_inside(box, shape());
  if (element_count(box.extent) == 0) return;
  const Box chunks = chunks_of(grid_, box);
  const uint64_t chunk_count = element_count(chunks.extent);
  for (uint64_t i = 0; i < chunk_count; ++i) {
    const Shape at = place_in(chunks, i);
    bool ends_inside = true;
    for (size_t d = 0; d < at.size(); ++d) {
      const uint64_t end = std::min(grid_.start(d, at[d]) + grid_.length(d, at[d]), shape()[d]);
      ends_inside = ends_inside && end <= box.origin[d] + box.extent[d];
    }
    if (ends_inside) context_.cache.forget(key_of(at));
  }
}

std::shared_ptr<const Elements> ChunkedArray::chunk(std::span<const uint64_t> chunk) const {
  return context_.cache.get<Elements>(key_of(chunk), [&] { return load_checked(chunk); });
}

std::shared_ptr<const Elements> ChunkedArray::chunk_unless_loading(std::span<const uint64_t> chunk) const {
  return context_.cache.get_unless_loading<Elements>(key_of(chunk), [&] { return load_checked(chunk); });
}

Elements ChunkedArray::load_checked(std::span<const uint64_t> chunk) const {
  Elements elements = load_chunk(chunk);
  const Shape chunk_shape = grid_.chunk_shape(chunk);
  check_layout(dtype(), elements, stands_for_all(elements, chunk_shape) ? 1 : element_count(chunk_shape));
  context_.counters.chunks_decoded.fetch_add(1, std::memory_order_relaxed);
  context_.counters.bytes_decoded.fetch_add(elements.allocated_bytes(), std::memory_order_relaxed);
  return elements;
}

}  // namespace plainfs
