// What an element of AnnData's format says it is. Its groups stand in files of every kind, so the encoding is
// looked for in any group, and only a type and version that are known together give one a meaning.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/model/attribute.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// The attributes encoding-type and encoding-version. Each is a text, of fixed or variable length, or a list
// of one.
struct Encoding {
  std::string type;
  std::string version;

  // Whether it is that type in one of those versions.
  bool is(std::string_view a_type, std::initializer_list<std::string_view> versions) const;
};

// Nullopt where there is no encoding-type, or it is no text. Throws where one of the two cannot be read.
std::optional<Encoding> encoding_of(const Attributes& attributes);

// The shape of a matrix in the attribute name, two counts; nullopt where there is no such attribute. Throws
// where it cannot be read, and damaged where it is something else.
struct MatrixShape {
  uint64_t rows = 0;
  uint64_t columns = 0;
};
std::optional<MatrixShape> matrix_shape_in(const Attributes& attributes, std::string_view name);

// One element of AnnData's format as a list of values: an array, a categorical, a nullable array. So columns,
// indexes and categories are told apart in one place.

// The array that node stands for: itself, the labels of a categorical, the values of a nullable group; null
// where it is anything else, an unknown encoding among them. node: as its container gives it. Throws where it
// or its attributes cannot be read. A categorical or nullable group whose parts do not fit gives an array
// that throws when it is used.
ArrayPtr values_of(const Node& node, Context& context);

// The same without categoricals: what the categories of one can be.
ArrayPtr plain_values_of(const Node& node);

// Whether those values are text, as far as that is known without reading any.
bool holds_text(const Node& node);

// Values beside a mask that says which of them are missing: AnnData's nullable integers, truth values and
// texts.

// values, missing where mask is TRUE. Throws damaged from check() and from every use where the two differ in
// length or the mask is no truth values.
ArrayPtr nullable(ArrayPtr values, ArrayPtr mask);

// Of a group of values and mask. A part that is absent gives an array that throws damaged when it is used.
ArrayPtr nullable_group(const Group& group);

// Codes and the labels they stand for: AnnData's categorical groups (codes and categories, -1 missing), its
// codes with a reference to their categories, and R's factors as HDF5 files have them (levels and 1-based
// values).

// Whether array is a list of whole numbers, as codes are.
bool are_codes(const Array& array);

// codes with base - 1, which stands for a missing value, marked as that: -1 of codes from 0, 0 of those from
// 1. Codes of other types stay as they are.
ArrayPtr codes_from(ArrayPtr codes, int64_t base);

// The attribute ordered: true, or a number that is not 0. What cannot be read, or is something else, is told
// of with place and is no order, for only files of other programs show one.
bool are_ordered(const Attributes& attributes, const std::string& place, Context& context);

// The labels of codes from 0, -1 missing. Any other code without a label is NA, told of once with place.
ArrayPtr categorical(ArrayPtr codes, ArrayPtr categories, const std::string& place, Context& context,
                     bool is_ordered = false);

// The labels of a group of codes and categories. A part that is absent, no list, or of another kind gives an
// array that throws damaged when it is used.
ArrayPtr categorical_group(const Group& group, Context& context);

}  // namespace plainfs::frames
