// Columns of molecules.csv that are stored as numbers and shown as text.
#pragma once

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"

namespace plainfs::tenx {

// Returns an array with list[index[i]] as element i. Reading throws damaged for an index beyond the list.
// what: the index, for the message. The list may be long: it is read in blocks, which the cache keeps.
ArrayPtr picked_text(ArrayPtr index, ArrayPtr list, std::string what, Context& context);

// Returns an array with barcodes[i], "-" and wells[i] as element i. barcodes: text of variable length; wells:
// integers.
ArrayPtr barcodes_with_wells(ArrayPtr barcodes, ArrayPtr wells);

// Returns UMIs, packed in two bits for each base (A 0, C 1, G 2, T 3; the last base in the lowest bits), as
// text. The number of bases is not stored: it is 10 if every number of the array is below 4^10, else 12 if
// every one is below 4^12, else 16. The first read scans the array for it. A number of 4^16 or more is
// damage.
ArrayPtr bases_of(ArrayPtr umis, Context& context);

}  // namespace plainfs::tenx
