#include "formats/hdf5/library/open_dataset.h"

#include <vector>

#include "formats/hdf5/library/file_driver.h"

namespace plainfs::hdf5 {
namespace {

// Selects extent elements from origin on.
void select(const SpaceHandle& space, const Shape& origin, const Shape& extent) {
  if (H5Sget_simple_extent_ndims(space.id()) != static_cast<int>(origin.size()))
    throw damaged("the rank has changed");
  const std::vector<hsize_t> start(origin.begin(), origin.end());
  const std::vector<hsize_t> count(extent.begin(), extent.end());
  checked_call(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
               "selection");
}

SpaceHandle dense_space(const Shape& shape) {
  const std::vector<hsize_t> dims(shape.begin(), shape.end());
  return checked_handle<SpaceHandle>(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                                     "dataspace");
}

bool is_virtual(const ObjectHandle& dataset) {
  const auto creation =
      checked_handle<PropertyHandle>(H5Dget_create_plist(dataset.id()), "creation properties");
  return H5Pget_layout(creation.id()) == H5D_VIRTUAL;
}

}  // namespace

OpenDataset::OpenDataset(OpenFilePtr file, uint64_t address) : file_(std::move(file)) {
  const LibraryLock lock;
  handle_ = file_->open_object(address);
  if (H5Iget_type(handle_.id()) != H5I_DATASET) throw damaged("the object at {} is no dataset", address);
  if (is_virtual(handle_)) virtual_sources_.emplace(file_);
}

void OpenDataset::read(uint64_t element_size, const Box& box, const Shape& block_shape, const Shape& target,
                       std::byte* out) const {
  file_->bytes()->check_unchanged();
  if (virtual_sources_) virtual_sources_->check(handle_.id());
  forget_driver_error();  // of calls that did without what they could not read
  const auto type = virtual_sources_ ? checked_handle<TypeHandle>(H5Dget_type(handle_.id()), "datatype")
                                     : stored_bytes_type(element_size);
  if (box.extent.empty()) {
    checked_call(H5Dread(handle_.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "cannot be read");
  } else {
    const auto space = checked_handle<SpaceHandle>(H5Dget_space(handle_.id()), "dataspace");
    select(space, box.origin, box.extent);
    const SpaceHandle memory = dense_space(block_shape);
    select(memory, target, box.extent);
    checked_call(H5Dread(handle_.id(), type.id(), memory.id(), space.id(), H5P_DEFAULT, out),
                 "cannot be read");
  }
  file_->bytes()->check_unchanged();
  // The library shows fill for a source of a virtual dataset that it cannot open.
  throw_driver_error();
}

std::optional<uint64_t> OpenDataset::chunk_size(const Shape& origin) const {
  const std::vector<hsize_t> place(origin.begin(), origin.end());
  hsize_t size = 0;
  unsigned mask = 0;
  haddr_t address = 0;
  bool is_found = H5Dget_chunk_storage_size(handle_.id(), place.data(), &size) >= 0;
  // A release may say 0 of an absent chunk. That a chunk has no bytes is rare enough for a linear search.
  if (is_found && size == 0)
    is_found = H5Dget_chunk_info_by_coord(handle_.id(), place.data(), &mask, &address, &size) >= 0 &&
               address != HADDR_UNDEF;
  H5Eclear2(H5E_DEFAULT);
  throw_driver_error();
  if (!is_found) return std::nullopt;
  return size;
}

std::optional<StoredChunkBytes> OpenDataset::read_chunk(const Shape& origin) const {
  file_->bytes()->check_unchanged();
  forget_driver_error();  // of calls that did without what they could not read
  const std::optional<uint64_t> size = chunk_size(origin);
  if (!size) return std::nullopt;
  if (*size == 0 || *size > file_->bytes()->size()) throw damaged("{} bytes", *size);
  StoredChunkBytes chunk{Bytes(*size), 0};
  const std::vector<hsize_t> place(origin.begin(), origin.end());
  checked_call(H5Dread_chunk(handle_.id(), H5P_DEFAULT, place.data(), &chunk.filter_mask, chunk.bytes.data()),
               "cannot be read");
  return chunk;
}

}  // namespace plainfs::hdf5
