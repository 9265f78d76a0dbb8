#include "fs/views/variants/variant_rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "formats/core/model/elements/variant_values.h"

namespace plainfs {

namespace {

// The descriptions of fields reserved by the VCF specification, in the words of vcztools 0.2.
const std::map<std::string_view, std::string_view> kReservedInfo = {
    {"AA", "Ancestral allele"},
    {"AC", "Allele count in genotypes"},
    {"AD", "Total read depth for each allele"},
    {"ADF", "Read depth for each allele on the forward strand"},
    {"ADR", "Read depth for each allele on the reverse strand"},
    {"AF", "Allele frequency for each ALT allele in the same order as listed"},
    {"AN", "Total number of alleles in called genotypes"},
    {"BQ", "RMS base quality"},
    {"CIGAR", "Cigar string describing how to align an alternate allele to the referenceallele"},
    {"DB", "dbSNP membership"},
    {"DP", "Combined depth across samples"},
    {"END", "End position on CHROM"},
    {"H2", "HapMap2 membership"},
    {"H3", "HapMap3 membership"},
    {"MQ", "RMS mapping quality"},
    {"MQ0", "Number of MAPQ == 0 reads"},
    {"NS", "Number of samples with data"},
    {"SB", "Strand bias"},
    {"SOMATIC", "Somatic mutation"},
    {"VALIDATED", "Validated by follow-up experiment"},
    {"1000G", "1000 Genomes membership"},
};
const std::map<std::string_view, std::string_view> kReservedFormat = {
    {"AD", "Read depth for each allele"},
    {"ADF", "Read depth for each allele on the forward strand"},
    {"ADR", "Read depth for each allele on the reverse strand"},
    {"DP", "Read depth"},
    {"EC", "Expected alternate allele counts"},
    {"FT", "Filter indicating if this genotype was \"called\""},
    {"GL", "Genotype likelihoods"},
    {"GP", "Genotype posterior probabilities"},
    {"GQ", "Conditional genotype quality"},
    {"HQ", "Haplotype quality"},
    {"MQ", "RMS mapping quality"},
    {"PL", "Phred-scaled genotype likelihoods rounded to the closest integer"},
    {"PP", "Phred-scaled genotype posterior probabilities rounded to the closest integer"},
    {"PQ", "Phasing quality"},
    {"PS", "Phase set"},
};

// Returns text that can stand between quotes: htslib refuses a line with unpaired quotes.
std::string quotable(std::string_view text) {
  std::string out;
  bool is_escaped = false;  // after an odd number of backslashes
  for (const char c : text) {
    if (c == '"' && !is_escaped) out += '\\';
    out += c == '\t' || c == '\r' || c == '\n' ? ' ' : c;
    is_escaped = c == '\\' && !is_escaped;
  }
  if (is_escaped) out += '\\';
  return out;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
  return text;
}

class HeaderText {
 public:
  explicit HeaderText(const VariantHeader& header) {
    if (header.stored)
      put_stored(*header.stored);
    else
      put_first(header);
  }

  // Adds a declaration unless there is one already.
  void declare(const char* kind, std::string_view id, const std::string& rest) {
    if (!declared_.contains({kind, std::string(id)})) put(fmt::format("##{}=<ID={}{}>", kind, id, rest));
  }
  void put(std::string_view line) {
    check_utf8(line);
    text_.append(line) += '\n';
  }
  std::string finish() { return std::move(text_); }

 private:
  static constexpr char kFileFormat[] = "##fileformat=VCFv4.3";

  void put_stored(const std::vector<std::string>& lines) {
    if (lines.empty() || !lines.front().starts_with("##fileformat=")) put(kFileFormat);
    for (const std::string& line : lines) {
      put(line);
      if (auto declared = declared_in(line)) declared_.insert(*std::move(declared));
    }
  }
  void put_first(const VariantHeader& header) {
    put(kFileFormat);
    if (header.source) put("##source=" + one_line(*header.source));
  }

