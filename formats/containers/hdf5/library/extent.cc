#include "formats/containers/hdf5/library/extent.h"

#include "formats/containers/hdf5/library/datatype.h"
#include "formats/core/base/checked.h"

namespace plainfs::hdf5 {
namespace {

Shape dataset_shape(hid_t space) {
  const int rank = checked_call(H5Sget_simple_extent_ndims(space), "rank");
  std::vector<hsize_t> dims(static_cast<size_t>(rank));
  checked_call(H5Sget_simple_extent_dims(space, dims.data(), nullptr), "dimensions");
  return {dims.begin(), dims.end()};
}

// Appends the dimensions of an array type to shape; the type of its items, which type itself may be.
TypeHandle peel_array(TypeHandle type, Shape& shape) {
  while (H5Tget_class(type.id()) == H5T_ARRAY) {
    std::vector<hsize_t> dims(
        static_cast<size_t>(checked_call(H5Tget_array_ndims(type.id()), "rank of an array type")));
    checked_call(H5Tget_array_dims2(type.id(), dims.data()), "dimensions of an array type");
    shape.insert(shape.end(), dims.begin(), dims.end());
    type = checked_handle<TypeHandle>(H5Tget_super(type.id()), "items of an array type");
  }
  return type;
}

}  // namespace

StoredExtent read_extent(hid_t type, hid_t space, const FileLayout& layout) {
  StoredExtent extent;
  extent.is_null = H5Sget_simple_extent_type(space) == H5S_NULL;
  if (!extent.is_null) extent.dataset_shape = dataset_shape(space);
  extent.shape = extent.dataset_shape;
  const auto copy = peel_array(checked_handle<TypeHandle>(H5Tcopy(type), "datatype"), extent.shape);
  extent.type = stored_type(copy.id(), layout);
  extent.stored_size = extent.type.size;
  for (size_t axis = extent.dataset_shape.size(); axis < extent.shape.size(); ++axis)
    extent.stored_size = checked_multiply(extent.stored_size, extent.shape[axis]);
  checked_multiply(element_count(extent.shape), extent.type.size);
  return extent;
}

}  // namespace plainfs::hdf5
