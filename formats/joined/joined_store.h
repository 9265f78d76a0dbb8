// Several stores of any format as one: the annotated matrix of each, joined (formats/annotated/join.h).
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs {

// Opens the store at a path, or, if the options of the context name stores to join, those. Throws like
// open_store; an error about one of several stores begins with its location.
Store open_named_store(const std::string& path, Context& context);

}  // namespace plainfs
