#include "formats/containers/hdf5/chunk_storage.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "formats/core/base/checked.h"
#include "formats/core/codecs/codecs.h"
#include "formats/core/model/arrays/box_runs.h"

namespace plainfs::hdf5 {
namespace {

// Decoded bytes of a group of chunks. Reading rows of a matrix may cross the groups (a .csv in R's
// orientation). Groups of a matrix are therefore smaller: a band of groups should fit into the cache.
constexpr uint64_t kListGroupBytes = 128 << 10;
constexpr uint64_t kMatrixGroupBytes = 64 << 10;

constexpr unsigned kDeflate = 1;  // the number of the filter
// The densest form of DEFLATE is 258 bytes in 2 bits.
constexpr uint64_t kDeflateMaxExpansion = 1032;

// Doubles the chunk's shape along its shortest axis, in elements, as long as a group stays small.
Shape group_shape(const Shape& chunk, const Shape& shape, uint64_t element_size) {
  const uint64_t max_bytes = shape.size() == 1 ? kListGroupBytes : kMatrixGroupBytes;
  Shape group = chunk;
  const auto clipped = [&](size_t axis) { return std::max<uint64_t>(1, std::min(group[axis], shape[axis])); };
  for (;;) {
    uint64_t bytes = element_size;
    size_t shortest = shape.size();
    for (size_t axis = shape.size(); axis-- > 0;) {
      bytes = checked_multiply(bytes, clipped(axis));
      if (group[axis] < shape[axis] && (shortest == shape.size() || group[axis] < group[shortest]))
        shortest = axis;
    }
    if (shortest == shape.size() || bytes > max_bytes / 2) break;
    group[shortest] = checked_multiply(group[shortest], 2);
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) group[axis] = clipped(axis);
  return group;
}

Box intersection(const Box& a, const Box& b) {
  Box both = a;
  for (size_t axis = 0; axis < a.origin.size(); ++axis) {
    both.origin[axis] = std::max(a.origin[axis], b.origin[axis]);
    both.extent[axis] =
        std::min(a.origin[axis] + a.extent[axis], b.origin[axis] + b.extent[axis]) - both.origin[axis];
  }
  return both;
}

// Returns a name for messages.
std::string chunk_name(const Shape& origin) {
  return fmt::format("chunk at ({})", fmt::join(origin, ", "));
}

Shape difference(const Shape& a, const Shape& b) {
  Shape result = a;
  for (size_t axis = 0; axis < a.size(); ++axis) result[axis] -= b[axis];
  return result;
}

}  // namespace

ChunkStorage::ChunkStorage(const StoredDataset& dataset, DatasetPlace place)
    : place_(std::move(place)),
      chunk_shape_(dataset.chunk_shape),
      partial_unfiltered_(dataset.partial_unfiltered),
      fill_(place_),
      library_has_btree_(dataset.has_btree) {
  chunk_bytes_ = place_.element_size;
  for (const uint64_t length : chunk_shape_) chunk_bytes_ = checked_multiply(chunk_bytes_, length);
  if (chunk_bytes_ == 0) throw damaged("invalid chunk shape: no elements");
  block_shape_ = group_shape(chunk_shape_, place_.shape, place_.element_size);
  make_pipeline(dataset.filters);
}

void ChunkStorage::make_pipeline(const std::vector<StoredFilter>& stored) {
  bool all_ours = true, library_has_all = true;
  for (const StoredFilter& filter : stored) {
    filters_.push_back({filter.number, make_hdf5_filter(filter.number, filter.values, place_.element_size)});
    all_ours = all_ours && filters_.back().codec;
    library_has_all = library_has_all && filter.library_has_it;
  }
  by_library_ = !all_ours && library_has_all;
}

// Returns the places of the chunks that overlap box.
Box ChunkStorage::places_of(const Box& box) const {
  Box places = box;
  for (size_t axis = 0; axis < chunk_shape_.size(); ++axis) {
    places.origin[axis] /= chunk_shape_[axis];
    const uint64_t last = (box.origin[axis] + box.extent[axis] - 1) / chunk_shape_[axis];
    places.extent[axis] = last - places.origin[axis] + 1;
  }
  return places;
}

Box ChunkStorage::chunk_box(const Shape& chunk) const {
  Box box{chunk, chunk_shape_};
  for (size_t axis = 0; axis < chunk.size(); ++axis) {
    box.origin[axis] *= chunk_shape_[axis];
    box.extent[axis] = std::min(chunk_shape_[axis], place_.shape[axis] - box.origin[axis]);
  }
  return box;
}

std::unique_ptr<const ChunkBtree> ChunkStorage::open_index() const try {
  if (!library_has_btree_) return nullptr;
  const File& file = place_.file->bytes();
  const FileLayout& layout = place_.file->layout();
  ChunkLayout chunks = read_chunk_layout(file, layout, place_.address);
  if (!chunks.has_btree || chunks.chunk_shape != chunk_shape_ || chunks.element_size != place_.element_size)
    throw damaged("the data layout differs from the one that libhdf5 reads");
  return std::make_unique<const ChunkBtree>(file, layout, place_.file->context(), std::move(chunks));
} catch (const Error& error) {
  // A filtered chunk has the same size in both of the library's calls.
  if (error.code() == Errc::damaged && !filters_.empty()) return nullptr;
  throw;
}

const ChunkBtree* ChunkStorage::index() const {
  return index_.get([this] { return open_index(); }).get();
}

ChunkStorage::RawChunk ChunkStorage::fetch(const PlacedChunk& placed) const try {
  RawChunk raw{placed.place, {}, placed.stored.filter_mask};
  bool is_bare = true;
  for (size_t i = 0; i < filters_.size(); ++i) is_bare = is_bare && is_left_out(raw, i);
  if (is_bare && placed.stored.size != chunk_bytes_)
    throw damaged("{} bytes stored, expected {}", placed.stored.size, chunk_bytes_);
  raw.bytes = place_.file->bytes().read_at(placed.stored.offset, placed.stored.size);
  return raw;
} catch (const Error& error) {
  throw error.at(chunk_name(chunk_box(placed.place).origin));
}

void ChunkStorage::announce(const std::vector<PlacedChunk>& placed) const {
  std::vector<ByteRange> ranges;
  for (const PlacedChunk& chunk : placed) ranges.push_back({chunk.stored.offset, chunk.stored.size});
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.offset < b.offset; });
  place_.file->bytes().will_read(ranges);
}

