// The page of variants: the sites in pages, those of a region alone, and the genotypes of chosen samples
// beside them. The address of the page holds the choice (?region=chr1:1000-2000&samples=a,b).
#pragma once

#include <functional>

#include "formats/core/model/contents/variants.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

inline constexpr size_t kMaxSamplesOnPage = 50;

// Adds a note on an error to the page. Called while the error is handled; throws it again if the store has
// changed.
using ReportError = std::function<void(const Error&)>;

// Adds the form, the links to contigs and the rows. sites: the table of the variants' fields. Parts of the
// query that do not exist become problems with links to the nearest names. A region holds the variants
// with POS in it, as with bcftools' --regions-overlap 0. Reads the contig and the position of each variant if
// a region is asked for, and all names of samples only if some are asked for. Reports names, genotypes and
// positions that cannot be read, and adds the rest. Returns whether the rows are those of a region or have
// genotypes, as the query asks. Throws the errors of reading the sites.
bool add_variants(const Query& query, const Variants& variants, const Table& sites, const ReportError& report,
                  PageModel& page);

}  // namespace plainfs::serve
