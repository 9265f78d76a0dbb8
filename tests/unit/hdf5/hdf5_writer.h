// Small HDF5 files for tests, written by the library itself.
#pragma once

#include <hdf5.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/hdf5/library/library.h"

namespace plainfs::hdf5 {

inline hid_t written(hid_t id) {
  if (id < 0) throw std::runtime_error("the test's file cannot be written: " + take_library_error());
  return id;
}

// Newer libraries write and read numbers with many unused bits only with this setting.
inline PropertyHandle unusual_access() {
  PropertyHandle access(written(H5Pcreate(H5P_FILE_ACCESS)));
#ifdef H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS
  written(H5Pset_relax_file_integrity_checks(access.id(), H5F_RFIC_UNUSUAL_NUM_UNUSED_NUMERIC_BITS));
#endif
  return access;
}

// A file that is closed, and thus complete, when the writer is destroyed. Holds the library's lock until
// then.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path, hid_t creation = H5P_DEFAULT, hid_t access = H5P_DEFAULT)
      : file_(written(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation,
                                access == H5P_DEFAULT ? unusual_access().id() : access))) {}

  hid_t id() const { return file_.id(); }

  void group(const std::string& name) {
    const ObjectHandle group(written(H5Gcreate2(id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  }

  // data: null = nothing is written. creation: properties of the dataset.
  DatasetHandle dataset(const std::string& name, hid_t file_type, const std::vector<hsize_t>& shape,
                        hid_t memory_type, const void* data, hid_t creation = H5P_DEFAULT) {
    const SpaceHandle space(written(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)));
    DatasetHandle dataset(
        written(H5Dcreate2(id(), name.c_str(), file_type, space.id(), H5P_DEFAULT, creation, H5P_DEFAULT)));
    if (data) written(H5Dwrite(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    return dataset;
  }
  DatasetHandle integers(const std::string& name, const std::vector<hsize_t>& shape,
                         const std::vector<int>& values, hid_t creation = H5P_DEFAULT) {
    return dataset(name, H5T_STD_I32LE, shape, H5T_NATIVE_INT, values.empty() ? nullptr : values.data(),
                   creation);
  }
  DatasetHandle texts(const std::string& name, const std::vector<const char*>& values,
                      hid_t creation = H5P_DEFAULT) {
    const TypeHandle type = text_type();
    return dataset(name, type.id(), {values.size()}, type.id(), values.data(), creation);
  }

  void attribute(hid_t object, const std::string& name, hid_t type, hid_t space, const void* value) {
    const AttributeHandle attribute(
        written(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT)));
    written(H5Awrite(attribute.id(), type, value));
  }

  static TypeHandle text_type() {
    TypeHandle type(H5Tcopy(H5T_C_S1));
    written(H5Tset_size(type.id(), H5T_VARIABLE));
    return type;
  }
  static PropertyHandle chunked(const std::vector<hsize_t>& chunk) {
    PropertyHandle creation(H5Pcreate(H5P_DATASET_CREATE));
    written(H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()));
    return creation;
  }

 private:
  LibraryLock lock_;
  FileHandle file_;
};

}  // namespace plainfs::hdf5
