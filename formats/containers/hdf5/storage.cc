#include "formats/containers/hdf5/storage.h"

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formats/containers/hdf5/chunk_storage.h"
#include "formats/containers/hdf5/source_file.h"
#include "formats/core/base/checked.h"

namespace plainfs::hdf5 {
namespace {

constexpr uint64_t kBlockBytes = 256 << 10;

// Returns the shape of a block: as many whole rows of the last axes as fit into kBlockBytes, at least one
// element.
Shape row_block(const Shape& shape, uint64_t element_size) {
  Shape block(shape.size(), 1);
  uint64_t bytes = std::max<uint64_t>(element_size, 1);
  for (size_t axis = shape.size(); axis-- > 0;) {
    block[axis] = std::clamp<uint64_t>(kBlockBytes / bytes, 1, std::max<uint64_t>(shape[axis], 1));
    if (block[axis] < shape[axis]) break;
    bytes *= block[axis];
  }
  return block;
}

// Returns the shape of blocks for data in dense C order. A matrix that may exceed the cache is cut into
// tiles. Walking it along the first axis then need not read all of it for every line.
Shape dense_block(const Shape& shape, uint64_t element_size) {
  constexpr uint64_t kSurelyCached = 64 << 20;
  constexpr uint64_t kTileRowBytes = 4 << 10;
  Shape block = row_block(shape, element_size);
  const size_t rank = shape.size();
  if (rank < 2 || element_count(shape) * element_size <= kSurelyCached) return block;
  const uint64_t row = std::min(shape[rank - 1], std::max<uint64_t>(kTileRowBytes / element_size, 1));
  std::fill(block.begin(), block.end(), 1);
  block[rank - 1] = row;
  block[rank - 2] = std::clamp<uint64_t>(kBlockBytes / (row * element_size), 1, shape[rank - 2]);
  return block;
}

// All elements in one run of bytes, of the file or of external files.
class ContiguousStorage : public Storage {
 public:
  // Reads the bytes from position on, which counts from the first element.
  using ReadBytes = std::function<void(uint64_t position, std::span<std::byte> out)>;

  ContiguousStorage(DatasetPlace place, ReadBytes read_bytes)
      : place_(std::move(place)), read_bytes_(std::move(read_bytes)) {}
  Shape block_shape() const override { return dense_block(place_.shape, place_.element_size); }
  bool reads_boxes_alone() const override { return !place_.file->bytes().is_remote(); }

  Bytes read(const Box& box, const Shape& block_shape) const override {
    Bytes out = new_block(box, block_shape, place_.element_size);
    read_axis(0, 0, 0, box, block_shape, out.data());
    return out;
  }

 private:
  // Returns whether everything after axis is whole, both in the dataset and in the block.
  bool is_run(size_t axis, const Box& box, const Shape& block_shape) const {
    for (size_t i = axis + 1; i < place_.shape.size(); ++i)
      if (box.extent[i] != place_.shape[i] || box.extent[i] != block_shape[i]) return false;
    return true;
  }

  void read_axis(size_t axis, uint64_t element, uint64_t target, const Box& box, const Shape& block_shape,
                 std::byte* out) const {
    const uint64_t size = place_.element_size;
    if (axis == place_.shape.size()) {
      read_bytes_(element * size, {out + target * size, size});
      return;
    }
    const uint64_t first = element * place_.shape[axis] + box.origin[axis];
    if (is_run(axis, box, block_shape)) {
      uint64_t behind = 1;
      for (size_t i = axis + 1; i < place_.shape.size(); ++i) behind *= place_.shape[i];
      read_bytes_(first * behind * size,
                  {out + target * block_shape[axis] * behind * size, box.extent[axis] * behind * size});
      return;
    }
    for (uint64_t i = 0; i < box.extent[axis]; ++i)
      read_axis(axis + 1, first + i, target * block_shape[axis] + i, box, block_shape, out);
  }

  DatasetPlace place_;
  ReadBytes read_bytes_;
};

// Data that only the library reads: compact data and virtual datasets.
class LibraryStorage : public Storage {
 public:
  LibraryStorage(DatasetPlace place, Shape block_shape)
      : place_(std::move(place)), block_shape_(std::move(block_shape)) {}
  Shape block_shape() const override { return block_shape_; }

  Bytes read(const Box& box, const Shape& block_shape) const override {
    Bytes out = new_block(box, block_shape, place_.element_size);
    place_.file->library().read(place_.address, place_.element_size, box, block_shape,
                                Shape(block_shape.size(), 0), out.data());
    return out;
  }

 private:
  DatasetPlace place_;
  Shape block_shape_;
};

// Contiguous data that were never written.
class UnwrittenStorage : public Storage {
 public:
  explicit UnwrittenStorage(DatasetPlace place) : place_(std::move(place)), fill_(place_) {}
  Shape block_shape() const override { return row_block(place_.shape, place_.element_size); }
  Bytes read(const Box& box, const Shape&) const override {
    place_.file->bytes().check_unchanged();
    return fill_.at(box.origin);
  }
  std::optional<Bytes> absent(const Box& box) const override { return read(box, {}); }

 private:
  DatasetPlace place_;
  FillElement fill_;
};

// The elements of a dataset with external data (H5Pset_external): consecutive stretches of several files.
// They are read by pread. libhdf5 would look for a relative name in the current folder instead of beside the
// HDF5 file, and would return zeros if a file ends too early.
class ExternalData {
 public:
  // bytes: of all elements. Throws damaged if the stretches have fewer bytes. Does not open the files.
  ExternalData(const SourceFile& file, const std::vector<ExternalStretch>& stored, uint64_t bytes);

