#include "fs/serve/variants_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "formats/core/model/element_text.h"
#include "formats/core/model/number_cast.h"
#include "formats/core/text/printable.h"
#include "fs/serve/nearest.h"
#include "fs/serve/page_text.h"
#include "fs/serve/row_order.h"
#include "fs/serve/table_page.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMostContigLinks = 24, kMostSuggested = 500;
constexpr size_t kMostRegionBytesShown = 60;
constexpr uint64_t kVariantsAtOnce = uint64_t{1} << 20;

// The genotypes of a sample as a VCF file has them: "0/1", "1|1", "./.".
class GenotypeTexts : public Array {
 public:
  GenotypeTexts(const Variants& variants, uint64_t sample)
      : Array(text_type(), {variants.count()}),
        calls_(variants.genotype),
        phased_(variants.phased),
        sample_(sample),
        ploidy_(variants.genotype->shape()[2]) {}

  Elements read(const Box& box) const override {
    return texts(box, [](const Array& array, const Box& part) { return array.read(part); });
  }
  Elements peek(const Box& box) const override {
    return texts(box, [](const Array& array, const Box& part) { return array.peek(part); });
  }

 private:
  template <class Read>
  Elements texts(const Box& box, Read&& read_part) const {
    const uint64_t first = box.origin[0], count = box.extent[0];
    std::vector<double> alleles, phased;
    append_doubles(calls_->dtype(), read_part(*calls_, {{first, sample_, 0}, {count, 1, ploidy_}}), alleles);
    if (phased_)
      append_doubles(phased_->dtype(), read_part(*phased_, {{first, sample_}, {count, 1}}), phased);
    TextBuilder genotypes(count);
    for (uint64_t i = 0; i < count; ++i)
      genotypes.add(text_of(std::span(alleles).subspan(i * ploidy_, ploidy_), phased_ && phased[i] != 0));
    return genotypes.finish();
  }

  static std::string text_of(std::span<const double> alleles, bool is_phased) {
    std::string text;
    for (const double allele : alleles) {
      if (allele < -1) break;  // after the end of a call of fewer alleles
      if (!text.empty()) text += is_phased ? '|' : '/';
      text += allele < 0 ? "." : fmt::format("{:.0f}", allele);
    }
    return text.empty() ? "." : text;
  }

  const ArrayPtr calls_, phased_;
  const uint64_t sample_, ploidy_;
};

std::vector<std::string> names_of(const ArrayPtr& names) {
  std::vector<std::string> texts;
  if (!names) return texts;
  const Elements elements = read_all(*names);
  for (uint64_t i = 0; i < elements.count; ++i)
    append_plain(names->dtype(), elements, i, texts.emplace_back());
  return texts;
}

// A stretch of a contig, both ends included.
struct Region {
  uint64_t contig;
  uint64_t first = 0, last = UINT64_MAX;
};

// Returns a position, "1,000" or "1000"; nullopt for any other text.
std::optional<uint64_t> position_in(std::string text) {
  std::erase(text, ',');
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(number) : std::nullopt;
}

// Returns the positions of "1000-2000", "1000" or "1000-", as bcftools reads them; nullopt for any other
// text.
std::optional<Region> stretch_in(const std::string& text, uint64_t contig) {
  const size_t dash = text.find('-');
  const std::optional<uint64_t> first = position_in(text.substr(0, dash));
  if (!first) return std::nullopt;
  if (dash == std::string::npos) return Region{contig, *first, *first};
  if (dash + 1 == text.size()) return Region{contig, *first};
  const std::optional<uint64_t> last = position_in(text.substr(dash + 1));
  return last && *last >= *first ? std::optional(Region{contig, *first, *last}) : std::nullopt;
}

bool has_genotypes(const Variants& variants) {
  const ArrayPtr& calls = variants.genotype;
  return variants.samples && calls && calls->shape().size() == 3 && calls->dtype().is_integer() &&
         calls->shape()[0] == variants.count() && calls->shape()[1] == variants.samples->count() &&
         (!variants.phased || variants.phased->shape() == Shape{calls->shape()[0], calls->shape()[1]});
}

class VariantsSection {
 public:
  VariantsSection(const Query& query, const Variants& variants, const Table& sites, PageModel& page)
      : query_(query),
        variants_(variants),
        sites_(sites),
        page_(page),
        contigs_(names_of(variants.contig_names)),
        samples_(has_genotypes(variants) ? names_of(variants.samples) : std::vector<std::string>()) {}

  void add() {
    choose_region();
    choose_samples();
    add_fields();
    add_contigs();
    parts_.rows = rows_ ? &*rows_ : nullptr;
    add_table(query_, sites_, parts_, page_);
  }

 private:
  static std::string shown(const std::string& text) { return shortened(text, kMostRegionBytesShown); }
  std::string href(std::string_view name, std::string_view value) const {
    return query_.with("from", {}).with(name, value).href();
  }

  Problem& add_problem(std::string text) {
    page_.problems.push_back(Problem{std::move(text)});
    return page_.problems.back();
  }

  std::optional<uint64_t> contig_called(std::string_view name) const {
    const auto found = std::find(contigs_.begin(), contigs_.end(), name);
    return found == contigs_.end() ? std::nullopt
                                   : std::optional(static_cast<uint64_t>(found - contigs_.begin()));
  }

