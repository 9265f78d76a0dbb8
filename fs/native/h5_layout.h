// An HDF5 file whose metadata libhdf5 writes (formats/containers/hdf5/library/skeleton.h) and whose data are
// segments that are made on read, each where its contiguous dataset lies.
#pragma once

#include <string>
#include <vector>

#include "formats/containers/hdf5/library/skeleton.h"
#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"
#include "fs/native/text_segments.h"

namespace plainfs {

using H5Attributes = std::vector<hdf5::SkeletonAttribute>;

// The parts of a file, groups before what is in them. Then finish().
class H5Layout {
 public:
  explicit H5Layout(Context& context) : context_(context) {}

  void group(std::string path, H5Attributes attributes = {});
  // Gives a group that is there other attributes.
  void change_group(const std::string& path, H5Attributes attributes);
  // How many groups and datasets there are.
  size_t count() const { return objects_.size(); }
  // Takes away all but the first of them.
  void drop_from(size_t first);
  // A dataset of values' shape (as users see it, in C order): numbers and truth values in their own type,
  // everything else as text of fixed length, which is measured now. A missing text is NA, a missing
  // real NaN.
  void dataset(const std::string& path, const ArrayPtr& values, H5Attributes attributes = {});
  // Text that is measured already.
  void texts(const std::string& path, const ArrayPtr& values, const TextLengths& lengths,
             H5Attributes attributes = {});
  // In another type of number.
  void numbers(const std::string& path, const ArrayPtr& values, hdf5::SkeletonDataset as, ElementForm form,
               H5Attributes attributes = {});
  // Of data that are made elsewhere: size of as and shape are those of the segment.
  void data(const std::string& path, hdf5::SkeletonDataset as, SegmentPtr segment,
            H5Attributes attributes = {});
  // A list of texts that is at hand.
  void texts(const std::string& path, const std::vector<std::string>& values, H5Attributes attributes = {});

  // Throws unsupported where an HDF5 file cannot have it so.
  ByteLayout finish();

 private:
  Context& context_;
  std::vector<hdf5::SkeletonObject> objects_;
  std::vector<SegmentPtr> segments_;  // of each object; null of a group
};

}  // namespace plainfs
