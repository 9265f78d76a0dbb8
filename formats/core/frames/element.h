// One element of AnnData's format as a list of values: an array, a categorical, a nullable array. So columns,
// indexes and categories are told apart in one place.
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::frames {

// The array that node stands for: itself, the labels of a categorical, the values of a nullable group; null
// where it is anything else, an unknown encoding among them. node: as its container gives it. Throws where it
// or its attributes cannot be read. A categorical or nullable group whose parts do not fit gives an array
// that throws when it is used.
ArrayPtr values_of(const Node& node, Context& context);

// The same without categoricals: what the categories of one can be.
ArrayPtr plain_values_of(const Node& node);

// Whether those values are text, as far as that is known without reading any.
bool holds_text(const Node& node);

}  // namespace plainfs::frames
