// Common parts of the genotype files: sites of two alleles, calls as codes, lines of samples.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/model/contents/variants.h"
#include "formats/core/model/context.h"
#include "formats/core/model/elements/variant_values.h"
#include "fs/text/text_file.h"
#include "fs/views/variants/variant_rows.h"

namespace plainfs {

// Returns why PLINK and BGEN cannot represent the genotypes; nullopt if they can, as far as is known without
// reading.
std::optional<Error> refused_genotypes(const Variants& variants);

// The variants that have exactly one alternative allele, in any spelling.
class TwoAlleleSites {
 public:
  // Makes one pass over the alleles. Throws the errors of reading.
  TwoAlleleSites(const Variants& variants, Context& context);

  uint64_t count() const { return count_; }
  bool has(uint64_t variant) const { return bits_->words[variant / 64] >> variant % 64 & 1; }
  // Returns the variant of site `number`. Requires: number < count().
  uint64_t variant(uint64_t number) const;
  // Returns the variants of `count` consecutive sites from `number` on. Requires: number + count <=
  // this->count().
  std::vector<uint64_t> variants(uint64_t number, uint64_t count) const;

 private:
  // A survey of the alleles: one bit per variant.
  struct Bits {
    std::vector<uint64_t> words;
  };
  std::shared_ptr<const Bits> bits_;
  std::vector<uint64_t> before_;  // the number of sites before each run of words
  uint64_t count_ = 0;
};
// Returns whether the alleles of one row are those of a site of two. They are elements [first, first + most).
bool are_two_alleles(const Elements& alleles, uint64_t first, uint64_t most);

// The alleles of one call at a site of two: -1 if missing, -2 past the end.
struct Call {
  int first;
  int second;
};
// Returns the call at `alleles`, for any integer type. Calls of one allele have no second allele. Throws
// damaged if an allele does not exist.
template <class T>
Call call_at(const T* alleles, uint64_t ploidy) {
  const auto allele = [](T value) {
    const bool is_known = std::cmp_less_equal(value, 1) && std::cmp_greater_equal(value, -2);
    if (!is_known) throw damaged("a genotype has allele {}, but its variant has 2 alleles", value);
    return static_cast<int>(value);
  };
  return {allele(alleles[0]), ploidy > 1 ? allele(alleles[1]) : -2};
}

// Writes a call of any ploidy as VCF has it, "0/1" or "1|1": its alleles up to the end mark, a dot for a
// missing allele, and a dot if it has no alleles. alleles: their number at the site. Throws damaged if an
// allele does not exist.
template <class T, class Sink>
void put_genotype(std::span<const T> call, bool is_phased, uint64_t alleles, Sink& sink) {
  size_t i = 0;
  for (; i < call.size(); ++i) {
    const Given is = given(call[i]);
    if (is == Given::end) break;
    if (i > 0) sink.put(is_phased ? '|' : '/');
    if (is == Given::missing) {
      sink.put('.');
    } else {
      if (std::cmp_less(call[i], 0) || std::cmp_greater_equal(call[i], alleles))
        throw damaged("a genotype has allele {}, but its variant has {} alleles", call[i], alleles);
      sink.put_number(call[i]);
    }
  }
  if (i == 0) sink.put('.');
}

// The format of a file with a head and one line per sample.
struct SampleLines {
  const char* head;
  const char* version;
  bool has_blanks;  // in names; otherwise blanks become "_", as plink2 requires
  void (*append)(std::string_view name, std::string& line);
};
extern const SampleLines kSamplesTsv, kPlinkFam, kOxfordSample;
std::unique_ptr<TextSource> sample_lines(Variants variants, const SampleLines& lines);

// Returns the names with "_" for blanks.
std::vector<std::string> names_without_blanks(const ShownSamples& samples);

}  // namespace plainfs
