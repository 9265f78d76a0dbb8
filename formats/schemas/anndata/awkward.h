// Awkward arrays: lists of any length, records, options and unions, stored as flat buffers and a form that
// describes their nesting.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::anndata {

// Returns the elements as JSON values, one for each of the attribute length. Reads only the buffers that they
// need. group: the buffers, as the container returns them. attributes: those of group. If the form is damaged
// or of an unknown class (unsupported), the array throws on use; if a buffer does not fit, reading elements
// that need it throws. Throws if the attributes cannot be read.
ArrayPtr awkward_array(GroupPtr group, const Attributes& attributes);

}  // namespace plainfs::anndata
