#include "formats/containers/hdf5/library/open_dataset.h"

#include <cstring>
#include <vector>

#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/library/own_filters.h"
#include "formats/core/base/checked.h"

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

// Returns whether reading elements that were never written leaves the reader's memory unchanged.
bool leaves_bare(hid_t creation) {
  H5D_fill_value_t value = H5D_FILL_VALUE_UNDEFINED;
  H5D_fill_time_t time = H5D_FILL_TIME_NEVER;
  checked_call(H5Pfill_value_defined(creation, &value), "fill value");
  checked_call(H5Pget_fill_time(creation, &time), "fill time");
  return value == H5D_FILL_VALUE_UNDEFINED || time == H5D_FILL_TIME_NEVER;
}

}  // namespace

uint64_t chunk_bytes(hid_t dataset, hid_t creation) {
  const auto type = checked_handle<TypeHandle>(H5Dget_type(dataset), "datatype");
  hsize_t chunk[H5S_MAX_RANK];
  const int rank = checked_call(H5Pget_chunk(creation, H5S_MAX_RANK, chunk), "chunk shape");
  return checked_multiply(element_count(Shape(chunk, chunk + rank)), H5Tget_size(type.id()));
}

namespace {

// Returns the fill value in the dataset's type.
Bytes fill_value(hid_t dataset, hid_t creation) {
  H5D_fill_value_t value = H5D_FILL_VALUE_UNDEFINED;
  checked_call(H5Pfill_value_defined(creation, &value), "fill value");
  const auto type = checked_handle<TypeHandle>(H5Dget_type(dataset), "datatype");
  Bytes fill(H5Tget_size(type.id()), std::byte{0});
  if (value == H5D_FILL_VALUE_USER_DEFINED)
    checked_call(H5Pget_fill_value(creation, type.id(), fill.data()), "fill value");
  return fill;
}

std::optional<uint64_t> stored_chunk_size(hid_t dataset, const Shape& origin) {
  const std::vector<hsize_t> place(origin.begin(), origin.end());
  hsize_t size = 0;
  unsigned mask = 0;
  haddr_t address = 0;
  bool is_found = H5Dget_chunk_storage_size(dataset, place.data(), &size) >= 0;
  // A release may return 0 for an absent chunk. A stored chunk of no bytes is rare enough for a linear
  // search.
  if (is_found && size == 0)
    is_found = H5Dget_chunk_info_by_coord(dataset, place.data(), &mask, &address, &size) >= 0 &&
               address != HADDR_UNDEF;
  clear_library_error();
  throw_driver_error();
  if (!is_found) return std::nullopt;
  return size;
}

}  // namespace

OpenDataset::OpenDataset(OpenFilePtr file, uint64_t address) : file_(std::move(file)), address_(address) {
  const LibraryLock lock;
  const hid_t dataset = handle();
  if (H5Iget_type(dataset) != H5I_DATASET) throw damaged("the object at {} is not a dataset", address);
  const auto creation = checked_handle<PropertyHandle>(H5Dget_create_plist(dataset), "creation properties");
  if (H5Pget_layout(creation.id()) == H5D_VIRTUAL) {
    virtual_sources_.emplace(file_);
    fill_ = fill_value(dataset, creation.id());
  }
  if (H5Pget_layout(creation.id()) == H5D_CHUNKED) chunk_bytes_ = chunk_bytes(dataset, creation.id());
  is_left_bare_ = leaves_bare(creation.id());
}

hid_t OpenDataset::handle() const {
  if (handle_.id() >= 0 && !file_->is_spoiled() && opened_in_ == file_->times_opened()) return handle_.id();
  handle_ = {};
  handle_ = file_->open_object(address_);
  opened_in_ = file_->times_opened();
  return handle_.id();
}

// Returns the result of call(handle). If it fails for a virtual dataset, drops the handle, which would keep
// the sources open.
template <class Call>
auto OpenDataset::asked(Call&& call) const {
  file_->bytes()->check_unchanged();
  forget_driver_error();  // of calls that succeeded without the data they could not read
  try {
    return call(handle());
  } catch (...) {
    if (virtual_sources_) {
      handle_ = {};
      virtual_sources_->close();
    }
    throw;
  }
}

void OpenDataset::read(uint64_t element_size, const Box& box, const Shape& block_shape, const Shape& target,
                       std::byte* out) const {
  asked([&](hid_t dataset) {
    std::optional<FollowedLinks> links;
    if (virtual_sources_) links.emplace(*virtual_sources_);
    if (virtual_sources_) virtual_sources_->check(dataset);
    const LargestChunk chunk(virtual_sources_ ? virtual_sources_->largest_chunk() : chunk_bytes_);
    const auto type = virtual_sources_ ? checked_handle<TypeHandle>(H5Dget_type(dataset), "datatype")
                                       : stored_bytes_type(element_size);
    if (box.extent.empty()) {
      if (is_left_bare_) std::memset(out, 0, element_size);
      checked_call(H5Dread(dataset, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "cannot be read");
    } else {
      const auto space = checked_handle<SpaceHandle>(H5Dget_space(dataset), "dataspace");
      select(space, box.origin, box.extent);
      const SpaceHandle memory = dense_space(block_shape);
      select(memory, target, box.extent);
      const void* const fill = fill_.empty() ? nullptr : fill_.data();
      if (is_left_bare_ || fill)
        checked_call(H5Dfill(fill, type.id(), out, type.id(), memory.id()), "no fill");
      checked_call(H5Dread(dataset, type.id(), memory.id(), space.id(), H5P_DEFAULT, out), "cannot be read");
    }
    file_->bytes()->check_unchanged();
    // The library uses the fill value for a source of a virtual dataset that it cannot open.
    throw_driver_error();
  });
}

std::optional<StoredChunkBytes> OpenDataset::read_chunk(const Shape& origin) const {
  return asked([&](hid_t dataset) -> std::optional<StoredChunkBytes> {
    const std::optional<uint64_t> size = stored_chunk_size(dataset, origin);
    if (!size) return std::nullopt;
    if (*size == 0 || *size > file_->bytes()->size()) throw damaged("invalid size: {} bytes", *size);
    StoredChunkBytes chunk{Bytes(*size), 0};
    const std::vector<hsize_t> place(origin.begin(), origin.end());
    checked_call(H5Dread_chunk(dataset, H5P_DEFAULT, place.data(), &chunk.filter_mask, chunk.bytes.data()),
                 "cannot be read");
    return chunk;
  });
}

}  // namespace plainfs::hdf5
