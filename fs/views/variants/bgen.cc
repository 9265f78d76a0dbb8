#include "fs/views/variants/variant_files.h"

#include <algorithm>
#include <optional>
#include <span>

#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/model/elements/variant_values.h"
#include "formats/core/text/number_loops.h"
#include "fs/views/table/row_text.h"
#include "fs/views/variants/genotypes.h"

namespace plainfs {

namespace {

// Writes the lowest `bytes` bytes of `value`, little-endian.
template <class Sink>
void put_little_endian(uint64_t value, size_t bytes, Sink& sink) {
  char stored[8];
  put_little(stored, value, bytes);
  sink.put(std::string_view(stored, bytes));
}

// Writes a text, preceded by its length.
template <class Sink>
void put_text(std::string_view text, size_t length_bytes, std::string_view what, Sink& sink) {
  if (text.size() >> (8 * length_bytes) != 0)
    throw unsupported("{} of {} bytes is too long for a BGEN file", what, text.size());
  put_little_endian(text.size(), length_bytes, sink);
  sink.put(text);
}

// The encoding of a call in the file.
struct Probabilities {
  uint8_t ploidy;  // with the highest bit set if it is missing
  uint8_t bytes[2];
  int count() const { return ploidy & 0x3f; }
};

Probabilities probabilities_of(Call call, uint64_t ploidy, bool is_phased) {
  constexpr uint8_t kIsMissing = 0x80, kCertain = 255;
  if (call.first == -2) return {static_cast<uint8_t>(ploidy | kIsMissing), {0, 0}};
  const auto alleles = static_cast<uint8_t>(call.second == -2 ? 1 : 2);
  if (call.first < 0 || call.second == -1) return {static_cast<uint8_t>(alleles | kIsMissing), {0, 0}};
  const auto reference = [](int allele) { return allele == 0 ? kCertain : uint8_t{0}; };
  if (alleles == 1) return {1, {reference(call.first), 0}};
  if (is_phased) return {2, {reference(call.first), reference(call.second)}};
  const int count = call.first + call.second;  // of the alternative allele
  return {2, {count == 0 ? kCertain : uint8_t{0}, count == 1 ? kCertain : uint8_t{0}}};
}

// Encodings of calls of two alleles, one byte each: the first allele, the second or missing (0xff). The
// functions return the ploidy and the two bytes.
constexpr bool is_any_missing(uint16_t call) {
  return (call & 0x8080) != 0;
}
constexpr uint8_t plain_ploidy(uint16_t call) {
  return is_any_missing(call) ? 0x82 : 2;
}
constexpr uint16_t plain_phased_bytes(uint16_t call) {
  const auto known = static_cast<uint16_t>((1 - (call & 1)) * 0xff | (1 - (call >> 8 & 1)) * 0xff00);
  return is_any_missing(call) ? uint16_t{0} : known;
}
constexpr uint16_t plain_unphased_bytes(uint16_t call) {
  const auto second = static_cast<uint16_t>((call & 1) + (call >> 8 & 1));
  const auto known = static_cast<uint16_t>(second == 0 ? 0xff : second == 1 ? 0xff00 : 0);
  return is_any_missing(call) ? uint16_t{0} : known;
}

class Bgen : public RowText<Bgen> {
 public:
  Bgen(Variants variants, Context& context) : variants_(std::move(variants)), context_(context) {}

  void prepare() override;
  std::string head() const override;
  std::string version() const override { return "bgen 1"; }

  template <class Sink>
  void put_rows(const ShownRows& rows, Sink& sink) const;

 private:
  struct Row {
    const std::vector<Elements>& parts;
    uint64_t number;   // in `parts`
    uint64_t variant;  // among all variants
  };
  template <class Sink>
  void put_site(const Row& row, Sink& sink) const;
  template <class Sink>
  void put_calls_head(uint64_t length, int least_ploidy, int greatest_ploidy, Sink& sink) const;
  template <class Sink>
  void put_plain_calls(std::span<const uint16_t> calls, bool phased, Sink& sink) const;
  template <class T, class Sink>
  void put_calls(const Row& row, Sink& sink) const;
  bool is_phased(const Row& row) const;
  uint64_t ploidy() const { return variants_.genotype->shape()[2]; }

