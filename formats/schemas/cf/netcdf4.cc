#include "formats/schemas/cf/netcdf4.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "formats/containers/hdf5/container.h"
#include "formats/containers/hdf5/source_file.h"
#include "formats/core/base/checked.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/model/arrays/assembly.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/path_names.h"

namespace plainfs::cf {
namespace {

constexpr std::string_view kNoVariable = "This is a netCDF dimension but not a netCDF variable";
constexpr std::string_view kPrefix = "_nc4_non_coord_";

bool is_scale(const Attributes& attributes) {
  return attributes.readable().text("CLASS") == "DIMENSION_SCALE";
}

std::string without_prefix(const std::string& name) {
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

std::optional<int64_t> first_integer(const Json* value) {
  if (!value) return std::nullopt;
  const Json::List* const list = value->list();
  return list ? (list->empty() ? std::nullopt : list->front().as_int64()) : value->as_int64();
}

// Returns the first path in a list of references to scales, "" if the list is empty.
std::string path_in(const Json& references) {
  const Json* const first = first_in(&references);
  const std::string* const path = (first ? *first : references).text();
  return path ? *path : "";
}

std::optional<uint64_t> address_of(const Array& array) {
  const auto* const stored = dynamic_cast<const hdf5::StoredObject*>(&array);
  return stored ? std::optional(stored->address()) : std::nullopt;
}

// A dimension of a group or of one above it.
struct Dimension {
  std::string name;
  const Group* group = nullptr;  // which defines it
  ArrayPtr scale;
  uint64_t length = 0;
  int64_t id = -1;  // `_Netcdf4Dimid`
};

// The dimensions of a group and of those above it, by the paths of their scales.
class Dimensions {
 public:
  void add_scale(const Group& group, const std::string& name, const ArrayPtr& values,
                 const Attributes& attributes) {
    if (!is_scale(attributes) || values->shape().empty()) return;
    Dimension dimension{name, &group, values, values->shape()[0], -1};
    if (const auto id = first_integer(attributes.readable().find("_Netcdf4Dimid"))) dimension.id = *id;
    by_path_.try_emplace(joined_path(group.path(), name), std::move(dimension));
  }

  // Returns the dimension at a path, null if it is not one of these. root: of the file. An object may have
  // several paths.
  Dimension* at(const std::string& path, const Group& root) {
    if (const auto found = by_path_.find(path); found != by_path_.end()) return &found->second;
    const std::optional<uint64_t> address = address_at(path, root);
    if (!address) return nullptr;
    for (auto& [unused, dimension] : by_path_)
      if (address_of(*dimension.scale) == address) return &dimension;
    return nullptr;
  }
  // Returns the dimensions that a group defines.
  std::vector<CfDimension> of(const Group& group) const {
    std::vector<CfDimension> own;
    for (const auto& [unused, dimension] : by_path_)
      if (dimension.group == &group) own.push_back({dimension.name, dimension.length});
    return own;
  }
  Dimension* with_id(int64_t id) {
    for (auto& [unused, dimension] : by_path_)
      if (dimension.id == id) return &dimension;
    return nullptr;
  }

 private:
  static std::optional<uint64_t> address_at(std::string_view path, const Group& root) {
    std::optional<Node> node;
    const Group* group = &root;
    while (!path.empty() && path.front() == '/') {
      path.remove_prefix(1);
      const std::string_view name = path.substr(0, path.find('/'));
      if (!group || !(node = group->find(name))) return std::nullopt;
      group = node->parts.get();
      path.remove_prefix(name.size());
    }
    const auto* const array = node ? std::get_if<LabelledArray>(&node->content) : nullptr;
    return array ? address_of(*array->values) : std::nullopt;
  }

  std::map<std::string, Dimension> by_path_;
};

const Group& root_of(const Group& group) {
  const Group* root = &group;
  while (const GroupPtr above = root->parent()) root = above.get();  // a group keeps the one above it
  return *root;
}

// The axes of an array, and the dimension of each, null if it is not of the group or one above it.
struct ScaledAxes {
  Axes axes;
  std::vector<Dimension*> dimensions;

  void set(size_t axis, Dimension* dimension) {
    dimensions[axis] = dimension;
    if (!dimension) return;
    axes.names[axis] = dimension->name;
    axes.groups[axis] = dimension->group->path();
  }
};

ScaledAxes scale_axes(const StoredArrayOf& array, const Group& group, Dimensions& dimensions) {
  const size_t rank = array.values().shape().size();
  ScaledAxes scaled;
  scaled.axes.names.resize(rank);
  scaled.axes.groups.resize(rank);
  scaled.dimensions.resize(rank);
  const Json* const coordinates = array.attributes.readable().find("_Netcdf4Coordinates");
  const Json* const scales = array.attributes.readable().find("DIMENSION_LIST");
  if (scales && scales->list() && scales->list()->size() == rank) {
    for (size_t axis = 0; axis < rank; ++axis) {
      const std::string path = path_in((*scales->list())[axis]);
      if (path.empty()) continue;
      scaled.axes.names[axis] = last_name(path);
      scaled.axes.groups[axis] = folder_of_path(path);
      scaled.set(axis, dimensions.at(path, root_of(group)));
    }
  } else if (coordinates && coordinates->list() && coordinates->list()->size() == rank) {
    for (size_t axis = 0; axis < rank; ++axis)
      if (const auto id = (*coordinates->list())[axis].as_int64()) scaled.set(axis, dimensions.with_id(*id));
  } else if (is_scale(array.attributes) && rank == 1) {
    scaled.set(0, dimensions.at(joined_path(group.path(), array.name), group));
  }
  return scaled;
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
    Box stored = box;
    for (size_t axis = 0; axis < box.origin.size(); ++axis) {
      const uint64_t end = values_->shape()[axis];
      stored.origin[axis] = std::min(box.origin[axis], end);
      stored.extent[axis] = std::min(box.extent[axis], end - stored.origin[axis]);
    }
    if (element_count(stored.extent) == 0) return all;
    const Elements some = values_->read(stored);
    if (stored.extent == box.extent) return some;
    if (layout_of(dtype()) != Layout::flat)
      throw unsupported("a variable of {} that is shorter than its dimension", dtype().name());
    copy_box(dtype().size, some.bytes.data(), stored.extent, whole(stored.extent), all.bytes.data(),
             box.extent, Shape(box.extent.size(), 0));
    return all;
  }

 private:
  const ArrayPtr values_;
  const Elements fill_;
  const Attributes attributes_;
};

// Returns the number in `_FillValue` as a T, nullopt if it is absent or T cannot hold it.
template <class T>
std::optional<T> stated_fill(const Attributes& attributes) {
  const Json* const stated = attributes.readable().find("_FillValue");
  const Json* const first = first_in(stated);
  const Json* const value = first ? first : stated;
  if (!value) return std::nullopt;
  if constexpr (std::is_same_v<T, uint64_t>) return value->as_uint64();
  if constexpr (std::is_integral_v<T>) {
    const std::optional<int64_t> whole = value->as_int64();
    return whole && std::in_range<T>(*whole) ? std::optional(static_cast<T>(*whole)) : std::nullopt;
  } else {
    const std::optional<double> real = value->as_double();
    return real ? std::optional(number_cast<T>(*real)) : std::nullopt;
  }
}

Elements fill_element(const DType& type, const Attributes& attributes) {
  Elements one = zero_elements(type, 1);
  if (!type.is_numeric()) return one;
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    one.mutable_values<T>()[0] = stated_fill<T>(attributes).value_or(netcdf_fill<T>());
  });
  return one;
}