  // The name of a contig may contain colons itself.
  void choose_region() {
    const std::optional<std::string> asked = query_.value("region");
    if (!asked) return;
    if (const std::optional<uint64_t> whole = contig_called(*asked)) return take_region(Region{*whole});
    const size_t colon = asked->rfind(':');
    const std::string name = asked->substr(0, colon);
    const std::string positions = colon == std::string::npos ? "" : asked->substr(colon + 1);
    const std::optional<uint64_t> contig = contig_called(name);
    if (!contig) return add_contig_problem(name, colon == std::string::npos ? "" : ":" + positions);
    if (const std::optional<Region> region = stretch_in(positions, *contig)) return take_region(*region);
    add_problem(fmt::format("'{}' are no positions of {}: expected FIRST-LAST, as in 1000-2000.",
                            shown(positions), shown(name)))
        .near.push_back({name, href("region", name)});
  }

  void add_contig_problem(const std::string& name, const std::string& positions) {
    std::vector<std::string> near = nearest_names(name, contigs_);
    if (near.empty())
      near.assign(contigs_.begin(),
                  contigs_.begin() + static_cast<ptrdiff_t>(std::min(contigs_.size(), kMostNearest)));
    Problem& problem = add_problem(fmt::format("There is no contig '{}'.", shown(name)));
    for (const std::string& each : near) problem.near.push_back({each, href("region", each + positions)});
  }

  void take_region(const Region& region) {
    if (variants_.count() > kMostSortedRows) {
      add_problem(fmt::format("{} variants are too many to find a region.", count_words(variants_.count())));
      return;
    }
    rows_.emplace();
    for (uint64_t first = 0; first < variants_.count(); first += kVariantsAtOnce) {
      const Box part = range(first, std::min(kVariantsAtOnce, variants_.count() - first));
      std::vector<double> contigs, positions;
      append_doubles(variants_.contig->dtype(), variants_.contig->read(part), contigs);
      append_doubles(variants_.position->dtype(), variants_.position->read(part), positions);
      for (size_t i = 0; i < contigs.size(); ++i)
        if (contigs[i] == static_cast<double>(region.contig) &&
            positions[i] >= static_cast<double>(region.first) &&
            positions[i] <= static_cast<double>(region.last))
          rows_->push_back(static_cast<uint32_t>(first + i));
    }
    parts_.words = fmt::format(" in {}", shown(*query_.value("region")));
  }

  void choose_samples() {
    const std::optional<std::string> asked = query_.value("samples");
    if (!asked) return;
    if (samples_.empty()) {
      add_problem("There are no genotypes of samples.");
      return;
    }
    std::vector<std::string> names;
    for (size_t begin = 0; begin <= asked->size();) {
      const size_t end = std::min(asked->find(',', begin), asked->size());
      std::string name = asked->substr(begin, end - begin);
      while (name.starts_with(' ')) name.erase(0, 1);
      while (name.ends_with(' ')) name.pop_back();
      if (!name.empty()) names.push_back(std::move(name));
      begin = end + 1;
    }
    if (names.size() > kMostSamplesOnPage) {
      add_problem(fmt::format("{} samples are too many for a page, which shows {}.", names.size(),
                              kMostSamplesOnPage));
      names.resize(kMostSamplesOnPage);
    }
    for (size_t i = 0; i < names.size(); ++i) take_sample(names, i);
  }

  void take_sample(const std::vector<std::string>& names, size_t number) {
    const auto found = std::find(samples_.begin(), samples_.end(), names[number]);
    if (found != samples_.end()) {
      const auto sample = static_cast<uint64_t>(found - samples_.begin());
      parts_.more.push_back({names[number], std::make_shared<GenotypeTexts>(variants_, sample)});
      return;
    }
    if (page_.problems.size() >= kMostNearest) return;
    Problem& problem = add_problem(fmt::format("There is no sample '{}'.", shown(names[number])));
    for (const std::string& near : nearest_names(names[number], samples_)) {
      std::string list;
      for (size_t i = 0; i < names.size(); ++i) list += (i == 0 ? "" : ",") + (i == number ? near : names[i]);
      problem.near.push_back({near, href("samples", list)});
    }
  }

  static FormField text_field(const char* label, const char* name, const Query& query,
                              const std::vector<std::string>& suggested) {
    FormField field{label, name, query.value(name).value_or("")};
    for (size_t i = 0; i < std::min(suggested.size(), kMostSuggested); ++i)
      field.options.push_back({suggested[i], {}});
    return field;
  }

  void add_fields() {
    parts_.fields.push_back(text_field("Region", "region", query_, contigs_));
    if (!samples_.empty())
      parts_.fields.push_back(text_field("Samples, with commas", "samples", query_, samples_));
  }

  void add_contigs() {
    Picks picks{"Contigs", {}, query_.value("region").value_or("")};
    for (size_t i = 0; i < std::min(contigs_.size(), kMostContigLinks); ++i)
      picks.links.push_back({contigs_[i], href("region", contigs_[i])});
    if (!picks.links.empty()) page_.picks.push_back(std::move(picks));
  }

  const Query& query_;
  const Variants& variants_;
  const Table& sites_;
  PageModel& page_;
  const std::vector<std::string> contigs_, samples_;
  std::optional<std::vector<uint32_t>> rows_;  // of the region
  TableParts parts_;
};

}  // namespace

void add_variants(const Query& query, const Variants& variants, const Table& sites, PageModel& page) {
  VariantsSection(query, variants, sites, page).add();
}

}  // namespace plainfs::serve
