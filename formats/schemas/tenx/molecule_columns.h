// Columns of molecules.csv that are stored as numbers and read as text.
#pragma once

#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs::tenx {

// Element i is list[index[i]]. Reading throws damaged where an index is not one of the list's; what names the
// index in the message. The list is read in blocks, which the cache keeps, so that it may be long.
ArrayPtr picked_text(ArrayPtr index, ArrayPtr list, std::string what, Context& context);

// Element i is barcodes[i], "-" and wells[i]. barcodes: text of variable length; wells: integers.
ArrayPtr barcodes_with_wells(ArrayPtr barcodes, ArrayPtr wells);

// UMIs packed two bits a base (A 0, C 1, G 2, T 3; the last base in the lowest bits) as text. How many bases
// they have is not stored: 10 where every number of the array is below 4^10, else 12 where every one is below
// 4^12, else 16, which the first read goes through the array for. A number from 4^16 on is damage.
ArrayPtr bases_of(ArrayPtr umis, Context& context);

}  // namespace plainfs::tenx