void continue_to(const std::vector<Dimension*>& dimensions, StoredArrayOf& array) {
  auto& labelled = std::get<LabelledArray>(array.node.content);
  Shape shape = labelled.values->shape();
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (dimensions[axis]) shape[axis] = std::max(shape[axis], dimensions[axis]->length);
  if (shape == labelled.values->shape()) return;
  element_count(shape);
  Elements fill = fill_element(labelled.values->dtype(), array.attributes);
  labelled.values =
      std::make_shared<ContinuedArray>(labelled.values, std::move(shape), std::move(fill), array.attributes);
}

// A pass over a group and the groups in it for the longest array along a dimension.
class LongestAlong {
 public:
  LongestAlong(std::string path, int64_t id) : path_(std::move(path)), id_(id) {}

  static constexpr unsigned kMaxDepth = 256;

  uint64_t length() const { return length_; }
  // Throws unsupported if groups are nested more than kMaxDepth deep below the first one.
  void visit(const Group& group, unsigned depth = 0) {
    if (depth > kMaxDepth) throw unsupported("groups nested more than {} deep", kMaxDepth);
    const auto* const stored = dynamic_cast<const hdf5::StoredObject*>(&group);
    if (!stored || !visited_.insert(stored->address()).second) return;
    for (const Member& member : group.members()) {
      if (const auto* array = std::get_if<LabelledArray>(&member.node.content))
        visit(*array->values, attributes_of(member.node));
      else if (member.node.parts)
        visit(*member.node.parts, depth + 1);
    }
  }

