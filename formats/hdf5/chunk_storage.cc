#include "formats/hdf5/chunk_storage.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "formats/base/checked.h"
#include "formats/codecs/codecs.h"

namespace plainfs::hdf5 {
namespace {

// Decoded bytes of a group of chunks. Rows of a matrix may be read across the groups (a .csv of R's
// orientation), so a group there is smaller: a band of groups should fit the cache.
constexpr uint64_t kListGroupBytes = 256 << 10;
constexpr uint64_t kMatrixGroupBytes = 64 << 10;

// DEFLATE's densest form: 258 bytes for 2 bits.
constexpr uint64_t kDeflateMostExpansion = 1032;

// Doubles the chunk's shape along its shortest axis, in elements, as long as a group stays small.
Shape group_shape(const Shape& chunk, const Shape& shape, uint64_t element_size) {
  const uint64_t most_bytes = shape.size() == 1 ? kListGroupBytes : kMatrixGroupBytes;
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
    if (shortest == shape.size() || bytes > most_bytes / 2) break;
    group[shortest] = checked_multiply(group[shortest], 2);
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) group[axis] = clipped(axis);
  return group;
}

// Calls visit for each place in a grid from first to last, both included.
template <class Visit>
void for_each_place(const Shape& first, const Shape& last, Visit&& visit) {
  Shape place = first;
  for (;;) {
    visit(place);
    size_t axis = place.size();
    while (axis-- > 0) {
      if (place[axis] < last[axis]) {
        ++place[axis];
        break;
      }
      place[axis] = first[axis];
    }
    if (axis == static_cast<size_t>(-1)) return;
  }
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

// For messages.
std::string chunk_name(const Shape& origin) {
  return fmt::format("chunk at ({})", fmt::join(origin, ", "));
}

// The bytes of the chunk at origin as the library counts them; nullopt where it has none, or cannot find it.
std::optional<uint64_t> library_size(const OpenDataset& dataset, const Shape& origin) {
  const std::vector<hsize_t> place(origin.begin(), origin.end());
  hsize_t size = 0;
  unsigned mask = 0;
  haddr_t address = 0;
  bool is_found = H5Dget_chunk_storage_size(dataset.id(), place.data(), &size) >= 0;
  // A release may say 0 of an absent chunk. That a chunk has no bytes is rare enough for a linear search.
  if (is_found && size == 0)
    is_found = H5Dget_chunk_info_by_coord(dataset.id(), place.data(), &mask, &address, &size) >= 0 &&
               address != HADDR_UNDEF;
  H5Eclear2(H5E_DEFAULT);
  if (!is_found) return std::nullopt;
  return size;
}

Shape difference(const Shape& a, const Shape& b) {
  Shape result = a;
  for (size_t axis = 0; axis < a.size(); ++axis) result[axis] -= b[axis];
  return result;
}

}  // namespace

ChunkStorage::ChunkStorage(hid_t dataset, hid_t creation, DatasetPlace place)
    : place_(std::move(place)),
      stored_bytes_(stored_bytes_type(place_.element_size)),
      opener_(place_.file, place_.address) {
  std::vector<hsize_t> dims(place_.shape.size());
  const int rank =
      checked_call(H5Pget_chunk(creation, static_cast<int>(dims.size()), dims.data()), "chunk shape");
  if (rank != static_cast<int>(dims.size()) || rank == 0) throw damaged("chunks of rank {}", rank);
  chunk_shape_.assign(dims.begin(), dims.end());
  chunk_bytes_ = place_.element_size;
  for (const uint64_t length : chunk_shape_) chunk_bytes_ = checked_multiply(chunk_bytes_, length);
  if (chunk_bytes_ == 0) throw damaged("chunks of no elements");
  block_shape_ = group_shape(chunk_shape_, place_.shape, place_.element_size);
  unsigned options = 0;
  checked_call(H5Pget_chunk_opts(creation, &options), "chunk options");
  partial_unfiltered_ = options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS;
  H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
  checked_call(H5Dget_chunk_index_type(dataset, &index), "the index of chunks");
  library_has_btree_ = index == H5D_CHUNK_IDX_BTREE;
  read_pipeline(creation);
}

void ChunkStorage::read_pipeline(hid_t creation) {
  const int count = checked_call(H5Pget_nfilters(creation), "filters");
  bool all_ours = true, library_has_all = true;
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    unsigned flags = 0, config = 0;
    std::vector<unsigned> values(64);
    size_t value_count = values.size();
    int number = H5Pget_filter2(creation, i, &flags, &value_count, values.data(), 0, nullptr, &config);
    if (number >= 0 && value_count > values.size()) {
      values.resize(value_count);
      number = H5Pget_filter2(creation, i, &flags, &value_count, values.data(), 0, nullptr, &config);
    }
    checked_call(number, "a filter");
    values.resize(std::min(value_count, values.size()));
    Filter filter{static_cast<unsigned>(number), nullptr};
    filter.codec = make_hdf5_filter(filter.number, values, place_.element_size);
    all_ours = all_ours && filter.codec;
    library_has_all = library_has_all && H5Zfilter_avail(number) > 0;
    filters_.push_back(std::move(filter));
  }
  H5Eclear2(H5E_DEFAULT);
  by_library_ = !all_ours && library_has_all;
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
    throw damaged("a data layout that is not the one the library sees");
  return std::make_unique<const ChunkBtree>(file, layout, place_.file->context(), std::move(chunks));
} catch (const Error& error) {
  // A filtered chunk has the same size in both of the library's calls.
  if (error.code() == Errc::damaged && !filters_.empty()) return nullptr;
  throw;
}

