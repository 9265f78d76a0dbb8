// Variants of a genome and what is known of samples at them, as a VCF file has them: fixed fields, INFO of
// each variant, FORMAT of each sample at it. Values are as VCF Zarr keeps them, so that no view of large
// stores copies them: a number that is missing, or that ends a list before its length, is one that no value
// is (variant_values.h).
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/model/array.h"

namespace plainfs {

// A value of each variant (INFO), or of each sample at each variant (FORMAT); or a list of them, along one
// axis more.
struct VariantField {
  std::string name;
  ArrayPtr values;  // whole numbers, reals, truth values or Kind::text
  std::string
      number;        // how long its lists are, as a header says: "1", "2", "A", "R", "G", "."; "0" of a flag
  std::string type;  // "Integer", "Float", "Flag", "Character" or "String"
  std::optional<std::string> description;
};

// What a header says besides the fields.
struct VariantHeader {
  // The lines of the file that the variants came from, each beginning with ##; nullopt = not kept.
  std::optional<std::vector<std::string>> stored;
  std::optional<std::string> source;
  std::vector<std::pair<std::string, std::string>> meta;  // other lines: ##first=second
  std::optional<Error> error;  // there is something that is no header; the fields are in no known order
};

// What one line of a header declares: "INFO", "DP".
struct Declared {
  std::string kind;
  std::string id;
  auto operator<=>(const Declared&) const = default;
};
// nullopt of a line that declares nothing. "##INFO=<Number=1,ID=DP>": the ID may stand anywhere.
std::optional<Declared> declared_in(std::string_view line);

struct Variants {
  // Of as many elements as there are variants, in their first axis.
  ArrayPtr contig;                   // index into contig_names
  ArrayPtr position;                 // 1-based
  ArrayPtr alleles;                  // rank 2: REF, ALT …, text; "" behind the last
  ArrayPtr ids;                      // text; null = none
  ArrayPtr quality;                  // null = none
  ArrayPtr filter;                   // rank 2: which of filter_names each has; null = all have passed
  std::vector<VariantField> info;    // in the header's order
  std::vector<VariantField> format;  // without the genotype; none where there are no samples

  ArrayPtr contig_names;
  ArrayPtr contig_lengths;       // below 0 = not known; null = none are
  ArrayPtr filter_names;         // null = none
  ArrayPtr filter_descriptions;  // null = none

  ArrayPtr samples;   // their names, one that is empty is to be left out; null = there are none
  ArrayPtr genotype;  // rank 3, variants x samples x ploidy: index of an allele; null = none, or no samples
  ArrayPtr phased;    // rank 2; null = no genotype is

  VariantHeader header;

  // As the positions are; 0 where there are none to be had.
  uint64_t count() const { return position->shape().empty() ? 0 : position->shape()[0]; }
};

}  // namespace plainfs
