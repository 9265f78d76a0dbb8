// HDMF's interpretation of Zarr's object arrays: references as paths, records as tables, bytes as text.
#pragma once

#include <memory>

#include "formats/core/model/array.h"
#include "formats/schemas/hdmf/attributes.h"

namespace plainfs::hdmf {

// Returns the array with the meaning that its attributes give it, or null if they do not change it.
// - References become Kind::reference: each is the path of its target, missing if it refers to nothing.
// - A compound of objects, and an object array of records, becomes an array of compounds with the members as
//   fields. An array with the members along its last axis (hdmf-zarr 0.6 to 0.11.1) loses that axis.
// - Bytes become text.
// Reading throws damaged if an element contradicts the attributes.
ArrayPtr with_meaning(ArrayPtr array, const ElementMeaning& meaning,
                      std::shared_ptr<const StoreSources> sources);

// Returns whether attributes can change the meaning of an array of that type, so that they have to be read.
bool may_have_meaning(const DType& dtype);

}  // namespace plainfs::hdmf
