#include "fs/serve/pages/variants/variants_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/parsed_number.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/table/row_order.h"
#include "fs/serve/pages/table/table_page.h"
#include "fs/text/sink.h"
#include "fs/views/variants/genotypes.h"
#include "fs/views/variants/variant_rows.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxContigLinks = 24, kMaxSuggested = 500;
constexpr size_t kMaxRegionBytesShown = 60;
constexpr uint64_t kMaxPloidy = 256;
constexpr uint64_t kVariantsAtOnce = uint64_t{1} << 20;

// The genotypes of a sample as a VCF file has them: "0/1", "1|1", "./.".
class GenotypeTexts : public Array {
 public:
  // Requires: check_genotype() and check_alleles(), and at most kMaxPloidy alleles in a call.
  GenotypeTexts(const Variants& variants, uint64_t sample)
      : Array(text_type(), {variants.count()}),
        calls_(variants.genotype),
        phased_(variants.phased),
        alleles_(variants.alleles),
        sample_(sample),
        ploidy_(variants.genotype->shape()[2]),
        max_alleles_(variants.alleles->shape()[1]) {}

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
    const Elements calls = read_part(*calls_, {{first, sample_, 0}, {count, 1, ploidy_}});
    const Elements alleles = read_part(*alleles_, {{first, 0}, {count, max_alleles_}});
    const Elements phased = phased_ ? read_part(*phased_, {{first, sample_}, {count, 1}}) : Elements();
    TextBuilder genotypes(count);
    visit_number(calls_->dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>)
        for (uint64_t i = 0; i < count; ++i) {
          std::string text;
          StringSink sink(text);
          put_genotype(calls.values<T>().subspan(i * ploidy_, ploidy_),
                       phased_ && phased.values<uint8_t>()[i] != 0,
                       allele_count(alleles, i * max_alleles_, max_alleles_), sink);
          genotypes.add(text);
        }
    });
    return genotypes.finish();
  }

  const ArrayPtr calls_, phased_, alleles_;
  const uint64_t sample_, ploidy_, max_alleles_;
};

// A stretch of a contig, both ends included.
struct Region {
  uint64_t contig;
  uint64_t first = 0, last = UINT64_MAX;
};

// Returns a position, "1,000" or "1000"; nullopt for any other text. Commas stand before groups of three
// digits.
std::optional<uint64_t> position_in(std::string text) {
  const size_t first = text.find(',');
  if (first != std::string::npos && (first == 0 || first > 3)) return std::nullopt;
  for (size_t comma = first; comma != std::string::npos; comma = text.find(',', comma)) {
    const size_t end = std::min(text.find(',', comma + 1), text.size());
    if (end - comma != 4) return std::nullopt;
    text.erase(comma, 1);
  }
  return parsed_number<uint64_t>(text);
}

// Returns the positions of "1000-2000", "1000" or "1000-", as bcftools writes them; nullopt for any other
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

class VariantsSection {
 public:
  VariantsSection(const Query& query, const Variants& variants, const Table& sites, const ReportError& report,
                  PageModel& page)
      : query_(query), variants_(variants), sites_(sites), report_(report), page_(page) {}

  bool add() {
    read_names();
    choose_region();
    choose_samples();
    add_fields();
    add_contigs();
    parts_.rows = rows_ ? &*rows_ : nullptr;
    const bool has_rows_asked = rows_ || !parts_.more.empty();
    add_rows();
    return has_rows_asked;
  }

 private:
  static std::string shown(const std::string& text) { return shortened(text, kMaxRegionBytesShown); }
  std::string href(std::string_view name, std::string_view value) const {
    return query_.with("from", {}).with(name, value).href();
  }

  // Reads the names of the contigs, and of the samples that the page needs.
  void read_names() {
    try {
      if (variants_.contig_names) contigs_ = names_in(*variants_.contig_names, "contig_id");
    } catch (const Error& error) {
      report_(error);
    }
    if (!variants_.samples || !variants_.genotype) return;
    try {
      ShownSamples samples = shown_samples(variants_, query_.value("samples") ? UINT64_MAX : kMaxSuggested);
      check_genotype(variants_, samples);
      check_alleles(variants_);
      if (const uint64_t ploidy = variants_.genotype->shape()[2]; ploidy > kMaxPloidy)
        throw unsupported("call_genotype has {} alleles in a call, more than {}", ploidy, kMaxPloidy);
      samples_ = std::move(samples);
    } catch (const Error& error) {
      has_bad_genotypes_ = true;
      report_(error);
    }
  }