// Announces the reads of a box. In a remote store only few bytes are announced at once, and otherwise each
// block by itself, so that no more data are in flight than are read next.
void ChunkStorage::will_read(const Box& box) const {
  constexpr uint64_t kAnnouncedPart = 32;  // of the cache
  constexpr uint64_t kFewChunks = 8;       // not worth a system call
  const bool is_remote = place_.file->bytes().is_remote();
  const Box places = places_of(box);
  if (by_library_ || (!is_remote && element_count(places.extent) < kFewChunks) || !index()) return;
  try {
    const std::vector<PlacedChunk> placed = index()->find(places);
    uint64_t bytes = 0;
    for (const PlacedChunk& chunk : placed) bytes += chunk.stored.size;
    const uint64_t most = place_.file->context().cache.statistics().budget_bytes / kAnnouncedPart;
    if (!is_remote || bytes <= most) announce(placed);
  } catch (const Error&) {
    return;  // reading the chunk reports the error
  }
}

namespace {

// Returns whether to announce chunks of a remote store. A large chunk by itself is read at once.
bool is_worth_announcing(const std::vector<PlacedChunk>& placed) {
  constexpr uint64_t kLikeMetadata = 128 << 10;
  return placed.size() > 1 || (placed.size() == 1 && placed.front().stored.size <= kLikeMetadata);
}

}  // namespace

ChunkStorage::Fetched ChunkStorage::fetch_by(const ChunkBtree& index, const Box& places) const {
  Fetched fetched;
  const std::vector<PlacedChunk> placed = index.find(places);
  if (place_.file->bytes().is_remote() && is_worth_announcing(placed)) announce(placed);
  for (const PlacedChunk& chunk : placed) fetched.chunks.push_back(fetch(chunk));
  if (placed.empty()) return fetched;
  const uint64_t count = element_count(places.extent);
  for (uint64_t i = 0, next = 0; i < count; ++i) {
    Shape at = place_in(places, i);
    if (next < placed.size() && placed[next].place == at)
      ++next;
    else
      fetched.absent.push_back(std::move(at));
  }
  return fetched;
}

bool ChunkStorage::fetch_by_library(RawChunk& raw) const {
  const Box box = chunk_box(raw.chunk);
  try {
    std::optional<StoredChunkBytes> stored = place_.file->library().read_chunk(place_.address, box.origin);
    if (!stored) return false;
    raw.bytes = std::move(stored->bytes);
    raw.filter_mask = stored->filter_mask;
  } catch (const Error& error) {
    throw error.at(chunk_name(box.origin));
  }
  if (partial_unfiltered_ && box.extent != chunk_shape_) raw.filter_mask = ~uint32_t{0};
  return true;
}

ChunkStorage::Fetched ChunkStorage::fetch_by_library(const Box& places) const {
  Fetched fetched;
  const uint64_t count = element_count(places.extent);
  for (uint64_t i = 0; i < count; ++i) {
    RawChunk raw{place_in(places, i), {}, 0};
    if (fetch_by_library(raw))
      fetched.chunks.push_back(std::move(raw));
    else
      fetched.absent.push_back(std::move(raw.chunk));
  }
  place_.file->bytes().check_unchanged();
  return fetched;
}