  // Reads bytes [position, position + out.size()) of the elements. Const and thread-safe. Throws damaged if a
  // file does not exist or ends too early.
  void read(uint64_t position, std::span<std::byte> out) const;

 private:
  struct Stretch {
    std::string path;
    uint64_t offset;
    uint64_t position;  // of its first byte, among the elements' bytes
    uint64_t size;
  };

  Context& context_;
  std::vector<Stretch> stretches_;  // in order, without gaps
};

ExternalData::ExternalData(const SourceFile& file, const std::vector<ExternalStretch>& stored, uint64_t bytes)
    : context_(file.context()) {
  const boost::filesystem::path folder = boost::filesystem::absolute(file.path()).parent_path();
  uint64_t position = 0;
  for (const ExternalStretch& stretch : stored) {
    if (position >= bytes) break;
    if (stretch.offset < 0)
      throw damaged("invalid offset in external file {}: {}", stretch.file, stretch.offset);
    const uint64_t size = std::min<uint64_t>(stretch.size, bytes - position);
    if (size == 0) continue;
    const boost::filesystem::path path = boost::filesystem::absolute(stretch.file, folder);
    stretches_.push_back({path.string(), static_cast<uint64_t>(stretch.offset), position, size});
    position += size;
  }
  if (position < bytes) throw damaged("{} bytes in external files, expected {}", position, bytes);
}

void ExternalData::read(uint64_t position, std::span<std::byte> out) const {
  auto next = std::upper_bound(stretches_.begin(), stretches_.end(), position,
                               [](uint64_t at, const Stretch& stretch) { return at < stretch.position; });
  if (next != stretches_.begin()) --next;
  for (; !out.empty(); ++next) {
    if (next == stretches_.end()) throw damaged("data beyond the end of the external files");
    const uint64_t skipped = position - next->position;
    const size_t size = std::min<uint64_t>(out.size(), next->size - skipped);
    const FilePtr file = context_.files.open_if_exists(next->path);
    if (!file) throw damaged("external file {} does not exist", next->path);
    file->read_at(checked_add(next->offset, skipped), out.first(size));
    out = out.subspan(size);
    position += size;
  }
}

std::unique_ptr<Storage> contiguous(const StoredDataset& dataset, DatasetPlace place) {
  const uint64_t bytes = checked_multiply(element_count(place.shape), place.element_size);
  if (!dataset.external.empty()) {
    auto data = std::make_shared<const ExternalData>(*place.file, dataset.external, bytes);
    return std::make_unique<ContiguousStorage>(
        std::move(place), [data](uint64_t position, std::span<std::byte> out) { data->read(position, out); });
  }
  if (!dataset.offset) return std::make_unique<UnwrittenStorage>(std::move(place));
  const uint64_t offset = *dataset.offset, file_size = place.file->bytes().size();
  if (dataset.stored_bytes < bytes)
    throw damaged("{} bytes stored, expected {}", dataset.stored_bytes, bytes);
  if (offset < place.file->layout().base_address || offset > file_size || file_size - offset < bytes)
    throw damaged("{} bytes at {} lie beyond the file's end at {}", bytes, offset, file_size);
  const File* file = &place.file->bytes();
  return std::make_unique<ContiguousStorage>(
      std::move(place),
      [file, offset](uint64_t position, std::span<std::byte> out) { file->read_at(offset + position, out); });
}

}  // namespace

Bytes Storage::new_block(const Box& box, const Shape& block_shape, uint64_t element_size) {
  Bytes block(checked_multiply(element_count(block_shape), element_size));
  if (box.extent != block_shape) std::memset(block.data(), 0, block.size());
  return block;
}

FillElement::FillElement(DatasetPlace place) : place_(std::move(place)) {}

Bytes FillElement::at(const Shape& origin) const {
  const Bytes& known = element_.get([&] {
    Bytes element(place_.element_size);
    const Shape ones(origin.size(), 1);
    place_.file->library().read(place_.address, place_.element_size, {origin, ones}, ones,
                                Shape(origin.size(), 0), element.data());
    return element;
  });
  return Bytes(known.begin(), known.end());
}

Bytes FillElement::repeated(const Shape& origin, Bytes block) const {
  const Bytes element = at(origin);
  std::memcpy(block.data(), element.data(), place_.element_size);
  for (size_t done = place_.element_size; done < block.size(); done *= 2)
    std::memcpy(block.data() + done, block.data(), std::min(done, block.size() - done));
  return block;
}

std::unique_ptr<Storage> make_storage(const StoredDataset& dataset, DatasetPlace place,
                                      bool virtual_readable) {
  switch (dataset.layout) {
    case StoredDataset::Layout::contiguous:
      return contiguous(dataset, std::move(place));
    case StoredDataset::Layout::chunked:
      return std::make_unique<ChunkStorage>(dataset, std::move(place));
    case StoredDataset::Layout::virtual_sources: {
      if (!virtual_readable) throw unsupported("a virtual dataset of variable-length elements or references");
      Shape block = row_block(place.shape, place.element_size);
      return std::make_unique<LibraryStorage>(std::move(place), std::move(block));
    }
    case StoredDataset::Layout::compact:
      break;
  }
  Shape block = place.shape;
  return std::make_unique<LibraryStorage>(std::move(place), std::move(block));
}

}  // namespace plainfs::hdf5
