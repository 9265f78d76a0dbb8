#include "fs/views/variants/variant_files.h"

#include <algorithm>
#include <array>
#include <span>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/elements/variant_values.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/number_loops.h"
#include "fs/views/table/row_text.h"
#include "fs/views/variants/genotypes.h"

namespace plainfs {

namespace {

constexpr std::string_view kPlinkMagic("\x6c\x1b\x01", 3);  // calls variant by variant

// The two bits of a call: A1 is the alternative allele, A2 the reference.
constexpr uint8_t kBothA1 = 0, kMissingCall = 1, kOneOfEach = 2, kBothA2 = 3;

uint8_t code_of(Call call) {
  if (call.first < 0 || call.second == -1) return kMissingCall;
  if (call.second == -2) return call.first == 0 ? kBothA2 : kBothA1;
  return call.first != call.second ? kOneOfEach : call.first == 0 ? kBothA2 : kBothA1;
}

// Returns whether all alleles, one byte each, are the first, the second or missing.
bool are_plain(std::span<const uint8_t> alleles) {
  return all_hold(alleles, [](uint8_t allele) { return static_cast<uint8_t>(allele + 1) <= 2; });
}

// Writes the codes of such calls of two alleles each, four in a byte. Requires: the number of calls is a
// multiple of four.
void put_plain_codes(std::span<const uint16_t> calls, std::byte* out) {
  const auto code = [](uint16_t call) {
    const auto second = static_cast<uint16_t>((call & 1) + (call >> 8 & 1));
    const auto known = static_cast<uint16_t>(kBothA2 - second - (second >> 1));
    return static_cast<uint8_t>((call & 0x8080) != 0 ? kMissingCall : known);
  };
  // Moves bits 0, 8, 16 and 24 to 24, 26, 28 and 30.
  const auto joined = [](uint32_t four) { return static_cast<uint8_t>(four * 0x01041040 >> 24); };
  constexpr size_t kAtOnce = 1024;
  std::array<uint32_t, kAtOnce / 4> codes;
  while (!calls.empty()) {
    const size_t count = std::min(kAtOnce, calls.size());
    convert(calls.first(count), reinterpret_cast<std::byte*>(codes.data()), code);
    convert(std::span<const uint32_t>(codes).first(count / 4), out, joined);
    calls = calls.subspan(count);
    out += count / 4;
  }
}

class BedCalls : public Segment {
 public:
  BedCalls(Variants variants, ShownSamples samples, TwoAlleleSites sites, Context& context)
      : variants_(std::move(variants)),
        samples_(std::move(samples)),
        sites_(std::move(sites)),
        context_(context),
        row_bytes_(divide_up(samples_.names.size(), 4)),
        size_(checked_multiply(sites_.count(), row_bytes_)) {}

  uint64_t size() const override { return size_; }
  void read(const Wanted& wanted) const override;
  uint64_t least_block() const override;
  void release(uint64_t begin, uint64_t end) const override;

 private:
  uint64_t ploidy() const { return variants_.genotype->shape()[2]; }
  Elements read_calls(const Box& box, bool sequential) const {
    return sequential ? variants_.genotype->read(box) : variants_.genotype->peek(box);
  }
  void read_rows(uint64_t first_row, uint64_t rows, bool sequential, std::byte* out) const;
  void read_part(uint64_t row, uint64_t first_byte, std::span<std::byte> out, bool sequential) const;
  template <class T>
  void put_codes(const T* calls, uint64_t first, uint64_t count, uint64_t first_place, std::byte* out) const;
  void put_codes(const Elements& calls, uint64_t call, uint64_t first, uint64_t count, uint64_t first_place,
                 std::byte* out) const;

