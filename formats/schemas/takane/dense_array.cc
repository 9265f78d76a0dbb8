#include "formats/schemas/takane/dense_array.h"

#include <algorithm>

#include "formats/containers/hdf5/container.h"
#include "formats/core/model/derived_array.h"
#include "formats/schemas/takane/directory_group.h"
#include "formats/schemas/takane/side_names.h"
#include "formats/schemas/takane/typed_values.h"

namespace plainfs::takane {
namespace {

constexpr const char* kDenseArray = "dense_array";

// What stands in the file, and what its values mean.
struct ArrayContent {
  ArrayPtr values;             // as they are in the file, in the order of the object
  ArrayPtr meant;              // null where error is set
  std::optional<Error> error;  // why they have no meaning
};

ArrayPtr meant_values(const Group& group, const std::string& type, const Owner& owner, Context& context) {
  if (type == "vls") return vls_values(group);
  const ArrayPtr stored = find_array(group, "data");
  if (!stored) throw damaged("an array has data");
  return typed_values(stored, type, hdf5::attribute(*stored, kPlaceholder), "none", owner, context);
}

ArrayContent read_array(const Group& group, const Owner& owner, Context& context) {
  ArrayContent read;
  try {
    const bool transposed = is_transposed(group);
    read.values = find_array(group, "data");
    if (read.values && transposed) read.values = as_column_major(read.values);
    const std::optional<std::string> type = text_attribute(hdf5::attribute(group, "type"), "type");
    if (!type) throw damaged("an array has a type attribute");
    read.meant = meant_values(group, *type, owner, context);
    if (transposed) read.meant = as_column_major(read.meant);
    if (read.meant->shape().empty()) throw damaged("an array has one dimension at least");
  } catch (const Error& error) {
    read.error = error;
  }
  return read;
}

Content content_of(const Group& group, const ArrayContent& array, const SideNames& given,
                   const ObjectPlace& place, Context& context) {
  if (array.error && !array.values) return *array.error;
  if (array.error) {
    const ArrayPtr broken = std::make_shared<BrokenArray>(array.values->dtype(), *array.error);
    return LabelledArray{array.values, nullptr, nullptr, broken};
  }
  LabelledArray shown{array.meant, nullptr, nullptr};
  const Shape& shape = array.meant->shape();
  if (shape.size() != 2) return shown;
  const bool reversed = array.meant->column_major();
  const MatrixExtent extent{shape[reversed], shape[!reversed]};
  const SideNames names = side_names(group, extent, given, place.path, context, reversed);
  shown.row_names = names.rows;
  shown.column_names = names.columns;
  return shown;
}

}  // namespace

bool is_transposed(const Group& group) {
  const ArrayPtr transposed = hdf5::attribute(group, "transposed");
  if (!transposed) return false;
  if (!transposed->shape().empty() || transposed->is_null() || !transposed->dtype().is_integer())
    throw damaged("the transposed attribute is a whole number");
  const Elements value = read_all(*transposed);
  return std::any_of(value.bytes.begin(), value.bytes.end(),
                     [](std::byte byte) { return byte != std::byte{}; });
}

Node open_dense_array(const Opening& opening) {
  const auto& [place, object, sides, context] = opening;
  check_version(object, kDenseArray);
  const GroupPtr group = open_file_group(place, "array.h5", kDenseArray, context);
  const ArrayContent array = read_array(*group, {"array", place.path}, context);
  Member shown{kDenseArray, Node{.content = content_of(*group, array, sides, place, context)}};
  return Node{.parts = object_group(place, "array.h5", {std::move(shown)}, context)};
}

}  // namespace plainfs::takane
