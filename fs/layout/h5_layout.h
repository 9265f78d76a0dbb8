// The layout of an HDF5 file: metadata written by libhdf5 (formats/containers/hdf5/library/skeleton.h), and
// data from segments that are generated on read, each at the offset of its contiguous dataset.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/hdf5/library/skeleton.h"
#include "formats/core/model/arrays/array.h"
#include "fs/layout/byte_layout.h"
#include "fs/layout/element_form.h"
#include "fs/layout/h5_packed.h"
#include "fs/layout/text_segments.h"

namespace plainfs {

using H5Attributes = std::vector<hdf5::SkeletonAttribute>;

// The storage of texts: each in as many bytes as the longest, so that the size of a file is computable, or
// each in its own length.
enum class H5Texts { fixed, variable };

// The largest dataset of records: they are in memory while the metadata are written.
inline constexpr uint64_t kMaxRecordBytes = uint64_t{64} << 20;

// A builder for the parts of a file. Groups precede their members; finish() or pack() comes last.
class H5Layout {
 public:
  explicit H5Layout(Context& context, H5Texts texts = H5Texts::fixed)
      : context_(context), has_variable_texts_(texts == H5Texts::variable) {}

  void group(std::string path, H5Attributes attributes = {});
  // Replaces the attributes of an existing group.
  void change_group(const std::string& path, H5Attributes attributes);
  // Returns the number of groups and datasets.
  size_t count() const { return parts_.size(); }
  // Removes all but the first `first` of them.
  void drop_from(size_t first);
  // Adds a dataset with the shape of `values` (as users see it, in C order): numbers and booleans in their
  // own type, everything else as text. A missing text is NA, a missing real NaN.
  void dataset(const std::string& path, const ArrayPtr& values, H5Attributes attributes = {});
  // Adds a dataset with all values as text. Texts of fixed length are measured now.
  void texts(const std::string& path, const ArrayPtr& values, H5Attributes attributes = {});
  // Adds a dataset of numbers in another type.
  void numbers(const std::string& path, const ArrayPtr& values, hdf5::SkeletonDataset as, ElementForm form,
               H5Attributes attributes = {});
  // Adds a dataset with data from `segment`. The size that follows from `as` is that of the segment.
  void data(const std::string& path, hdf5::SkeletonDataset as, SegmentPtr segment,
            H5Attributes attributes = {});
  // Adds a dataset of records. All of them are read now. Throws unsupported if HDF5 or its readers cannot
  // hold a field, or the records take more than kMaxRecordBytes.
  void records(const std::string& path, const ArrayPtr& values, H5Attributes attributes = {});
  // Adds a dataset without a value.
  void empty(const std::string& path, H5Attributes attributes = {});
  // Adds a dataset of texts of any length, without chunks. They are written with the metadata.
  void texts_in_memory(const std::string& path, std::vector<std::string> values, std::vector<uint64_t> shape,
                       H5Attributes attributes = {});
  // Adds a list of texts that is in memory.
  void texts(const std::string& path, const std::vector<std::string>& values, H5Attributes attributes = {});
  // Lets the dataset that was added last grow along its first axis, if it is divided into chunks.
  void let_grow(size_t axis = 0) {
    parts_.back().may_grow = true;
    parts_.back().growing_axis = axis;
  }
  // Sets the shape of the chunks of that dataset.
  void set_chunk(std::vector<uint64_t> shape) { parts_.back().chunk = std::move(shape); }

  // Sorts the parts by rank(path). Parts of the same rank keep their order.
  void sort(const std::function<size_t(std::string_view path)>& rank);

  // Returns the file. user_block: see hdf5::write_skeleton(). Requires: texts are of fixed length. Throws
  // unsupported if HDF5 cannot store it.
  ByteLayout finish(const std::string& user_block = {});
  // Returns the file divided into chunks and compressed.
  std::unique_ptr<const PackedForm> pack(const H5Packing& packing);

 private:
  Context& context_;
  const bool has_variable_texts_;
  std::vector<H5Part> parts_;
};

}  // namespace plainfs