// Returns the size of the chunk before each filter of writing. It is exact up to the first compressor.
std::vector<DecodedSize> ChunkStorage::sizes_between(const RawChunk& raw) const {
  std::vector<DecodedSize> sizes;
  DecodedSize size = DecodedSize::exactly(chunk_bytes_);
  for (size_t i = 0; i < filters_.size(); ++i) {
    sizes.push_back(size);
    if (is_left_out(raw, i)) continue;
    if (!filters_[i].codec) throw unsupported_hdf5_filter(filters_[i].number);
    const auto encoded = size.exact ? filters_[i].codec->encoded_size(size.bytes) : std::nullopt;
    size = encoded ? DecodedSize::exactly(*encoded) : DecodedSize::at_most(2 * chunk_bytes_ + 4096);
  }
  return sizes;
}

Bytes ChunkStorage::undo_filters(RawChunk& raw) const try {
  const std::vector<DecodedSize> sizes = sizes_between(raw);
  Bytes bytes = std::move(raw.bytes);
  for (size_t i = filters_.size(); i-- > 0;) {
    if (is_left_out(raw, i)) continue;
    if (filters_[i].number == kDeflate && sizes[i].exact &&
        sizes[i].bytes / kDeflateMaxExpansion > bytes.size())
      throw damaged("{} deflated bytes cannot hold {} bytes", bytes.size(), sizes[i].bytes);
    bytes = filters_[i].codec->decode(std::move(bytes), sizes[i]);
  }
  if (bytes.size() != chunk_bytes_) throw damaged("{} bytes, expected {}", bytes.size(), chunk_bytes_);
  return bytes;
} catch (const Error& error) {
  throw error.at(chunk_name(chunk_box(raw.chunk).origin));
}

bool ChunkStorage::is_left_out(const RawChunk& raw, size_t filter) {
  return filter >= 32 ? raw.filter_mask == ~uint32_t{0} : (raw.filter_mask >> filter & 1) != 0;
}

void ChunkStorage::require_codecs() const {
  for (const Filter& filter : filters_)
    if (!filter.codec) throw unsupported_hdf5_filter(filter.number);
}

// Returns the element that stands for box if no chunk at places was found. Without our index the library
// reads it, since a chunk that it cannot find may be damaged.
Bytes ChunkStorage::absent_element(const Box& box, const Box& places) const {
  if (!by_library_) require_codecs();
  if (index()) {
    place_.file->bytes().check_unchanged();
    return fill_.at(box.origin);
  }
  // For one chunk a single element shows whether it is readable. A group of chunks is small enough to read.
  const Shape extent = element_count(places.extent) == 1 ? Shape(box.extent.size(), 1) : box.extent;
  Bytes elements = new_block({}, extent, place_.element_size);
  read_by_library({box.origin, extent}, extent, box.origin, elements.data());
  elements.resize(place_.element_size);
  return elements;
}

// Reads part by H5Dread to its place in a block of block_shape that begins at origin.
void ChunkStorage::read_by_library(const Box& part, const Shape& block_shape, const Shape& origin,
                                   std::byte* out) const {
  place_.file->library().read(place_.address, place_.element_size, part, block_shape,
                              difference(part.origin, origin), out);
}

// Returns a block for box with its absent chunks filled.
Bytes ChunkStorage::block_of(const Fetched& fetched, const Box& box, const Shape& block_shape) const {
  Bytes out = new_block(box, block_shape, place_.element_size);
  if (fetched.absent.empty()) return out;
  if (index()) return fill_.repeated(chunk_box(fetched.absent[0]).origin, std::move(out));
  require_codecs();
  for (const Shape& chunk : fetched.absent)
    read_by_library(intersection(chunk_box(chunk), box), block_shape, box.origin, out.data());
  return out;
}

std::optional<Bytes> ChunkStorage::absent(const Box& box) const {
  const Box places = places_of(box);
  if (!index() || index()->holds_any(places)) return std::nullopt;
  return absent_element(box, places);
}

Bytes ChunkStorage::read(const Box& box, const Shape& block_shape) const {
  const ChunkBtree* index = this->index();
  const Box places = places_of(box);
  if (by_library_) {
    if (index && !index->holds_any(places)) return absent_element(box, places);
    Bytes out = new_block(box, block_shape, place_.element_size);
    read_by_library(box, block_shape, box.origin, out.data());
    return out;
  }
  Fetched fetched = index ? fetch_by(*index, places) : fetch_by_library(places);
  if (fetched.chunks.empty()) return absent_element(box, places);
  const bool is_one_chunk = fetched.absent.empty() && fetched.chunks.size() == 1 &&
                            box.extent == chunk_shape_ && block_shape == chunk_shape_;
  if (is_one_chunk) return undo_filters(fetched.chunks[0]);
  Bytes out = block_of(fetched, box, block_shape);
  for (RawChunk& raw : fetched.chunks) {
    const Bytes decoded = undo_filters(raw);
    const Box whole_chunk = chunk_box(raw.chunk);
    const Box part = intersection(whole_chunk, box);
    copy_box(place_.element_size, decoded.data(), chunk_shape_,
             {difference(part.origin, whole_chunk.origin), part.extent}, out.data(), block_shape,
             difference(part.origin, box.origin));
  }
  return out;
}

}  // namespace plainfs::hdf5
