#include "formats/schemas/takane/vectors.h"

#include "formats/containers/hdf5/container.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/takane/checks.h"
#include "formats/schemas/takane/columns.h"
#include "formats/schemas/takane/object.h"
#include "formats/schemas/takane/typed_values.h"

namespace plainfs::takane {
namespace {

constexpr const char* kVectorFile = "contents.h5";

Node contents_node(const ObjectPlace& place, Content content, Context& context) {
  Member contents{"contents", Node{.content = std::move(content)}};
  return Node{.parts = object_group(place, kVectorFile, {std::move(contents)}, context)};
}

// Returns the names; null if they are absent.
ArrayPtr names_of(const Group& group, uint64_t count) {
  if (!group.find("names")) return nullptr;
  const ArrayPtr names = find_array(group, "names");
  if (!names) throw damaged("names is not a dataset");
  if (names->shape().size() != 1 || names->count() != count)
    throw damaged("{} names for {} values", element_count(names->shape()), count);
  if (!names->dtype().is_text()) throw damaged("names are {}, expected strings", names->dtype().name());
  return checked(nul_terminated(names), [names] { require_no_null_strings(*names, "names"); });
}

ArrayPtr values_of(const Group& group, const Owner& owner, Context& context) {
  const std::optional<std::string> type = text_attribute(hdf5::attribute(group, "type"), "type");
  if (!type) throw damaged("the attribute \"type\" is missing");
  if (*type == "vls") return vls_values(group);
  const ArrayPtr values = find_array(group, "values");
  if (!values) throw damaged("the dataset values is missing");
  const std::string format =
      *type == "string" ? string_format(hdf5::attribute(group, "format"), owner, context) : "none";
  return typed_values(values, *type, hdf5::attribute(*values, kPlaceholder), format, owner, context);
}

}  // namespace

Node open_contents(const ObjectPlace& place, const Group& group, const ArrayPtr& values, Context& context) {
  if (values->shape().size() != 1)
    throw damaged("the vector has {} dimensions, expected 1", values->shape().size());
  if (const ArrayPtr names = names_of(group, values->count()))
    return contents_node(place, Table{values->count(), names, {{"value", values}}}, context);
  return contents_node(place, LabelledArray{frames::as_written(values), nullptr, nullptr}, context);
}

Node broken_contents(const ObjectPlace& place, const Error& error, Context& context) {
  return contents_node(place, error, context);
}

Node open_atomic_vector(const Opening& opening) {
  const auto& [place, object, sides, context] = opening;
  check_version(object, "atomic_vector");
  const GroupPtr group = open_file_group(place, kVectorFile, "atomic_vector", context);
  try {
    return open_contents(place, *group, values_of(*group, {"vector", place.path}, context), context);
  } catch (const Error& error) {
    return broken_contents(place, error, context);
  }
}

Node open_string_factor(const Opening& opening) {
  const auto& [place, object, sides, context] = opening;
  check_version(object, "string_factor");
  const GroupPtr group = open_file_group(place, "contents.h5", "string_factor", context);
  try {
    const ArrayPtr values = factor_values(*group, {"factor", place.path}, context);
    return open_contents(place, *group, values, context);
  } catch (const Error& error) {
    return broken_contents(place, error, context);
  }
}

std::optional<std::string> scalar_text(const ArrayPtr& array) {
  if (!array || array->is_null() || array->count() != 1 || !array->dtype().is_text()) return std::nullopt;
  const ArrayPtr text = nul_terminated(array);
  const Elements value = read_all(*text);
  return std::string(text_of(text->dtype(), value, 0));
}

uint64_t scalar_number(const ArrayPtr& array, const char* what) {
  if (array && !array->is_null() && array->count() == 1 &&
      (array->dtype().is_integer() || array->dtype().kind == Kind::boolean)) {
    const Elements value = read_all(*array);
    const auto number = visit_number(array->dtype(), [&](auto example) -> std::optional<uint64_t> {
      using T = decltype(example);
      if constexpr (std::is_integral_v<T>)
        if (value.values<T>()[0] >= 0) return static_cast<uint64_t>(value.values<T>()[0]);
      return std::nullopt;
    });
    if (number) return *number;
  }
  throw damaged("{} is not a non-negative integer", what);
}

}  // namespace plainfs::takane