  std::string text_;
  std::set<Declared> declared_;
};

void declare_fields(const char* kind, const std::vector<VariantField>& fields,
                    const std::map<std::string_view, std::string_view>& reserved, HeaderText& header) {
  std::vector<const VariantField*> by_name;
  for (const VariantField& field : fields) by_name.push_back(&field);
  std::sort(by_name.begin(), by_name.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  for (const VariantField* field : by_name) {
    const auto known = reserved.find(field->name);
    const std::string_view description = field->description        ? std::string_view(*field->description)
                                         : known != reserved.end() ? known->second
                                                                   : std::string_view();
    header.declare(kind, field->name,
                   fmt::format(",Number={},Type={},Description=\"{}\"", field->number, field->type,
                               quotable(description)));
  }
}

// Returns the texts for a list of names; empty ones if there is no list.
std::vector<std::string> descriptions_of(const ArrayPtr& descriptions, size_t count) {
  if (!descriptions) return std::vector<std::string>(count);
  std::vector<std::string> texts = names_in(*descriptions, "filter_description");
  if (texts.size() != count)
    throw damaged("filter_description has {} texts for {} filters", texts.size(), count);
  return texts;
}

void declare_filters(const Variants& variants, const std::vector<std::string>& filters, HeaderText& header) {
  if (!variants.filter_names && !variants.header.stored)
    return header.declare("FILTER", "PASS", ",Description=\"\"");
  const std::vector<std::string> descriptions = descriptions_of(variants.filter_descriptions, filters.size());
  for (size_t i = 0; i < filters.size(); ++i) {
    if (filters[i] == "PASS" && variants.header.stored) continue;
    header.declare("FILTER", filters[i], fmt::format(",Description=\"{}\"", quotable(descriptions[i])));
  }
}

void declare_contigs(const Variants& variants, const std::vector<std::string>& contigs, HeaderText& header) {
  std::vector<std::string> lengths(contigs.size());
  if (variants.contig_lengths) {
    const Array& stored = *variants.contig_lengths;
    stored.check();
    if (stored.count() != contigs.size() || !stored.dtype().is_integer())
      throw damaged("contig_length has {} values of {} for {} contigs", stored.count(), stored.dtype().name(),
                    contigs.size());
    const Elements elements = read_all(stored);
    visit_number(stored.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>)
        for (size_t i = 0; i < contigs.size(); ++i)
          if (const T length = elements.values<T>()[i]; std::cmp_greater_equal(length, 0))
            lengths[i] = fmt::format(",length={}", length);
    });
  }
  for (size_t i = 0; i < contigs.size(); ++i) header.declare("contig", contigs[i], lengths[i]);
}

// Returns whether a meta line is generated from the arrays or from another attribute.
bool is_generated(std::string_view key) {
  constexpr std::string_view kGenerated[] = {"fileformat", "source", "INFO", "FORMAT", "FILTER", "contig"};
  return std::find(std::begin(kGenerated), std::end(kGenerated), key) != std::end(kGenerated);
}

}  // namespace

std::string vcf_header(const Variants& variants, const std::vector<std::string>& contigs,
                       const std::vector<std::string>& filters, const std::vector<std::string>& samples) {
  if (variants.header.error) throw *variants.header.error;
  HeaderText header(variants.header);
  declare_fields("INFO", variants.info, kReservedInfo, header);
  declare_filters(variants, filters, header);
  if (variants.genotype && !samples.empty())
    header.declare("FORMAT", "GT", ",Number=1,Type=String,Description=\"Genotype\"");
  if (!samples.empty()) declare_fields("FORMAT", variants.format, kReservedFormat, header);
  declare_contigs(variants, contigs, header);
  if (!variants.header.stored)
    for (const auto& [key, value] : variants.header.meta)
      if (!is_generated(key)) header.put(fmt::format("##{}={}", one_line(key), one_line(value)));
  std::string columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";
  if (!samples.empty()) columns += "\tFORMAT";
  for (const std::string& sample : samples) columns.append("\t").append(sample);
  header.put(columns);
  return header.finish();
}

}  // namespace plainfs
