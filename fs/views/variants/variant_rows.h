// Parts of the variant files: checks of the fixed fields against each other, names, integers of any type, and
// the header of a VCF.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/core/model/contents/variants.h"

namespace plainfs {

// Returns the names in an array of one axis, with TAB, CR and LF as the percent codes of VCF. Throws damaged
// if they are not names.
std::vector<std::string> names_in(const Array& list, std::string_view what);

// The samples that have a name.
struct ShownSamples {
  std::vector<std::string> names;  // without TAB, CR and LF
  std::vector<uint64_t> places;    // the index of each among all samples
  uint64_t stored = 0;
  bool are_all() const { return places.size() == stored; }
};
// Returns those of the first `most` samples that have a name.
ShownSamples shown_samples(const Variants& variants, uint64_t most = UINT64_MAX);

// Throw damaged if the arrays do not have the required type and shape.
void check_positions(const Variants& variants);  // contig, position, and names of contigs
void check_alleles(const Variants& variants);
void check_ids(const Variants& variants);
void check_genotype(const Variants& variants, const ShownSamples& samples);
// Requires the rank `rank` and, along the first axis, one entry per variant.
void check_part(const Variants& variants, const Array& array, size_t rank, std::string_view what);

// Returns element i, of any integer type. Throws damaged unless it is from 0 to below `limit`. what, variant:
// for the message.
uint64_t whole_number(const DType& type, const Elements& elements, uint64_t i, uint64_t limit,
                      std::string_view what, uint64_t variant);

// Returns the number of alleles in elements [first, first + most): those before the first empty one.
uint64_t allele_count(const Elements& alleles, uint64_t first, uint64_t most);

// Returns `text` with TAB, CR, LF and `also` as percent codes.
std::string coded(std::string_view text, char also = '\t');

// A sink that passes everything on, with text encoded by coded().
template <class Sink>
class CodedSink {
 public:
  CodedSink(Sink& sink, char also) : sink_(sink), also_(also) {}
  void put(char c) { sink_.put(c); }
  void put(std::string_view text) {
    const char codes[] = {'\t', '\r', '\n', also_};
    if (text.find_first_of(std::string_view(codes, sizeof codes)) == text.npos)
      sink_.put(text);
    else
      sink_.put(std::string_view(coded(text, also_)));
  }
  template <class T>
  void put_number(T value) {
    sink_.put_number(value);
  }

 private:
  Sink& sink_;
  const char also_;
};

// vcf_header.cc: the lines that the store kept, and one for each field, filter and contig that those do not
// declare.

// Returns the header of a VCF up to the line #CHROM. contigs, filters: names as in the lines. samples: if
// empty, there are no sample columns. Throws damaged if the lines kept in the store are not a header.
std::string vcf_header(const Variants& variants, const std::vector<std::string>& contigs,
                       const std::vector<std::string>& filters, const std::vector<std::string>& samples);

}  // namespace plainfs
