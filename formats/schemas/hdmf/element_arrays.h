// HDMF's meaning of Zarr's object arrays: references as paths, records as tables, bytes as text.
#pragma once

#include <memory>

#include "formats/core/model/array.h"
#include "formats/schemas/hdmf/attributes.h"

namespace plainfs::hdmf {

// The array with the meaning that its attributes give it, or null where that is the array itself.
// - references: Kind::reference, each the path of its target, missing where there is none
// - a compound of objects: an array of compounds. An object array of records has the members as fields; one
// whose last
//   axis is the members (hdmf-zarr 0.6 to 0.11.1) loses that axis
// - bytes: text
// Reading throws damaged where an element is not what the attributes say.
ArrayPtr with_meaning(ArrayPtr array, const ElementMeaning& meaning,
                      std::shared_ptr<const StoreSources> sources);

// Whether attributes can give an array of that type another meaning, so that they have to be read.
bool may_have_meaning(const DType& dtype);

}  // namespace plainfs::hdmf
