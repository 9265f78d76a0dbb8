#include "fs/views/variants/variant_rows.h"

#include <algorithm>
#include <utility>

#include "formats/core/model/elements/variant_values.h"

namespace plainfs {

namespace {

// All names are in memory at once, and a file may claim more than it holds.
constexpr uint64_t kMaxNames = uint64_t{1} << 27;

Elements names_of(const Array& list, std::string_view what, uint64_t most = UINT64_MAX) {
  list.check();
  if (list.shape().size() != 1 || list.dtype().kind != Kind::text)
    throw damaged("{} is {} of rank {}, expected a list of names", what, list.dtype().name(),
                  list.shape().size());
  const uint64_t count = std::min(list.count(), most);
  if (count > kMaxNames) throw unsupported("{}: {} names, more than {}", what, count, kMaxNames);
  return list.read(range(0, count));
}

}  // namespace

std::string coded(std::string_view text, char also) {
  std::string out;
  for (const char c : text) {
    if (c == '\t' || c == '\r' || c == '\n' || c == also)
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

std::vector<std::string> names_in(const Array& list, std::string_view what) {
  const Elements elements = names_of(list, what);
  std::vector<std::string> names;
  names.reserve(elements.count);
  for (uint64_t i = 0; i < elements.count; ++i) {
    check_utf8(elements.text(i));
    names.push_back(coded(elements.text(i)));
  }
  return names;
}

ShownSamples shown_samples(const Variants& variants, uint64_t most) {
  ShownSamples samples;
  if (!variants.samples) return samples;
  const Elements elements = names_of(*variants.samples, "sample_id", most);
  samples.stored = variants.samples->count();
  for (uint64_t i = 0; i < elements.count; ++i) {
    if (elements.text(i).empty()) continue;
    check_utf8(elements.text(i));
    std::string& name = samples.names.emplace_back(elements.text(i));
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
    samples.places.push_back(i);
  }
  return samples;
}

void check_part(const Variants& variants, const Array& array, size_t rank, std::string_view what) {
  array.check();
  const Shape& shape = array.shape();
  if (shape.size() != rank) throw damaged("{} has {} axes, expected {}", what, shape.size(), rank);
  if (shape[0] != variants.count())
    throw damaged("{} has {} variants, expected {}", what, shape[0], variants.count());
}

void check_positions(const Variants& variants) {
  variants.position->check();
  for (const auto& [array, what] : {std::pair(variants.position.get(), "variant_position"),
                                    std::pair(variants.contig.get(), "variant_contig")}) {
    check_part(variants, *array, 1, what);
    if (!array->dtype().is_integer())
      throw damaged("{} is {}, expected integers", what, array->dtype().name());
  }
}

void check_alleles(const Variants& variants) {
  variants.position->check();
  check_part(variants, *variants.alleles, 2, "variant_allele");
  if (variants.alleles->dtype().kind != Kind::text)
    throw damaged("variant_allele is {}, expected text", variants.alleles->dtype().name());
}

void check_ids(const Variants& variants) {
  if (!variants.ids) return;
  check_part(variants, *variants.ids, 1, "variant_id");
  if (variants.ids->dtype().kind != Kind::text)
    throw damaged("variant_id is {}, expected text", variants.ids->dtype().name());
}

void check_genotype(const Variants& variants, const ShownSamples& samples) {
  const auto check_samples = [&](const Array& array, std::string_view what) {
    if (array.shape()[1] != samples.stored)
      throw damaged("{} has {} samples, but sample_id has {}", what, array.shape()[1], samples.stored);
  };
  check_part(variants, *variants.genotype, 3, "call_genotype");
  check_samples(*variants.genotype, "call_genotype");
  if (!variants.genotype->dtype().is_integer())
    throw damaged("call_genotype is {}, expected integers", variants.genotype->dtype().name());
  if (!variants.phased) return;
  check_part(variants, *variants.phased, 2, "call_genotype_phased");
  check_samples(*variants.phased, "call_genotype_phased");
  if (variants.phased->dtype().kind != Kind::boolean)
    throw damaged("call_genotype_phased is {}, expected truth values", variants.phased->dtype().name());
}

uint64_t whole_number(const DType& type, const Elements& elements, uint64_t i, uint64_t limit,
                      std::string_view what, uint64_t variant) {
  return visit_number(type, [&](auto zero) -> uint64_t {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const T value = elements.values<T>()[i];
      if (std::cmp_less(value, 0) || std::cmp_greater_equal(value, limit))
        throw damaged("{} of variant {} is {}, expected from 0 to below {}", what, variant, value, limit);
      return static_cast<uint64_t>(value);
    } else {
      throw damaged("{} is {}, expected integers", what, type.name());
    }
  });
}

uint64_t allele_count(const Elements& alleles, uint64_t first, uint64_t most) {
  uint64_t count = 0;
  while (count < most && alleles.offsets[first + count] < alleles.offsets[first + count + 1]) ++count;
  return count;
}

}  // namespace plainfs
