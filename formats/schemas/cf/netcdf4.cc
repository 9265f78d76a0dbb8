#include "formats/schemas/cf/netcdf4.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "formats/containers/hdf5/source_file.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/assembly.h"
#include "formats/core/model/number_cast.h"
#include "formats/core/text/path_names.h"

namespace plainfs::cf {
namespace {

constexpr std::string_view kNoVariable = "This is a netCDF dimension but not a netCDF variable";
constexpr std::string_view kPrefix = "_nc4_non_coord_";

std::string text_in(const Attributes& attributes, std::string_view name) {
  const Json* const value = readable_value(attributes, name);
  return value && value->text() ? *value->text() : std::string();
}

bool is_scale(const Attributes& attributes) {
  return text_in(attributes, "CLASS") == "DIMENSION_SCALE";
}

std::string without_prefix(const std::string& name) {
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

std::optional<int64_t> first_integer(const Json* value) {
  if (!value) return std::nullopt;
  const Json::List* const list = value->list();
  return list ? (list->empty() ? std::nullopt : list->front().as_int64()) : value->as_int64();
}

// The dimensions of a group and of those above it.
struct Dimensions {
  std::map<int64_t, std::string> by_id;     // `_Netcdf4Dimid`
  std::map<std::string, uint64_t> lengths;  // the longest of the arrays along it

  void add_scale(const std::string& name, const Array& values, const Attributes& attributes) {
    if (!is_scale(attributes) || values.shape().empty()) return;
    if (const auto id = first_integer(readable_value(attributes, "_Netcdf4Dimid")))
      by_id.try_emplace(*id, name);
    uint64_t& length = lengths[name];
    length = std::max(length, values.shape()[0]);
  }
};

// Returns the name that a list of references to scales gives an axis.
std::string name_in(const Json& references) {
  const Json* const first = first_in(&references);
  const std::string* const path = (first ? *first : references).text();
  return std::string(path ? last_name(*path) : std::string_view());
}

Axes scale_axes(const StoredArrayOf& array, const Dimensions& dimensions) {
  Axes axes;
  const size_t rank = array.values().shape().size();
  axes.names.resize(rank);
  const Json* const coordinates = readable_value(array.attributes, "_Netcdf4Coordinates");
  const Json* const scales = readable_value(array.attributes, "DIMENSION_LIST");
  if (scales && scales->list() && scales->list()->size() == rank) {
    for (size_t axis = 0; axis < rank; ++axis) axes.names[axis] = name_in((*scales->list())[axis]);
  } else if (coordinates && coordinates->list() && coordinates->list()->size() == rank) {
    for (size_t axis = 0; axis < rank; ++axis) {
      const auto id = (*coordinates->list())[axis].as_int64();
      const auto found = id ? dimensions.by_id.find(*id) : dimensions.by_id.end();
      if (found != dimensions.by_id.end()) axes.names[axis] = found->second;
    }
  } else if (is_scale(array.attributes) && rank == 1) {
    axes.names[0] = array.name;
  }
  return axes;
}

// An array extended with its fill value along axes on which it is shorter than their dimensions.
class ContinuedArray : public Array {
 public:
  ContinuedArray(ArrayPtr values, Shape shape, Elements fill, Attributes attributes)
      : Array(values->dtype(), std::move(shape)),
        values_(std::move(values)),
        fill_(std::move(fill)),
        attributes_(std::move(attributes)) {}

  Shape chunk_shape() const override { return values_->chunk_shape(); }
  void check() const override { values_->check(); }
  bool may_be_missing() const override { return values_->may_be_missing(); }
  Attributes attributes() const override { return attributes_; }

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const uint64_t count = element_count(box.extent);
    Elements all = repeated_element(dtype(), fill_, count);
    Box there = box;
    for (size_t axis = 0; axis < box.origin.size(); ++axis) {
      const uint64_t end = values_->shape()[axis];
      there.origin[axis] = std::min(box.origin[axis], end);
      there.extent[axis] = std::min(box.extent[axis], end - there.origin[axis]);
    }
    if (element_count(there.extent) == 0) return all;
    const Elements some = values_->read(there);
    if (there.extent == box.extent) return some;
    if (layout_of(dtype()) != Layout::flat)
      throw unsupported("a variable of {} that is shorter than its dimension", dtype().name());
    copy_box(dtype().size, some.bytes.data(), there.extent, whole(there.extent), all.bytes.data(), box.extent,
             Shape(box.extent.size(), 0));
    return all;
  }

 private:
  const ArrayPtr values_;
  const Elements fill_;
  const Attributes attributes_;
};

// Returns netcdf-c's default fill value (netcdf.h), for a variable without `_FillValue`.
double default_fill(const DType& type) {
  if (type.kind == Kind::real) return 9.969209968386869e+36;
  const bool is_signed = type.kind == Kind::integer || type.base == Kind::integer;
  switch (type.size) {
    case 1:
      return is_signed ? -127 : 255;
    case 2:
      return is_signed ? -32767 : 65535;
    default:
      return is_signed ? -2147483647 : 4294967295;
  }
}

Elements fill_element(const DType& type, const Attributes& attributes) {
  Elements one = zero_elements(type, 1);
  if (!type.is_numeric()) return one;
  const Json* const stated = readable_value(attributes, "_FillValue");
  const Json* const value =
      stated && stated->list() && !stated->list()->empty() ? &stated->list()->front() : stated;
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    T& out = one.mutable_values<T>()[0];
    if constexpr (std::is_same_v<T, int64_t>) {
      out = value ? value->as_int64().value_or(0) : -9223372036854775806;
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      out = value ? value->as_uint64().value_or(0) : 18446744073709551614u;
    } else {
      const double number = value ? value->as_double().value_or(0) : default_fill(type);
      out = number_cast<T>(number);
    }
  });
  return one;
}

