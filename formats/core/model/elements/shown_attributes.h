// Attributes as they are shown. An attribute that cannot be read does not affect the others.
#pragma once

#include <functional>
#include <vector>

#include "formats/core/model/elements/attribute.h"

namespace plainfs {

// Returns the value as JSON, {"error": why} if it cannot be read or has text that is not UTF-8. Throws a
// transient error.
Json shown_value(const Attribute& attribute);

// Returns the attributes that `read` returns. If it fails, returns one attribute "error" with the reason.
// Throws a transient error.
Attributes attributes_or_error(const std::function<Attributes()>& read);

// Returns why `read` fails, or why shown_value is an error for the attributes that it returns. Throws a
// transient error.
std::vector<Error> faults_of_attributes(const std::function<Attributes()>& read);

}  // namespace plainfs
