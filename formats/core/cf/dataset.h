// Variables with named dimensions, as defined by the CF conventions and xarray, from any kind of store.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/derived_group.h"
#include "formats/core/model/node.h"

namespace plainfs {

struct CfVariable {
  std::string name;
  std::vector<std::string> dimensions;  // one for each axis of values
  ArrayPtr values;                      // as stored; scalars are of rank 0, not column-major
  // Attributes of the data, without the bookkeeping of the store. Numeric values of _FillValue are numbers.
  Attributes attributes;
  ArrayPtr decoded;            // the decoded values, of the same shape (decoded.h)
  bool is_characters = false;  // single bytes of text, as in NetCDF: the last axis runs along a text
  bool is_inherited = false;   // the coordinate of a dimension, from a parent group

  bool is_coordinate() const { return dimensions.size() == 1 && dimensions[0] == name; }
};

// A dataset. Immutable and thread-safe.
struct CfDataset {
  std::string place;  // "/" or "/forecast", for messages
  Attributes attributes;
  std::vector<CfVariable> variables;  // sorted by name in byte order, inherited coordinates included

  // Returns null if there is no variable of that name.
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

// Returns the text of an attribute, or an empty one if it is absent or not a text.
std::string cf_text(const Attributes& attributes, std::string_view name);

}  // namespace plainfs
