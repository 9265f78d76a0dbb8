// genomic_ranges 1.x: ranges in ranges.h5 on the sequences of sequence_information/, with range_annotations/,
// a row a range. Source: takane 0.10.0, include/takane/genomic_ranges.hpp.
#pragma once

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Whatever is wrong makes only the views that it concerns damaged.
Node open_genomic_ranges(const Opening& opening);

}  // namespace plainfs::takane