  const Variants variants_;
  const ShownSamples samples_;
  const TwoAlleleSites sites_;
  Context& context_;
  const uint64_t row_bytes_;
  const uint64_t size_;
};

// Writes the codes of shown samples [first, first + count). Requires: first is a multiple of four. calls:
// from the sample at first_place on.
template <class T>
void BedCalls::put_codes(const T* calls, uint64_t first, uint64_t count, uint64_t first_place,
                         std::byte* out) const {
  const uint64_t alleles = ploidy();
  uint64_t done = 0;
  if constexpr (std::is_same_v<T, int8_t>) {
    const auto* const known = reinterpret_cast<const uint8_t*>(calls + 2 * (first - first_place));
    if (samples_.are_all() && alleles == 2 && are_plain({known, 2 * count})) {
      done = count - count % 4;
      put_plain_codes({reinterpret_cast<const uint16_t*>(known), done}, out);
    }
  }
  for (uint64_t i = done; i < count; i += 4) {
    uint8_t byte = 0;
    for (uint64_t k = 0; k < std::min<uint64_t>(4, count - i); ++k) {
      const uint64_t place = samples_.places[first + i + k] - first_place;
      byte = static_cast<uint8_t>(byte | code_of(call_at(calls + place * alleles, alleles)) << (2 * k));
    }
    out[i / 4] = static_cast<std::byte>(byte);
  }
}

void BedCalls::put_codes(const Elements& calls, uint64_t call, uint64_t first, uint64_t count,
                         uint64_t first_place, std::byte* out) const {
  visit_number(variants_.genotype->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      put_codes(calls.values<T>().data() + call * ploidy(), first, count, first_place, out);
  });
}

// Writes bytes of one row; reads only the samples in them.
void BedCalls::read_part(uint64_t row, uint64_t first_byte, std::span<std::byte> out, bool sequential) const {
  const uint64_t first = first_byte * 4,
                 count = std::min<uint64_t>(out.size() * 4, samples_.places.size() - first);
  const uint64_t from = samples_.places[first], to = samples_.places[first + count - 1] + 1;
  const Elements calls = read_calls({{sites_.variant(row), from, 0}, {1, to - from, ploidy()}}, sequential);
  put_codes(calls, 0, first, count, from, out.data());
}

// Writes whole rows. Variants are read together unless there are too many others between them.
void BedCalls::read_rows(uint64_t first_row, uint64_t rows, bool sequential, std::byte* out) const {
  constexpr uint64_t kMaxGap = 16;
  const std::vector<uint64_t> variants = sites_.variants(first_row, rows);
  for (uint64_t done = 0; done < rows;) {
    const uint64_t first = variants[done], stored = samples_.stored;
    uint64_t last = done;
    while (last + 1 < rows && variants[last + 1] - variants[last] <= kMaxGap) ++last;
    const Elements calls =
        read_calls({{first, 0, 0}, {variants[last] - first + 1, stored, ploidy()}}, sequential);
    for (; done <= last; ++done)
      put_codes(calls, (variants[done] - first) * stored, 0, samples_.places.size(), 0,
                out + done * row_bytes_);
  }
}

void BedCalls::read(const Wanted& wanted) const {
  uint64_t at = wanted.offset;
  std::span<std::byte> out = wanted.out;
  while (!out.empty()) {
    const uint64_t row = at / row_bytes_, byte = at % row_bytes_;
    uint64_t some = std::min<uint64_t>(row_bytes_ - byte, out.size());
    if (some < row_bytes_) {
      read_part(row, byte, out.first(some), wanted.sequential);
    } else {
      const uint64_t rows = out.size() / row_bytes_;
      read_rows(row, rows, wanted.sequential, out.data());
      some = rows * row_bytes_;
    }
    out = out.subspan(some);
    at += some;
  }
}

uint64_t BedCalls::least_block() const {
  constexpr uint64_t kWanted = 256 * 1024;
  if (size_ == 0) return 1;
  const Array& genotype = *variants_.genotype;
  const uint64_t per_row = samples_.stored * ploidy();
  const uint64_t wanted = std::max<uint64_t>(1, kWanted / row_bytes_) * per_row;
  const uint64_t band = elements_in_band(genotype.shape(), genotype.chunk_shape());
  return divide_up(run_length(wanted, band, genotype.dtype(), context_), per_row) * row_bytes_;
}

void BedCalls::release(uint64_t begin, uint64_t end) const {
  const uint64_t per_row = samples_.stored * ploidy(), last = end / row_bytes_;
  const uint64_t first = begin / row_bytes_;
  if (last <= first) return;
  const uint64_t from = sites_.variant(first),
                 to = last < sites_.count() ? sites_.variant(last) : variants_.count();
  passed_run(*variants_.genotype, from * per_row, (to - from) * per_row);
}

// Returns the name as plink2 2.00a3.5 with --output-chr MT writes it: without a prefix if it is a human
// chromosome that plink2 knows.
std::string plink_chromosome(const std::string& name) {
  std::string rest = lower_case(name);
  if (rest.starts_with("chr")) rest.erase(0, 3);
  for (const auto& [known, shown] : {std::pair("x", "X"), std::pair("y", "Y"), std::pair("xy", "XY"),
                                     std::pair("m", "MT"), std::pair("mt", "MT")})
    if (rest == known) return shown;
  if (rest.empty() || rest.size() > 9 || rest.find_first_not_of("0123456789") != rest.npos) return name;
  constexpr const char* kBehindAutosomes[] = {"X", "Y", "XY", "MT", "PAR1"};
  const uint64_t number = std::stoull(rest);
  if (number <= 22) return std::to_string(number);
  return number < 23 + std::size(kBehindAutosomes) ? kBehindAutosomes[number - 23] : name;
}

class PlinkBim : public RowText<PlinkBim> {
 public:
  PlinkBim(Variants variants, Context& context) : variants_(std::move(variants)), context_(context) {}

