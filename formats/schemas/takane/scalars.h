// Single values in an object's file.
#pragma once

#include <optional>
#include <string>

#include "formats/core/model/array.h"

namespace plainfs::takane {

// The text of an array of one, whatever its rank; nullopt where it is null or something else.
std::optional<std::string> scalar_text(const ArrayPtr& array);
// A whole number that is not negative. Throws damaged where array is null or something else; what names it.
uint64_t scalar_number(const ArrayPtr& array, const char* what);

}  // namespace plainfs::takane