  static constexpr size_t kContig = 0, kPosition = 1, kAlleles = 2, kGenotype = 3;

  const Variants variants_;
  Context& context_;
  ShownSamples samples_;
  std::vector<std::string> contigs_;
  size_t ids_ = 0, phased_ = 0;  // indices of parts; 0 = none
  uint64_t sites_ = 0;
};

void Bgen::prepare() {
  samples_ = shown_samples(variants_);
  if (samples_.names.size() > UINT32_MAX)
    throw unsupported("{} samples are too many for a BGEN file", samples_.names.size());
  contigs_ = names_in(*variants_.contig_names, "contig_id");
  check_positions(variants_);
  check_ids(variants_);
  check_genotype(variants_, samples_);
  sites_ = TwoAlleleSites(variants_, context_).count();
  std::vector<ArrayPtr> arrays{variants_.contig, variants_.position, variants_.alleles, variants_.genotype};
  const auto add = [&](const ArrayPtr& array) {
    if (!array) return size_t{0};
    arrays.push_back(array);
    return arrays.size() - 1;
  };
  ids_ = add(variants_.ids);
  phased_ = add(variants_.phased);
  const uint64_t row_bytes = 64 + checked_multiply(samples_.names.size(), 1 + ploidy());
  show_rows(variants_.count(), std::move(arrays), row_bytes, context_);
}

// Returns the header with the number of variants and the format, and the names of samples (BGEN 1.2, "The
// header block").
std::string Bgen::head() const {
  constexpr uint32_t kLayout2 = 2 << 2, kHasSamples = 1u << 31;  // and no compression
  std::string names, text;
  StringSink out(names), sink(text);
  for (const std::string& name : names_without_blanks(samples_)) put_text(name, 2, "a sample's name", out);
  const uint64_t names_bytes = 8 + names.size();
  if (names_bytes > UINT32_MAX - 20)
    throw unsupported("{} bytes of names are too many for a BGEN file", names_bytes);
  put_little_endian(20 + names_bytes, 4, sink);  // the offset of the first variant, from here
  put_little_endian(20, 4, sink);
  put_little_endian(sites_, 4, sink);
  put_little_endian(samples_.names.size(), 4, sink);
  sink.put(std::string_view("bgen"));
  put_little_endian(kLayout2 | kHasSamples, 4, sink);
  put_little_endian(names_bytes, 4, sink);
  put_little_endian(samples_.names.size(), 4, sink);
  return text + names;
}

template <class Sink>
void Bgen::put_site(const Row& row, Sink& sink) const {
  const auto& [parts, number, variant] = row;
  std::string_view id = ".";
  if (ids_ > 0 && VariantTexts(parts[ids_]).given(number) == Given::value) id = parts[ids_].text(number);
  for (int i = 0; i < 2; ++i) put_text(id, 2, "an id", sink);
  const uint64_t contig = whole_number(variants_.contig->dtype(), parts[kContig], number, contigs_.size(),
                                       "variant_contig", variant);
  put_text(contigs_[contig], 2, "the name of a contig", sink);
  const uint64_t position = whole_number(variants_.position->dtype(), parts[kPosition], number, UINT64_MAX,
                                         "variant_position", variant);
  if (position > UINT32_MAX) throw unsupported("position {} is too large for a BGEN file", position);
  put_little_endian(position, 4, sink);
  put_little_endian(2, 2, sink);
  const uint64_t most = variants_.alleles->shape()[1];
  for (uint64_t i = 0; i < 2; ++i) put_text(parts[kAlleles].text(number * most + i), 4, "an allele", sink);
}

// Writes the data before the ploidy of each sample. length: the number of bytes that follow.
template <class Sink>
void Bgen::put_calls_head(uint64_t length, int least_ploidy, int greatest_ploidy, Sink& sink) const {
  if (length > UINT32_MAX) throw unsupported("{} bytes of one variant are too many for a BGEN file", length);
  put_little_endian(length, 4, sink);
  put_little_endian(samples_.names.size(), 4, sink);
  put_little_endian(2, 2, sink);
  put_little_endian(static_cast<uint64_t>(least_ploidy), 1, sink);
  put_little_endian(static_cast<uint64_t>(greatest_ploidy), 1, sink);
}

// Returns whether the row is phased for all samples.
bool Bgen::is_phased(const Row& row) const {
  if (phased_ == 0) return false;
  const auto phased =
      row.parts[phased_].values<uint8_t>().subspan(row.number * samples_.stored, samples_.stored);
  if (samples_.are_all()) return all_hold(phased, [](uint8_t is_phased) { return is_phased != 0; });
  return std::all_of(samples_.places.begin(), samples_.places.end(),
                     [&](uint64_t place) { return phased[place] != 0; });
}

// Writes calls of exactly two alleles each.
template <class Sink>
void Bgen::put_plain_calls(std::span<const uint16_t> calls, bool phased, Sink& sink) const {
  const uint64_t samples = calls.size();
  put_calls_head(10 + 3 * samples, 2, 2, sink);
  if constexpr (std::is_same_v<Sink, CountingSink>) {
    sink.skip(3 * samples + 2);
  } else {
    char* const at = sink.reserve(3 * samples + 2);
    auto* const ploidies = reinterpret_cast<std::byte*>(at);
    std::byte* const bytes = ploidies + samples + 2;
    convert(calls, ploidies, [](uint16_t call) { return plain_ploidy(call); });
    ploidies[samples] = std::byte{phased};
    ploidies[samples + 1] = std::byte{8};
    if (phased)
      convert(calls, bytes, [](uint16_t call) { return plain_phased_bytes(call); });
    else
      convert(calls, bytes, [](uint16_t call) { return plain_unphased_bytes(call); });
    sink.set_end(at + 3 * samples + 2);
  }
}

template <class T, class Sink>
void Bgen::put_calls(const Row& row, Sink& sink) const {
  const uint64_t alleles = ploidy(), samples = samples_.names.size();
  const T* const calls = row.parts[kGenotype].values<T>().data() + row.number * samples_.stored * alleles;
  const bool phased = is_phased(row);
  if constexpr (std::is_same_v<T, int8_t>) {
    const auto is_plain = [](uint8_t allele) { return static_cast<uint8_t>(allele + 1) <= 2; };
    const std::span all(reinterpret_cast<const uint8_t*>(calls), samples_.stored * alleles);
    if (samples_.are_all() && alleles == 2 && all_hold(all, is_plain))
      return put_plain_calls({reinterpret_cast<const uint16_t*>(calls), samples}, phased, sink);
  }
  std::string ploidies, bytes;
  ploidies.reserve(samples);
  bytes.reserve(2 * samples);
  int least = 2, greatest = 1;
  for (const uint64_t place : samples_.places) {
    const Probabilities call = probabilities_of(call_at(calls + place * alleles, alleles), alleles, phased);
    least = std::min(least, call.count());
    greatest = std::max(greatest, call.count());
    ploidies += static_cast<char>(call.ploidy);
    bytes.append(reinterpret_cast<const char*>(call.bytes), static_cast<size_t>(call.count()));
  }
  put_calls_head(10 + samples + bytes.size(), least, greatest, sink);
  sink.put(std::string_view(ploidies));
  put_little_endian(phased, 1, sink);
  put_little_endian(8, 1, sink);
  sink.put(std::string_view(bytes));
}

template <class Sink>
void Bgen::put_rows(const ShownRows& rows, Sink& sink) const {
  const uint64_t most = variants_.alleles->shape()[1];
  for (uint64_t i = rows.first; i < rows.first + rows.count; ++i) {
    if (!are_two_alleles(rows.parts[kAlleles], i * most, most)) continue;
    const Row row{rows.parts, i, rows.first_of_all - rows.first + i};
    put_site(row, sink);
    visit_number(variants_.genotype->dtype(), [&](auto zero) {
      if constexpr (std::is_integral_v<decltype(zero)>) put_calls<decltype(zero)>(row, sink);
    });
  }
}

}  // namespace

std::unique_ptr<TextSource> bgen(Variants variants, Context& context) {
  return std::make_unique<Bgen>(std::move(variants), context);
}

}  // namespace plainfs