  void prepare() override {
    constexpr uint64_t kTypicalLine = 32;
    check_positions(variants_);
    check_alleles(variants_);
    check_ids(variants_);
    contigs_ = names_in(*variants_.contig_names, "contig_id");
    chromosomes_.clear();
    for (const std::string& contig : contigs_) chromosomes_.push_back(plink_chromosome(contig));
    std::vector<ArrayPtr> arrays{variants_.contig, variants_.position, variants_.alleles};
    if (variants_.ids) arrays.push_back(variants_.ids);
    show_rows(variants_.count(), std::move(arrays), kTypicalLine, context_);
  }
  std::string version() const override { return "plink bim 1"; }

  template <class Sink>
  void put_rows(const ShownRows& rows, Sink& sink) const {
    const std::vector<Elements>& parts = rows.parts;
    const uint64_t most = variants_.alleles->shape()[1];
    CodedSink out(sink, '\t');
    const VariantTexts alleles(parts[2]);
    for (uint64_t row = rows.first; row < rows.first + rows.count; ++row) {
      if (!are_two_alleles(parts[2], row * most, most)) continue;
      const uint64_t variant = rows.first_of_all - rows.first + row;
      sink.put(std::string_view(chromosomes_[whole_number(variants_.contig->dtype(), parts[0], row,
                                                          chromosomes_.size(), "variant_contig", variant)]));
      sink.put('\t');
      if (variants_.ids)
        put_list(VariantTexts(parts[3]), row, 1, out);
      else
        sink.put('.');
      sink.put(std::string_view("\t0\t"));
      sink.put_number(
          whole_number(variants_.position->dtype(), parts[1], row, UINT64_MAX, "variant_position", variant));
      sink.put('\t');
      put_list(alleles, row * most + 1, 1, out);
      sink.put('\t');
      put_list(alleles, row * most, 1, out);
      sink.put('\n');
    }
  }

 private:
  const Variants variants_;
  Context& context_;
  std::vector<std::string> contigs_, chromosomes_;
};

}  // namespace

ByteLayout plink_bed(const Variants& variants, Context& context) {
  ShownSamples samples = shown_samples(variants);
  check_genotype(variants, samples);
  TwoAlleleSites sites(variants, context);
  ByteLayout layout;
  layout.put(kPlinkMagic);
  layout.put(std::make_shared<BedCalls>(variants, std::move(samples), std::move(sites), context));
  return layout;
}

std::unique_ptr<TextSource> plink_bim(Variants variants, Context& context) {
  return std::make_unique<PlinkBim>(std::move(variants), context);
}

}  // namespace plainfs
