// genomic_ranges 1.x: ranges in ranges.h5 on the sequences of sequence_information/, with range_annotations/,
// a row a range. Source: takane 0.10.0, include/takane/genomic_ranges.hpp.
#pragma once

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Whatever is wrong makes only the views that it concerns damaged.
Node open_genomic_ranges(const Opening& opening);

// sequence_information 1.x: the sequences of a genome, their lengths, and whether they are circular, in
// info.h5. Source: takane 0.10.0, include/takane/sequence_information.hpp.

// Throws where the file or its group is not there; whatever else is wrong makes only what it concerns
// damaged.
Node open_sequence_information(const Opening& opening);

// The names of the sequences at place. Throws where they cannot be had.
ArrayPtr sequence_names(const ObjectPlace& place, Context& context);

}  // namespace plainfs::takane
