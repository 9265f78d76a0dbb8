#include "fs/serve/pages/variants/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/core/model/arrays/index_run.h"
#include "formats/core/model/elements/number_cast.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/first_rows.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxBars = 30;
constexpr uint64_t kMaxCountedVariants = uint64_t{1} << 26;
constexpr uint64_t kBandRows = uint64_t{1} << 20;  // read at once

// Returns a bar for each of the first names. all: the number of names.
Figure bars_figure(std::string caption, const Array& names, const std::vector<uint64_t>& counts, uint64_t all,
                   const std::string& others) {
  std::vector<NamedCount> bars;
  for (uint64_t i = 0; i < counts.size(); ++i) bars.push_back({element_text(names, i), counts[i]});
  if (counts.size() < all) caption += fmt::format(", the first {} of {}", counts.size(), count_text(all));
  caption += others;
  return {"Distribution", named_bars("bars", caption, bars), caption};
}

}  // namespace

std::optional<Figure> chromosome_bars(const Fragments& fragments) {
  if (fragments.error || fragments.evaluate) return std::nullopt;
  const uint64_t all = fragments.chr_names->count(), shown = std::min(all, kMaxBars);
  if (shown == 0) return std::nullopt;
  const uint64_t fragment_count = fragments.start->count();
  const IndexRun<uint64_t> pointers(*fragments.chr_pointer, 0, 2 * shown, fragment_count + 1,
                                    "chromosome pointer");
  std::vector<uint64_t> counts;
  for (uint64_t c = 0; c < shown; ++c) {
    const uint64_t first = pointers.values()[2 * c], end = pointers.values()[2 * c + 1];
    if (first > end)
      throw damaged("chromosome {} is [{}, {}) of {} fragments", c, first, end, fragment_count);
    counts.push_back(end - first);
  }
  return bars_figure("Fragments on each chromosome", *fragments.chr_names, counts, all, {});
}

std::optional<Figure> contig_bars(const Variants& variants) {
  if (!variants.contig_names || !variants.contig) return std::nullopt;
  const uint64_t all = variants.contig_names->count(), shown = std::min(all, kMaxBars);
  if (shown == 0 || variants.count() == 0 || variants.count() > kMaxCountedVariants) return std::nullopt;
  std::vector<uint64_t> counts(shown, 0);
  uint64_t on_others = 0, missing = 0;
  std::vector<double> contigs;
  for (uint64_t first = 0; first < variants.count(); first += kBandRows) {
    const Box band = range(first, std::min(kBandRows, variants.count() - first));
    contigs.clear();
    append_doubles(variants.contig->dtype(), variants.contig->read(band), contigs);
    for (const double contig : contigs)
      if (!(contig >= 0 && contig < static_cast<double>(all)))
        ++missing;
      else
        ++(contig < static_cast<double>(shown) ? counts[static_cast<size_t>(contig)] : on_others);
    variants.contig->release(band);
  }
  std::string others;
  if (on_others > 0) others += fmt::format("; {} on other contigs", count_text(on_others));
  if (missing > 0) others += fmt::format("; {} without a contig", count_text(missing));
  return bars_figure("Variants on each contig", *variants.contig_names, counts, all,
                     fmt::format(", of all {}{}", count_text(variants.count()), others));
}

}  // namespace plainfs::serve
