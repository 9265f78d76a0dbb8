// What the files of genotypes have in common: sites of two alleles, calls as codes, lines of samples.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/variants.h"
#include "fs/text/text_file.h"
#include "fs/views/variant_rows.h"

namespace plainfs {

// Why PLINK and BGEN have no form for the genotypes; nullopt where they have one, as far as is known without
// a read.
std::optional<Error> refused_genotypes(const Variants& variants);

// Which variants have exactly one alternative allele, however it is spelled.
class TwoAlleleSites {
 public:
  // One pass over the alleles. Throws what reading throws.
  TwoAlleleSites(const Variants& variants, Context& context);

  uint64_t count() const { return count_; }
  bool has(uint64_t variant) const { return bits_->words[variant / 64] >> variant % 64 & 1; }
  // The variant that is the number-th of them. Requires: number < count().
  uint64_t variant(uint64_t number) const;
  // The count that begin with it. Requires: so many are left.
  std::vector<uint64_t> variants(uint64_t number, uint64_t count) const;

 private:
  // A survey of the alleles.
  struct Bits {
    std::vector<uint64_t> words;
  };
  std::shared_ptr<const Bits> bits_;
  std::vector<uint64_t> before_;  // how many stand before each run of words
  uint64_t count_ = 0;
};
// Whether the alleles of one row are such a site's. Requires: elements [first, first + most) are they.
bool are_two_alleles(const Elements& alleles, uint64_t first, uint64_t most);

// The alleles of one call at a site of two, -1 what is missing and -2 behind the end.
struct Call {
  int first;
  int second;
};
// That of any type of integers; calls of one allele have no second. Throws damaged where there is no such
// allele.
template <class T>
Call call_at(const T* alleles, uint64_t ploidy) {
  const auto allele = [](T value) {
    const bool is_known = std::cmp_less_equal(value, 1) && std::cmp_greater_equal(value, -2);
    if (!is_known) throw damaged("a genotype has allele {}, but its variant has 2 alleles", value);
    return static_cast<int>(value);
  };
  return {allele(alleles[0]), ploidy > 1 ? allele(alleles[1]) : -2};
}

// A line for each sample, in a file of the lines alone and a head.
struct SampleLines {
  const char* head;
  const char* version;
  bool has_blanks;  // in names; else they are "_", as plink2 wants it
  void (*append)(std::string_view name, std::string& line);
};
extern const SampleLines kSamplesTsv, kPlinkFam, kOxfordSample;
std::unique_ptr<TextSource> sample_lines(Variants variants, const SampleLines& lines);

// The names with "_" for blanks.
std::vector<std::string> names_without_blanks(const ShownSamples& samples);

}  // namespace plainfs