bool ChunkStorage::fetch(const ChunkBtree& index, RawChunk& raw) const try {
  const std::optional<StoredChunk> stored = index.find(chunk_box(raw.chunk).origin);
  if (!stored) return false;
  raw.filter_mask = stored->filter_mask;
  bool is_bare = true;
  for (size_t i = 0; i < filters_.size(); ++i) is_bare = is_bare && is_left_out(raw, i);
  if (is_bare && stored->size != chunk_bytes_)
    throw damaged("{} bytes stored, {} wanted", stored->size, chunk_bytes_);
  raw.bytes = place_.file->bytes().read_at(stored->offset, stored->size);
  return true;
} catch (const Error& error) {
  throw error.at(chunk_name(chunk_box(raw.chunk).origin));
}

bool ChunkStorage::fetch(const OpenDataset& dataset, RawChunk& raw) const {
  const Box box = chunk_box(raw.chunk);
  const std::optional<uint64_t> size = library_size(dataset, box.origin);
  if (!size) return false;
  if (*size == 0 || *size > place_.file->bytes().size())
    throw damaged("{}: {} bytes", chunk_name(box.origin), *size);
  raw.bytes.resize(*size);
  const std::vector<hsize_t> origin(box.origin.begin(), box.origin.end());
  if (H5Dread_chunk(dataset.id(), H5P_DEFAULT, origin.data(), &raw.filter_mask, raw.bytes.data()) < 0)
    throw library_error(chunk_name(box.origin));
  if (partial_unfiltered_ && box.extent != chunk_shape_) raw.filter_mask = ~uint32_t{0};
  return true;
}

ChunkStorage::Fetched ChunkStorage::fetch_box(const Box& box) const {
  Shape first = box.origin, last = box.origin;
  for (size_t axis = 0; axis < first.size(); ++axis) {
    first[axis] = box.origin[axis] / chunk_shape_[axis];
    last[axis] = (box.origin[axis] + box.extent[axis] - 1) / chunk_shape_[axis];
  }
  Fetched fetched;
  const auto fetch_from = [&](const auto& source) {
    for_each_place(first, last, [&](const Shape& chunk) {
      RawChunk raw{chunk, {}, 0};
      if (fetch(source, raw))
        fetched.chunks.push_back(std::move(raw));
      else
        fetched.absent.push_back(chunk);
    });
  };
  std::call_once(index_opened_, [this] { index_ = open_index(); });
  if (index_) {
    fetch_from(*index_);
    return fetched;
  }
  const auto dataset = opener_.open();
  const LibraryLock lock;
  place_.file->bytes().check_unchanged();
  fetch_from(*dataset);
  place_.file->bytes().check_unchanged();
  return fetched;
}

