// What every file of variants is made of: the fixed fields held against each other, names, whole numbers of
// any type.
#pragma once

#include <string>
#include <vector>

#include "formats/core/model/variants.h"

namespace plainfs {

// Names of an array of one axis; TAB, CR and LF as the percent codes of VCF. Throws damaged where they are
// none.
std::vector<std::string> names_in(const Array& list, std::string_view what);

// Those of the samples that have a name.
struct ShownSamples {
  std::vector<std::string> names;  // without TAB, CR and LF
  std::vector<uint64_t> places;    // where each stands among all
  uint64_t stored = 0;
  bool are_all() const { return places.size() == stored; }
};
ShownSamples shown_samples(const Variants& variants);

// Throw damaged where the arrays are not what they have to be.
void check_positions(const Variants& variants);  // contig, position, and names of contigs
void check_alleles(const Variants& variants);
void check_ids(const Variants& variants);
void check_genotype(const Variants& variants, const ShownSamples& samples);
// Of `rank` and, along the first axis, as long as there are variants.
void check_part(const Variants& variants, const Array& array, size_t rank, std::string_view what);

// Element i, of any integer type; throws damaged where it is not from 0 to below limit. what, variant: for
// the message.
uint64_t whole_number(const DType& type, const Elements& elements, uint64_t i, uint64_t limit,
                      std::string_view what, uint64_t variant);

// How many alleles stand in elements [first, first + most): up to the first that is empty.
uint64_t allele_count(const Elements& alleles, uint64_t first, uint64_t most);

// With TAB, CR, LF and `also` as percent codes.
std::string coded(std::string_view text, char also = '\t');

// Passes on what is put, text coded.
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

}  // namespace plainfs
