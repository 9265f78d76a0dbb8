// Counts of fragments and variants by chromosome, as bars.
#pragma once

#include <optional>

#include "formats/core/model/node.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Counts the first fragments by chromosome.
std::optional<Figure> chromosome_bars(const Fragments& fragments);

// Counts the first variants by contig. Returns nullopt without variants, or for more than 2^26. Reads the
// contig of each.
std::optional<Figure> contig_bars(const Variants& variants);

}  // namespace plainfs::serve
