// What an element of AnnData's format says it is. Its groups stand in files of every kind, so the encoding is
// looked for in any group, and only a type and version that are known together give one a meaning.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "formats/core/model/attribute.h"

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

}  // namespace plainfs::frames
