// takane's meaning of stored numbers and texts: the type in an attribute, and the placeholder for missing
// values. Data frames, vectors and arrays share it.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::takane {

inline constexpr const char* kPlaceholder = "missing-value-placeholder";

// Returns a scalar string attribute, or nullopt if attribute is null. Throws damaged if it is anything else.
std::optional<std::string> text_attribute(const ArrayPtr& attribute, const char* name);

// The owner of values, for messages: "column", and its path in the store.
struct Owner {
  const char* what;
  std::string path;
};

// Returns the stored values, of any rank, as type: integer, boolean, number or string. placeholder: the
// attribute with the value for missing ones, null = none is missing. format: of strings, "none", "date" or
// "date-time". Throws damaged for another type, for values that type cannot hold, and for a placeholder of
// another type. Logs a warning for a type that is too wide and for an invalid date.
ArrayPtr typed_values(ArrayPtr stored, const std::string& type, const ArrayPtr& placeholder,
                      const std::string& format, const Owner& owner, Context& context);

// Returns values with those equal to the placeholder marked as missing; values itself if placeholder is null.
// Throws damaged if it is of another type.
ArrayPtr with_placeholder(ArrayPtr values, const ArrayPtr& placeholder);

// Returns the attribute format of strings; "none" if it is absent, or, with a warning, if it is invalid.
std::string string_format(const ArrayPtr& attribute, const Owner& owner, Context& context);

// Returns the labels of a group with codes and levels. Throws damaged if one is absent or of another kind.
ArrayPtr factor_values(const Group& parts, const Owner& owner, Context& context);

// Returns the texts of a group with pointers and a heap (vls), in the shape of the pointers. Throws like
// factor_values.
ArrayPtr vls_values(const Group& parts);

}  // namespace plainfs::takane
