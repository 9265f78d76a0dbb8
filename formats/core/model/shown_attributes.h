// Attributes as they are shown: one that cannot be read costs itself, and none of those beside it.
#pragma once

#include <functional>
#include <vector>

#include "formats/core/model/attribute.h"

namespace plainfs {

// The value as JSON holds it: {"error": why} where it cannot be read or has text that is not UTF-8. Throws an
// error that may pass.
Json shown_value(const Attribute& attribute);

// The attributes that read returns. If it fails, one called "error" that says why. Throws an error that may
// pass.
Attributes attributes_or_error(const std::function<Attributes()>& read);

// Why read fails, or why shown_value is an error for attributes that it returns. Throws an error that may
// pass.
std::vector<Error> faults_of_attributes(const std::function<Attributes()>& read);

}  // namespace plainfs