void continue_to(const Dimensions& dimensions, StoredArrayOf& array) {
  auto& labelled = std::get<LabelledArray>(array.node.content);
  Shape shape = labelled.values->shape();
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (const auto found = dimensions.lengths.find(array.axes.names[axis]); found != dimensions.lengths.end())
      shape[axis] = std::max(shape[axis], found->second);
  if (shape == labelled.values->shape()) return;
  element_count(shape);
  Elements fill = fill_element(labelled.values->dtype(), array.attributes);
  labelled.values =
      std::make_shared<ContinuedArray>(labelled.values, std::move(shape), std::move(fill), array.attributes);
}

bool is_no_variable(const Attributes& attributes) {
  return is_scale(attributes) && text_in(attributes, "NAME").starts_with(kNoVariable);
}

// Early versions of libnetcdf leave no mark except the name of a dimension without a variable.
bool is_netcdf4(const Group& group, const std::vector<StoredArrayOf>& arrays) {
  const bool has_mark = std::any_of(arrays.begin(), arrays.end(), [](const StoredArrayOf& array) {
    return readable_value(array.attributes, "_Netcdf4Dimid") ||
           readable_value(array.attributes, "_Netcdf4Coordinates") || is_no_variable(array.attributes);
  });
  if (has_mark) return true;
  GroupPtr root = group.parent();
  while (root && root->parent()) root = root->parent();
  return readable_value(root ? root->attributes() : group.attributes(), "_NCProperties") != nullptr;
}

void add_dimensions_above(const Group& group, Dimensions& dimensions) {
  for (GroupPtr above = group.parent(); above; above = above->parent())
    for (const Member& member : above->members())
      if (const auto* array = std::get_if<LabelledArray>(&member.node.content))
        dimensions.add_scale(member.name, *array->values, attributes_of(member.node));
}

}  // namespace

bool is_of_hdf5(const Group& group) {
  return dynamic_cast<const hdf5::StoredObject*>(&group) != nullptr;
}

bool has_scales(const Attributes& attributes) {
  return readable_value(attributes, "DIMENSION_LIST") || readable_value(attributes, "_Netcdf4Coordinates") ||
         is_scale(attributes);
}

std::vector<StoredArrayOf> with_scales(const Group& group, std::vector<StoredArrayOf> arrays) {
  Dimensions dimensions;
  for (const StoredArrayOf& array : arrays)
    dimensions.add_scale(array.name, array.values(), array.attributes);
  add_dimensions_above(group, dimensions);
  for (StoredArrayOf& array : arrays) array.axes = scale_axes(array, dimensions);
  if (!is_netcdf4(group, arrays)) return arrays;
  for (const StoredArrayOf& array : arrays)
    for (size_t axis = 0; axis < array.axes.names.size(); ++axis)
      if (const auto found = dimensions.lengths.find(array.axes.names[axis]);
          found != dimensions.lengths.end())
        found->second = std::max(found->second, array.values().shape()[axis]);
  std::vector<StoredArrayOf> variables;
  for (StoredArrayOf& array : arrays) {
    if (is_no_variable(array.attributes)) continue;
    array.name = without_prefix(array.name);
    continue_to(dimensions, array);
    variables.push_back(std::move(array));
  }
  return variables;
}

}  // namespace plainfs::cf
