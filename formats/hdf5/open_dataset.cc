#include "formats/hdf5/open_dataset.h"

#include <vector>

#include "formats/hdf5/file_driver.h"

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

ObjectHandle open_dataset(const SourceFile& file, uint64_t address) {
  const LibraryLock lock;
  ObjectHandle object = file.open_object(address);
  if (H5Iget_type(object.id()) != H5I_DATASET) throw damaged("the object at {} is no dataset", address);
  return object;
}

}  // namespace

OpenDataset::OpenDataset(SourceFilePtr file, uint64_t address)
    : file_(std::move(file)), handle_(open_dataset(*file_, address)) {}

void OpenDataset::read(hid_t memory_type, const Box& box, const Shape& block_shape, const Shape& target,
                       std::byte* out) const {
  file_->bytes().check_unchanged();
  forget_driver_error();  // of calls that did without what they could not read
  if (box.extent.empty()) {
    checked_call(H5Dread(id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "cannot be read");
  } else {
    const auto space = checked_handle<SpaceHandle>(H5Dget_space(id()), "dataspace");
    select(space, box.origin, box.extent);
    const SpaceHandle memory = dense_space(block_shape);
    select(memory, target, box.extent);
    checked_call(H5Dread(id(), memory_type, memory.id(), space.id(), H5P_DEFAULT, out), "cannot be read");
  }
  file_->bytes().check_unchanged();
  // The library shows fill for a source of a virtual dataset that it cannot open.
  throw_driver_error();
}

}  // namespace plainfs::hdf5
