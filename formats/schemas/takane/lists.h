// The lists that an object's file has to hold. Each throws damaged where it is absent, of more than one
// dimension, or of another kind.
#pragma once

#include "formats/core/model/node.h"

namespace plainfs::takane {

ArrayPtr require_list(const Group& group, const char* name);
ArrayPtr require_integers(const Group& group, const char* name);
// Texts as takane reads them, none of which is missing.
ArrayPtr require_texts(const Group& group, const char* name);

// Throws damaged where list has not count elements.
void require_count(const Array& list, uint64_t count, const char* name);

}  // namespace plainfs::takane