  // Adds the table without the samples if their genotypes cannot be read.
  void add_rows() {
    const PageModel before = page_;
    try {
      return add_table(query_, sites_, parts_, page_);
    } catch (const Error& error) {
      if (parts_.more.empty()) throw;
      report_(error);
    }
    page_ = before;
    parts_.more.clear();
    add_table(query_, sites_, parts_, page_);
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
    const std::string other = name.starts_with("chr") ? name.substr(3) : "chr" + name;
    const std::vector<std::string> near =
        contig_called(other) ? std::vector<std::string>{other} : nearest_names(name, contigs_);
    Problem& problem = add_problem(fmt::format("There is no contig '{}'.", shown(name)));
    for (const std::string& each : near) problem.near.push_back({each, href("region", each + positions)});
  }

  void take_region(const Region& region) {
    try {
      find_rows(region);
    } catch (const Error& error) {
      rows_.reset();
      report_(error);
    }
  }

  void find_rows(const Region& region) {
    if (variants_.count() > kMaxSortedRows) {
      add_problem(fmt::format("{} variants are too many to find a region.", count_text(variants_.count())));
      return;
    }
    check_positions(variants_);
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
    parts_.text = fmt::format(" in {}", shown(*query_.value("region")));
  }

  void choose_samples() {
    const std::optional<std::string> asked = query_.value("samples");
    if (!asked) return;
    if (samples_.names.empty()) {
      if (!has_bad_genotypes_) add_problem("There are no genotypes of samples.");
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
    if (names.size() > kMaxSamplesOnPage) {
      add_problem(fmt::format("{} samples are too many for a page, which shows {}.", names.size(),
                              kMaxSamplesOnPage));
      names.resize(kMaxSamplesOnPage);
    }
    size_t unnamed = 0;
    for (size_t i = 0; i < names.size(); ++i)
      if (!take_sample(names, i)) ++unnamed;
    if (unnamed > 0)
      add_problem(fmt::format("{} more of the samples {} not exist.", unnamed, unnamed == 1 ? "does" : "do"));
  }

  // Returns false if the sample does not exist and the page has no room to name it.
  bool take_sample(const std::vector<std::string>& names, size_t number) {
    const auto found = std::find(samples_.names.begin(), samples_.names.end(), names[number]);
    if (found != samples_.names.end()) {
      const uint64_t sample = samples_.places[static_cast<size_t>(found - samples_.names.begin())];
      parts_.more.push_back({names[number], std::make_shared<GenotypeTexts>(variants_, sample)});
      return true;
    }
    if (page_.problems.size() >= kMaxNearest) return false;
    Problem& problem = add_problem(fmt::format("There is no sample '{}'.", shown(names[number])));
    for (const std::string& near : nearest_names(names[number], samples_.names)) {
      std::string list;
      for (size_t i = 0; i < names.size(); ++i) list += (i == 0 ? "" : ",") + (i == number ? near : names[i]);
      problem.near.push_back({near, href("samples", list)});
    }
    return true;
  }

  static FormField text_field(const char* label, const char* name, const Query& query,
                              const std::vector<std::string>& suggested) {
    FormField field{label, name, query.value(name).value_or("")};
    for (size_t i = 0; i < std::min(suggested.size(), kMaxSuggested); ++i)
      field.options.push_back({suggested[i], {}});
    return field;
  }

  void add_fields() {
    parts_.fields.push_back(text_field("Region", "region", query_, contigs_));
    if (!samples_.names.empty())
      parts_.fields.push_back(text_field("Samples, with commas", "samples", query_, samples_.names));
  }

  void add_contigs() {
    Picks picks{"Contigs", {}, query_.value("region").value_or("")};
    for (size_t i = 0; i < std::min(contigs_.size(), kMaxContigLinks); ++i)
      picks.links.push_back({contigs_[i], href("region", contigs_[i])});
    if (!picks.links.empty()) page_.add(std::vector{std::move(picks)});
  }

  const Query& query_;
  const Variants& variants_;
  const Table& sites_;
  const ReportError& report_;
  PageModel& page_;
  std::vector<std::string> contigs_;
  ShownSamples samples_;  // those to choose from
  bool has_bad_genotypes_ = false;
  std::optional<std::vector<uint32_t>> rows_;  // of the region
  TableParts parts_;
};

}  // namespace

bool add_variants(const Query& query, const Variants& variants, const Table& sites, const ReportError& report,
                  PageModel& page) {
  return VariantsSection(query, variants, sites, report, page).add();
}

}  // namespace plainfs::serve
