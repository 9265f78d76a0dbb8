// Lists of names for the rows and columns of tables and matrices.
#pragma once

#include <string>
#include <string_view>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// Returns whether values of the type are text of any length.
bool is_text(const DType& type);

// Returns whether array.check() succeeds.
bool is_readable(const Array& array);

// Returns `names` if it is a list of `count` names, else null. Logs a list of another length with `place`
// ("/obsm/X_pca: rows"). A list that cannot be read is kept: it fails when it is shown. Reads no elements.
ArrayPtr fitting_names(ArrayPtr names, uint64_t count, const std::string& place, Context& context);

// Returns the member of `group` as a list of names. Returns null, with a notice, if it is not such a list. A
// list that exists but cannot be read is an array that fails on every use.
ArrayPtr find_names(const Group& group, std::string_view name, Context& context);

// Returns the list with its references decoded (formats/core/text/character_references.h), as text of
// variable length. Arrays that are not text are returned unchanged.
ArrayPtr decoded_names(ArrayPtr names);

// Returns `names`, or null if it is known to be empty, as for a side of a matrix without rows.
ArrayPtr some_names(ArrayPtr names);
// Returns some_names of decoded_names.
ArrayPtr some_decoded_names(ArrayPtr names);

}  // namespace plainfs::frames
