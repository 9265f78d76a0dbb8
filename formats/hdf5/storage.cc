#include "formats/hdf5/storage.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>

#include "formats/base/checked.h"
#include "formats/hdf5/chunk_storage.h"
#include "formats/hdf5/external_data.h"
#include "formats/hdf5/fill_element.h"
#include "formats/hdf5/open_dataset.h"
#include "formats/hdf5/virtual_sources.h"

namespace plainfs::hdf5 {
namespace {

constexpr uint64_t kBlockBytes = 256 << 10;

// Whole rows of the last axes as far as they fit; at least one element.
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

// Blocks for data that lie densely in C order. A matrix that a cache may not hold is cut into tiles, so that
// walking it along the first axis need not read all of it for every line.
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

// All elements in one run of bytes, of the file or of others.
class ContiguousStorage : public Storage {
 public:
  // Reads the bytes from position on, which counts from the first element.
  using ReadBytes = std::function<void(uint64_t position, std::span<std::byte> out)>;

  ContiguousStorage(DatasetPlace place, ReadBytes read_bytes)
      : place_(std::move(place)), read_bytes_(std::move(read_bytes)) {}
  Shape block_shape() const override { return dense_block(place_.shape, place_.element_size); }

  Bytes read(const Box& box, const Shape& block_shape) const override {
    Bytes out = new_block(box, block_shape, place_.element_size);
    read_axis(0, 0, 0, box, block_shape, out.data());
    return out;
  }

 private:
  // Whether everything behind axis is taken whole, both from the dataset and in the block.
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

// Everything the library reads best itself: compact data and virtual datasets.
class LibraryStorage : public Storage {
 public:
  // memory_type: none = the stored bytes.
  LibraryStorage(DatasetPlace place, Shape block_shape, TypeHandle memory_type)
      : place_(std::move(place)),
        block_shape_(std::move(block_shape)),
        memory_type_(std::move(memory_type)),
        opener_(place_.file, place_.address) {}
  Shape block_shape() const override { return block_shape_; }

  Bytes read(const Box& box, const Shape& block_shape) const override {
    Bytes out = new_block(box, block_shape, place_.element_size);
    const auto dataset = opener_.open();
    const LibraryLock lock;
    check(*dataset);
    dataset->read(memory_type_.id(), box, block_shape, Shape(block_shape.size(), 0), out.data());
    return out;
  }

 protected:
  // Throws where the library would not say by itself that it cannot read. Called under its lock.
  virtual void check(const OpenDataset&) const {}

 private:
  DatasetPlace place_;
  Shape block_shape_;
  TypeHandle memory_type_;
  DatasetOpener opener_;
};

// Contiguous data that were never written.
class UnwrittenStorage : public Storage {
 public:
  explicit UnwrittenStorage(DatasetPlace place)
      : place_(std::move(place)), fill_(DatasetOpener(place_.file, place_.address), place_.element_size) {}
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

std::unique_ptr<Storage> contiguous(hid_t dataset, hid_t creation, DatasetPlace place) {
  const uint64_t bytes = checked_multiply(element_count(place.shape), place.element_size);
  if (H5Pget_external_count(creation) > 0) {
    auto data = std::make_shared<const ExternalData>(*place.file, creation, bytes);
    return std::make_unique<ContiguousStorage>(
        std::move(place), [data](uint64_t position, std::span<std::byte> out) { data->read(position, out); });
  }
  const haddr_t offset = H5Dget_offset(dataset);
  H5Eclear2(H5E_DEFAULT);
  const uint64_t base = place.file->layout().base_address;
  if (offset == HADDR_UNDEF || offset == HADDR_UNDEF + base) {  // the library adds it to no address too
    return std::make_unique<UnwrittenStorage>(std::move(place));
  }
  const uint64_t file_size = place.file->bytes().size();
  if (H5Dget_storage_size(dataset) < bytes)
    throw damaged("{} bytes stored, {} wanted", H5Dget_storage_size(dataset), bytes);
  if (offset < base || offset > file_size || file_size - offset < bytes)
    throw damaged("{} bytes at {} lie beyond the file's end at {}", bytes, offset, file_size);
  const File* file = &place.file->bytes();
  return std::make_unique<ContiguousStorage>(
      std::move(place),
      [file, offset](uint64_t position, std::span<std::byte> out) { file->read_at(offset + position, out); });
}

// The sources of a virtual dataset may store another type, so the library converts to the dataset's own.
class VirtualStorage : public LibraryStorage {
 public:
  VirtualStorage(DatasetPlace place, Shape block_shape, TypeHandle memory_type)
      : LibraryStorage(place, std::move(block_shape), std::move(memory_type)), sources_(place.file) {}

 protected:
  void check(const OpenDataset& dataset) const override { sources_.check(dataset.id()); }

 private:
  VirtualSources sources_;
};

std::unique_ptr<Storage> virtual_storage(hid_t dataset, DatasetPlace place, bool readable) {
  if (!readable) throw unsupported("a virtual dataset of variable-length elements or references");
  auto type = checked_handle<TypeHandle>(H5Dget_type(dataset), "datatype");
  Shape block = row_block(place.shape, place.element_size);
  return std::make_unique<VirtualStorage>(std::move(place), std::move(block), std::move(type));
}

}  // namespace

Bytes Storage::new_block(const Box& box, const Shape& block_shape, uint64_t element_size) {
  Bytes block(checked_multiply(element_count(block_shape), element_size));
  if (box.extent != block_shape) std::memset(block.data(), 0, block.size());
  return block;
}

std::unique_ptr<Storage> make_storage(hid_t dataset, DatasetPlace place, bool virtual_readable) {
  const auto creation = checked_handle<PropertyHandle>(H5Dget_create_plist(dataset), "creation properties");
  switch (H5Pget_layout(creation.id())) {
    case H5D_CONTIGUOUS:
      return contiguous(dataset, creation.id(), std::move(place));
    case H5D_CHUNKED:
      return std::make_unique<ChunkStorage>(dataset, creation.id(), std::move(place));
    case H5D_VIRTUAL:
      return virtual_storage(dataset, std::move(place), virtual_readable);
    case H5D_COMPACT: {
      Shape block = place.shape;
      TypeHandle memory = stored_bytes_type(place.element_size);
      return std::make_unique<LibraryStorage>(std::move(place), std::move(block), std::move(memory));
    }
    default:
      throw library_error("the layout is unknown");
  }
}

}  // namespace plainfs::hdf5
