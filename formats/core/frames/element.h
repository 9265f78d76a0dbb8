// The encodings of elements of AnnData's format. Its groups occur in files of every kind, so any group may
// have an encoding. Only a known combination of type and version gives a group a meaning.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/model/context.h"
#include "formats/core/model/elements/attribute.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// The attributes encoding-type and encoding-version. Each is a text, of fixed or variable length, or a list
// of one text.
struct Encoding {
  std::string type;
  std::string version;

  // Returns whether this is that type in one of those versions.
  bool is(std::string_view a_type, std::initializer_list<std::string_view> versions) const;
};

// Returns nullopt if there is no encoding-type or it is not a text. Throws if one of the two cannot be read.
std::optional<Encoding> encoding_of(const Attributes& attributes);

// The shape of a matrix from an attribute with two counts. matrix_shape_in returns nullopt if the attribute
// is absent. It throws if the attribute cannot be read, and damaged if it has any other form.
struct MatrixShape {
  uint64_t rows = 0;
  uint64_t columns = 0;
};
std::optional<MatrixShape> matrix_shape_in(const Attributes& attributes, std::string_view name);

// One element of AnnData's format as a list of values: an array, a categorical or a nullable array. Columns,
// indexes and categories are recognised here only.

// Returns the array that `node` stands for: itself, the labels of a categorical, or the values of a nullable
// group; null for anything else, unknown encodings included. node: as its container returns it. Throws if it
// or its attributes cannot be read. A categorical or nullable group with inconsistent parts gives an array
// that throws when it is used.
ArrayPtr values_of(const Node& node, Context& context);

// Returns the values like values_of, but null for categoricals: these can be the categories of one.
ArrayPtr plain_values_of(const Node& node);

// Returns whether those values are text, as far as that is known without reading any.
bool holds_text(const Node& node);

// Values with a mask that marks the missing ones: AnnData's nullable integers, truth values and texts.

// Returns `values`, missing where `mask` is TRUE. check() and every use throw damaged if the two differ in
// length or the mask does not consist of truth values.
ArrayPtr nullable(ArrayPtr values, ArrayPtr mask);

// Returns the nullable array of a group with values and mask. An absent part gives an array that throws
// damaged when it is used.
ArrayPtr nullable_group(const Group& group);

// Codes and their labels: AnnData's categorical groups (codes and categories, -1 missing), its codes with a
// reference to their categories, and R's factors in HDF5 files (levels and 1-based values).

// Returns whether `array` is a list of integers, as codes are.
bool are_codes(const Array& array);

// Returns `codes` with base - 1, the code of a missing value, marked as missing: -1 for codes from 0, 0 for
// codes from 1. Codes of other types are returned unchanged.
ArrayPtr codes_from(ArrayPtr codes, int64_t base);

// Returns the attribute ordered: true, or a number other than 0. If it cannot be read or has any other value,
// logs that with `place` and returns false, because only files of other programs show an order.
bool are_ordered(const Attributes& attributes, const std::string& place, Context& context);

// Returns the labels of codes from 0, -1 missing. Any other code without a label is NA and is logged once
// with `place`.
ArrayPtr categorical(ArrayPtr codes, ArrayPtr categories, const std::string& place, Context& context,
                     bool is_ordered = false);

// Returns the labels of a group with codes and categories. A part that is absent, not a list or of another
// kind gives an array that throws damaged when it is used.
ArrayPtr categorical_group(const Group& group, Context& context);

}  // namespace plainfs::frames
