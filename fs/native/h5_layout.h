// An HDF5 file whose metadata libhdf5 writes (formats/containers/hdf5/library/skeleton.h) and whose data are
// segments that are made on read, each where its contiguous dataset lies.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/hdf5/library/skeleton.h"
#include "formats/core/model/array.h"
#include "fs/native/byte_layout.h"
#include "fs/native/element_form.h"
#include "fs/native/h5_packed.h"
#include "fs/native/text_segments.h"

namespace plainfs {

using H5Attributes = std::vector<hdf5::SkeletonAttribute>;

// How texts are stored: in as many bytes as the longest has, so that the size of a file is arithmetic, or
// each in its own.
enum class H5Texts { fixed, variable };

// The parts of a file, groups before what is in them. Then finish(), or pack().
class H5Layout {
 public:
  explicit H5Layout(Context& context, H5Texts texts = H5Texts::fixed)
      : context_(context), has_variable_texts_(texts == H5Texts::variable) {}

  void group(std::string path, H5Attributes attributes = {});
  // Gives a group that is there other attributes.
  void change_group(const std::string& path, H5Attributes attributes);
  // How many groups and datasets there are.
  size_t count() const { return parts_.size(); }
  // Takes away all but the first of them.
  void drop_from(size_t first);
  // A dataset of values' shape (as users see it, in C order): numbers and truth values in their own type,
  // everything else as text. A missing text is NA, a missing real NaN.
  void dataset(const std::string& path, const ArrayPtr& values, H5Attributes attributes = {});
  // The same as text, whatever they are; that of fixed length is measured now.
  void texts(const std::string& path, const ArrayPtr& values, H5Attributes attributes = {});
  // In another type of number.
  void numbers(const std::string& path, const ArrayPtr& values, hdf5::SkeletonDataset as, ElementForm form,
               H5Attributes attributes = {});
  // Of data that are made elsewhere: size of as and shape are those of the segment.
  void data(const std::string& path, hdf5::SkeletonDataset as, SegmentPtr segment,
            H5Attributes attributes = {});
  // A list of texts that is at hand.
  void texts(const std::string& path, const std::vector<std::string>& values, H5Attributes attributes = {});
  // The dataset that was added last may grow along its first axis, where it is divided into chunks.
  void let_grow() { parts_.back().may_grow = true; }

  // Puts the parts into the order of what rank returns of their paths; those of one rank stay as they are.
  void sort(const std::function<size_t(std::string_view path)>& rank);

  // Requires: texts are of fixed length. Throws unsupported where an HDF5 file cannot have it so.
  ByteLayout finish();
  // The same, divided into chunks and compressed.
  std::unique_ptr<const PackedForm> pack(const H5Packing& packing);

 private:
  Context& context_;
  const bool has_variable_texts_;
  std::vector<H5Part> parts_;
};

}  // namespace plainfs
