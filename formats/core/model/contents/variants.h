// Variants of a genome and the data of samples at them, as in a VCF file: fixed fields, INFO of each variant,
// FORMAT of each sample at it. Values are stored as in VCF Zarr, so that views of large stores need not copy
// them: special numbers that are never values mark a missing number or the early end of a list
// (variant_values.h).
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs {

// One value per variant (INFO), or per sample at each variant (FORMAT), or a list of values along one more
// axis.
struct VariantField {
  std::string name;
  ArrayPtr values;     // integers, reals, truth values or Kind::text
  std::string number;  // the length of its lists, as in a header: "1", "2", "A", "R", "G", "."; "0" of a flag
  std::string type;    // "Integer", "Float", "Flag", "Character" or "String"
  std::optional<std::string> description;
};

// The parts of a header besides the fields.
struct VariantHeader {
  // The lines of the original file's header, each beginning with ##; nullopt = not kept.
  std::optional<std::vector<std::string>> stored;
  std::optional<std::string> source;
  std::vector<std::pair<std::string, std::string>> meta;  // other lines: ##first=second
  std::optional<Error> error;  // something is not a valid header; the order of the fields is unknown
};

// The declaration in a header line: "INFO", "DP".
struct Declared {
  std::string kind;
  std::string id;
  auto operator<=>(const Declared&) const = default;
};
// Returns nullopt for a line that declares nothing. The ID may be at any position: "##INFO=<Number=1,ID=DP>".
std::optional<Declared> declared_in(std::string_view line);

struct Variants {
  // The first axis of these arrays has one element per variant.
  ArrayPtr contig;                   // index into contig_names
  ArrayPtr position;                 // 1-based
  ArrayPtr alleles;                  // rank 2: REF, ALT …, text; "" after the last
  ArrayPtr ids;                      // text; null = none
  ArrayPtr quality;                  // null = none
  ArrayPtr filter;                   // rank 2: which of filter_names each has; null = all passed
  std::vector<VariantField> info;    // in the header's order
  std::vector<VariantField> format;  // without the genotype; empty if there are no samples

  ArrayPtr contig_names;
  ArrayPtr contig_lengths;       // below 0 = unknown; null = all unknown
  ArrayPtr filter_names;         // null = none
  ArrayPtr filter_descriptions;  // null = none

  ArrayPtr samples;   // sample names; a sample with an empty name is omitted; null = no samples
  ArrayPtr genotype;  // rank 3, variants x samples x ploidy: index of an allele; null = none, or no samples
  ArrayPtr phased;    // rank 2; null = no genotype is phased

  VariantHeader header;

  // Returns the number of positions; 0 if `position` has rank 0.
  uint64_t count() const { return position->shape().empty() ? 0 : position->shape()[0]; }
};

}  // namespace plainfs