void ChunkStorage::fill(const OpenDataset& dataset, const Box& part, const Box& box, const Shape& block_shape,
                        std::byte* out) const {
  for (const Filter& filter : filters_)
    if (!filter.codec) throw unsupported("HDF5 filter {}", filter.number);
  dataset.read(stored_bytes_.id(), part, block_shape, difference(part.origin, box.origin), out);
}

void ChunkStorage::fill_absent(const Fetched& fetched, const Box& box, const Shape& block_shape,
                               std::byte* out) const {
  if (fetched.absent.empty()) return;
  const auto dataset = opener_.open();
  const LibraryLock lock;
  for (const Shape& chunk : fetched.absent) {
    if (!index_) break;
    // In a tree out of order the library may find a chunk of any size all the same.
    const Shape origin = chunk_box(chunk).origin;
    if (library_size(*dataset, origin))
      throw damaged("{}: the index of chunks is out of order", chunk_name(origin));
  }
  if (fetched.chunks.empty()) return fill(*dataset, box, box, block_shape, out);
  for (const Shape& chunk : fetched.absent)
    fill(*dataset, intersection(chunk_box(chunk), box), box, block_shape, out);
}

// How large the chunk is before each filter of writing. Known as long as no compressor stands between it and
// the chunk.
std::vector<DecodedSize> ChunkStorage::sizes_between(const RawChunk& raw) const {
  std::vector<DecodedSize> sizes;
  DecodedSize size = DecodedSize::exactly(chunk_bytes_);
  for (size_t i = 0; i < filters_.size(); ++i) {
    sizes.push_back(size);
    if (is_left_out(raw, i)) continue;
    if (!filters_[i].codec) throw unsupported("HDF5 filter {}", filters_[i].number);
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
    if (filters_[i].number == H5Z_FILTER_DEFLATE && sizes[i].exact &&
        sizes[i].bytes / kDeflateMostExpansion > bytes.size())
      throw damaged("{} deflated bytes cannot hold {}", bytes.size(), sizes[i].bytes);
    bytes = filters_[i].codec->decode(std::move(bytes), sizes[i]);
  }
  if (bytes.size() != chunk_bytes_) throw damaged("{} bytes, {} wanted", bytes.size(), chunk_bytes_);
  return bytes;
} catch (const Error& error) {
  throw error.at(chunk_name(chunk_box(raw.chunk).origin));
}

bool ChunkStorage::is_left_out(const RawChunk& raw, size_t filter) {
  return filter >= 32 ? raw.filter_mask == ~uint32_t{0} : (raw.filter_mask >> filter & 1) != 0;
}

Bytes ChunkStorage::read(const Box& box, const Shape& block_shape) const {
  if (by_library_) {
    Bytes out = new_block(box, block_shape, place_.element_size);
    const auto dataset = opener_.open();
    const LibraryLock lock;
    dataset->read(stored_bytes_.id(), box, block_shape, Shape(box.origin.size(), 0), out.data());
    return out;
  }
  Fetched fetched = fetch_box(box);
  const bool is_one_chunk = fetched.absent.empty() && fetched.chunks.size() == 1 &&
                            box.extent == chunk_shape_ && block_shape == chunk_shape_;
  if (is_one_chunk) return undo_filters(fetched.chunks[0]);
  Bytes out = new_block(box, block_shape, place_.element_size);
  fill_absent(fetched, box, block_shape, out.data());
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
