#include "formats/containers/hdf5/library/skeleton.h"

#include <string>

#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/library/kept_file.h"
#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/library/object_writer.h"
#include "formats/containers/hdf5/library/sink_file.h"

namespace plainfs::hdf5 {
namespace {

class SkeletonWriter {
 public:
  // Returns the offset of the object's data.
  uint64_t add(const SkeletonObject& object) {
    const DatasetHandle made = objects_.add(object);
    if (!object.dataset) return 0;
    const haddr_t offset = H5Dget_offset(made.id());
    take_library_error();  // a dataset without elements has no place, which the library reports as an error
    return offset == HADDR_UNDEF ? 0 : offset;
  }

  Skeleton finish() {
    objects_.finish();
    throw_driver_error();  // the library does not report every error
    Skeleton skeleton;
    skeleton.size = kept_.size();
    for (const auto& [offset, bytes] : kept_.extents()) skeleton.extents.push_back({offset, bytes});
    return skeleton;
  }

 private:
  KeptFile kept_;  // before the file, which writes into it when it is closed
  const PropertyHandle access_ = access_into(kept_, MetadataPlacement::as_allocated);
  ObjectWriter objects_{access_.id()};
};

}  // namespace

Skeleton write_skeleton(const std::vector<SkeletonObject>& objects) {
  const LibraryLock lock;
  forget_driver_error();
  SkeletonWriter writer;
  std::vector<uint64_t> offsets;
  for (const SkeletonObject& object : objects) {
    try {
      offsets.push_back(writer.add(object));
    } catch (const Error& error) {
      throw unsupported("{} in an HDF5 file: {}", object.path, error.what());
    }
  }
  Skeleton skeleton = writer.finish();
  skeleton.data_offsets = std::move(offsets);
  return skeleton;
}

}  // namespace plainfs::hdf5
