// genomic_ranges 1.x: ranges in ranges.h5 on the sequences of sequence_information/, with range_annotations/,
// which has a row for each range. Source: takane 0.10.0, include/takane/genomic_ranges.hpp.
#pragma once

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Opens genomic ranges. A fault makes only the affected views damaged.
Node open_genomic_ranges(const Opening& opening);

// sequence_information 1.x: the sequences of a genome, their lengths, and whether they are circular, in
// info.h5. Source: takane 0.10.0, include/takane/sequence_information.hpp.

// Opens sequence information. Throws if the file or its group is absent; any other fault makes only the
// affected part damaged.
Node open_sequence_information(const Opening& opening);

// Returns the names of the sequences at place. Throws if they cannot be read.
ArrayPtr sequence_names(const ObjectPlace& place, Context& context);

}  // namespace plainfs::takane
