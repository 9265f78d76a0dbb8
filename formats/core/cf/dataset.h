// Variables with named dimensions, as defined by the CF conventions and xarray, from any kind of store.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/node.h"

namespace plainfs {

// A node that its users share while one of them keeps it. Thread-safe. A copy shares nothing with the
// original.
class SharedNode {
 public:
  SharedNode() = default;
  SharedNode(const SharedNode&) {}
  SharedNode& operator=(const SharedNode&) { return *this; }

  // Returns the node that another user keeps, or make().
  template <class Make>
  std::shared_ptr<const Node> get(Make&& make) const {
    const MutexLock lock(mutex_);
    std::shared_ptr<const Node> node = node_.lock();
    if (!node) node_ = node = make();
    return node;
  }

 private:
  mutable Mutex mutex_;
  mutable std::weak_ptr<const Node> node_ GUARDED_BY(mutex_);
};

struct CfVariable {
  std::string name;
  std::vector<std::string> dimensions;  // one for each axis of values
  ArrayPtr values;                      // as stored; scalars are of rank 0, not column-major
  // Attributes of the data, without the bookkeeping of the store. Numeric values of _FillValue are numbers.
  Attributes attributes;
  ArrayPtr decoded;            // the decoded values (decoded.h), of the same shape, or of texts if is_joined
  bool is_characters = false;  // single bytes of text, as in NetCDF
  bool is_joined = false;      // characters: the last axis runs along a text
  bool has_default_fill = false;  // netCDF wrote it: a number that was never written is netcdf_fill()
  bool is_inherited = false;      // the coordinate of a dimension, from a parent group
  // The path of the group that defines each dimension, "" if only its name is known; or no path at all.
  std::vector<std::string> groups{};
  Role role = Role::data;  // or coordinate
  SharedNode table{};      // for table_of_all()

  size_t rank() const { return dimensions.size() - is_joined; }  // of decoded
  bool is_coordinate() const { return rank() == 1 && dimensions[0] == name; }
  // Returns the path of the group that defines a dimension, or "".
  std::string_view group_of(size_t axis) const {
    return axis < groups.size() ? groups[axis] : std::string_view();
  }
};

struct CfDimension {
  std::string name;
  uint64_t length;
};

// A dataset. Immutable and thread-safe.
struct CfDataset {
  std::string place;  // "/" or "/forecast", for messages
  Attributes attributes;
  std::vector<CfVariable> variables;           // sorted by name in byte order, inherited coordinates included
  std::vector<CfDimension> unused_dimensions;  // of the group, without a variable along them
  // Coordinates of parent groups that have the name of another variable of the group.
  std::vector<CfVariable> hidden_coordinates;

  // Returns null if there is no variable of that name. Does not find hidden coordinates.
  const CfVariable* find(std::string_view name) const;
  // Returns the variable that labels the elements along a dimension, or null if no coordinate has that
  // length.
  const CfVariable* coordinate(std::string_view dimension, uint64_t length) const;
};
using CfDatasetPtr = std::shared_ptr<const CfDataset>;

// A group that may be a CF dataset.
class CfGroup : public DerivedGroup {
 public:
  using DerivedGroup::DerivedGroup;

  // Returns the dataset, or null if no array of the group has named dimensions, or if two arrays give one
  // dimension different lengths. Reads the attributes of the arrays once. Throws what reading them throws.
  virtual CfDatasetPtr dataset() const = 0;
};

// Returns the dataset of a node's group, also if views see it wrapped; null if it has none.
inline CfDatasetPtr cf_dataset(const Node& node) {
  const auto* const group = node.parts ? dynamic_cast<const CfGroup*>(&stored_group(*node.parts)) : nullptr;
  return group ? group->dataset() : nullptr;
}

// Returns the number that netCDF leaves where nothing was written, unless the variable has `_FillValue`
// (netcdf.h).
template <class T>
T netcdf_fill() {
  if constexpr (std::is_same_v<T, Half>)
    return to_half_from_double(9.969209968386869e+36);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(9.969209968386869e+36);
  else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>)
    return std::is_signed_v<T> ? static_cast<T>(-9223372036854775806) : static_cast<T>(18446744073709551614u);
  else
    return std::is_signed_v<T> ? static_cast<T>(-std::numeric_limits<T>::max())
                               : std::numeric_limits<T>::max();
}

// Returns the names that the attributes of a variable refer to: its coordinates, bounds, grid mapping and the
// like.
std::vector<std::string> names_referred_to(const CfVariable& variable);

}  // namespace plainfs
