// What the stored numbers and texts of takane mean: the type that an attribute names, and the placeholder
// that stands for a missing value. Data frames, vectors and arrays share it.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::takane {

inline constexpr const char* kPlaceholder = "missing-value-placeholder";

// A scalar string attribute, or nullopt where there is none. Throws damaged where it is something else.
std::optional<std::string> text_attribute(const ArrayPtr& attribute, const char* name);

// What the values belong to, for messages: "column", and its path in the store.
struct Owner {
  const char* what;
  std::string path;
};

// The stored values as type means them, of any rank: integer, boolean, number or string; placeholder: the
// attribute that stands for missing values, null = none is missing. format: of strings, "none", "date" or
// "date-time". Throws damaged for another type, values that cannot be of it and a placeholder of another
// type; a type too wide, and what is no date, are warned of.
ArrayPtr typed_values(ArrayPtr stored, const std::string& type, const ArrayPtr& placeholder,
                      const std::string& format, const Owner& owner, Context& context);

// values with those equal to the placeholder marked as missing; values itself where placeholder is null.
// Throws damaged where it is of another type.
ArrayPtr with_placeholder(ArrayPtr values, const ArrayPtr& placeholder);

// The attribute format of strings, "none" where there is none or it is wrong, which is warned of.
std::string string_format(const ArrayPtr& attribute, const Owner& owner, Context& context);

// The labels of a group with codes and levels. Throws damaged where one is absent or of another kind.
ArrayPtr factor_values(const Group& parts, const Owner& owner, Context& context);

// The texts of a group with pointers and a heap (vls), in the shape of the pointers. Throws as
// factor_values.
ArrayPtr vls_values(const Group& parts);

}  // namespace plainfs::takane
