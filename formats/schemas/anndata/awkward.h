// Awkward arrays: lists of any length, records, options and unions, kept as flat buffers and a form that says
// how they nest.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::anndata {

// The elements as JSON values, one for each of the attribute length; only the buffers that they need are
// read. group: the buffers, as its container gives it; attributes: its own. A form that is damaged, or of a
// class that is not known (unsupported), gives an array that throws when it is used; so does a buffer that
// does not fit, where it is needed. Throws where the attributes cannot be read.
ArrayPtr awkward_array(GroupPtr group, const Attributes& attributes);

}  // namespace plainfs::anndata