 private:
  void visit(const Array& array, const Attributes& attributes) {
    const Json* const scales = attributes.readable().find("DIMENSION_LIST");
    const Json* const coordinates = attributes.readable().find("_Netcdf4Coordinates");
    for (size_t axis = 0; axis < array.shape().size(); ++axis)
      if (is_along(scales, coordinates, array.shape().size(), axis))
        length_ = std::max(length_, array.shape()[axis]);
  }
  bool is_along(const Json* scales, const Json* coordinates, size_t rank, size_t axis) const {
    if (scales && scales->list() && scales->list()->size() == rank)
      return path_in((*scales->list())[axis]) == path_;
    return id_ >= 0 && coordinates && coordinates->list() && coordinates->list()->size() == rank &&
           (*coordinates->list())[axis].as_int64() == id_;
  }

  const std::string path_;
  const int64_t id_;
  std::set<uint64_t> visited_;  // addresses of groups
  uint64_t length_ = 0;
};

// The length of a dimension without a limit: that of the longest array along it, in any group.
struct DimensionLength {
  uint64_t length;
};

void grow(Dimension& dimension) {
  if (!hdf5::can_grow(*dimension.scale)) return;
  const auto found = dimension.scale->survey<DimensionLength>(0, [&] {
    LongestAlong longest(joined_path(dimension.group->path(), dimension.name), dimension.id);
    longest.visit(*dimension.group);
    return DimensionLength{longest.length()};
  });
  dimension.length = std::max(dimension.length, found->length);
}

bool is_no_variable(const Attributes& attributes) {
  return is_scale(attributes) && attributes.readable().text("NAME").starts_with(kNoVariable);
}

// Early versions of libnetcdf leave no mark except the name of a dimension without a variable.
bool is_netcdf4(const Group& group, const std::vector<StoredArrayOf>& arrays) {
  const bool has_mark = std::any_of(arrays.begin(), arrays.end(), [](const StoredArrayOf& array) {
    return array.attributes.readable().find("_Netcdf4Dimid") ||
           array.attributes.readable().find("_Netcdf4Coordinates") || is_no_variable(array.attributes);
  });
  if (has_mark) return true;
  GroupPtr root = group.parent();
  while (root && root->parent()) root = root->parent();
  return (root ? root->attributes() : group.attributes()).readable().find("_NCProperties") != nullptr;
}

void add_dimensions_above(const Group& group, Dimensions& dimensions) {
  for (GroupPtr above = group.parent(); above; above = above->parent())
    for (const Member& member : above->members())
      if (const auto* array = std::get_if<LabelledArray>(&member.node.content))
        dimensions.add_scale(*above, member.name, array->values, attributes_of(member.node));
}

}  // namespace

bool is_of_hdf5(const Group& group) {
  return dynamic_cast<const hdf5::StoredObject*>(&group) != nullptr;
}

bool has_scales(const Attributes& attributes) {
  return attributes.readable().find("DIMENSION_LIST") || attributes.readable().find("_Netcdf4Coordinates") ||
         is_scale(attributes);
}

ScaledArrays with_scales(const Group& group, std::vector<StoredArrayOf> arrays, bool has_groups) {
  Dimensions dimensions;
  for (const StoredArrayOf& array : arrays)
    dimensions.add_scale(group, array.name, std::get<LabelledArray>(array.node.content).values,
                         array.attributes);
  add_dimensions_above(group, dimensions);
  std::vector<std::vector<Dimension*>> along;
  for (StoredArrayOf& array : arrays) {
    ScaledAxes own = scale_axes(array, group, dimensions);
    array.axes = std::move(own.axes);
    along.push_back(std::move(own.dimensions));
  }
  if (!is_netcdf4(group, arrays)) return {std::move(arrays), {}};
  std::set<Dimension*> grown;
  for (size_t i = 0; i < arrays.size(); ++i)
    for (size_t axis = 0; axis < along[i].size(); ++axis) {
      Dimension* const dimension = along[i][axis];
      if (!dimension) continue;
      dimension->length = std::max(dimension->length, arrays[i].values().shape()[axis]);
      const bool is_own = dimension->group == &group;
      if ((!is_own || has_groups) && grown.insert(dimension).second) grow(*dimension);
    }
  ScaledArrays scaled;
  scaled.dimensions = dimensions.of(group);
  for (size_t i = 0; i < arrays.size(); ++i) {
    StoredArrayOf& array = arrays[i];
    if (is_no_variable(array.attributes)) continue;
    array.name = without_prefix(array.name);
    continue_to(along[i], array);
    scaled.arrays.push_back(std::move(array));
  }
  return scaled;
}

}  // namespace plainfs::cf
