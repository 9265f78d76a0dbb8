#include "fs/views/variants/variant_files.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/elements/variant_values.h"
#include "formats/core/text/number_loops.h"
#include "fs/text/field_text.h"
#include "fs/views/genomics/position_index.h"
#include "fs/views/table/row_text.h"
#include "fs/views/variants/genotypes.h"
#include "fs/views/variants/variant_rows.h"

namespace plainfs {

namespace {

// A line with more text than this is formatted in parts.
constexpr uint64_t kLongLine = 4 * kBlockText;

constexpr char kInfoEnd = ';', kFormatEnd = ':';

// The indices of the parts of a row in the data read for it; kNoPart for missing ones.
constexpr size_t kNoPart = SIZE_MAX;
struct RowParts {
  size_t contig = kNoPart, position = kNoPart, alleles = kNoPart, ids = kNoPart, quality = kNoPart,
         filter = kNoPart, info = kNoPart, genotype = kNoPart, phased = kNoPart, format = kNoPart;
};

// A field that is written for each sample; the genotype needs the alleles of the site.
template <class Sink>
struct CallField {
  std::string_view name;
  std::function<bool(uint64_t row)> is_missing;                          // for all shown samples
  std::function<void(uint64_t call, uint64_t alleles, Sink& sink)> put;  // call: row * samples + sample
};

class VariantsVcf : public EmittingSource<VariantsVcf> {
 public:
  VariantsVcf(Variants variants, Context& context) : variants_(std::move(variants)), context_(context) {}

  void prepare() override;
  std::string head() const override { return head_; }
  std::string version() const override { return "variants vcf 2"; }
  uint64_t division() const override { return units_->division() ^ pieces_ << 48; }
  uint64_t block_count() const override { return units_->block_count() * pieces_; }
  bool should_cache(uint64_t) const override { return !units_->are_shared() && !variants_.format.empty(); }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const;
  std::string position_index(IndexKind kind) const override;

 private:
  template <class Sink>
  class Lines;

  void check_fields() const;
  uint64_t sample_text() const;
  std::vector<ArrayPtr> arrays_of_rows();

  const Variants variants_;
  Context& context_;
  std::vector<std::string> contigs_, filters_;
  ShownSamples samples_;
  RowParts parts_;
  std::optional<RowUnits> units_;
  uint64_t pieces_ = 1;  // of a line, one block each
  std::string head_;
  size_t end_field_ = kNoPart;                // of INFO: the one with the end of the variant
  std::unique_ptr<PositionIndexer> indexer_;  // for the generated blocks
};

void VariantsVcf::check_fields() const {
  const Variants& v = variants_;
  check_positions(v);
  check_alleles(v);
  check_ids(v);
  if (v.quality) check_part(v, *v.quality, 1, "variant_quality");
  if (v.filter) {
    check_part(v, *v.filter, 2, "variant_filter");
    if (v.filter->shape()[1] != filters_.size())
      throw damaged("variant_filter has {} columns for {} filters", v.filter->shape()[1], filters_.size());
    if (v.filter->dtype().kind != Kind::boolean && !v.filter->dtype().is_integer())
      throw damaged("variant_filter is {}, expected truth values", v.filter->dtype().name());
  }
  for (const VariantField& field : v.info) {
    field.values->check();
    check_part(v, *field.values, field.values->shape().size(), "variant_" + field.name);
  }
  for (const VariantField& field : v.format) {
    field.values->check();
    check_part(v, *field.values, field.values->shape().size(), "call_" + field.name);
    if (field.values->shape()[1] != samples_.stored)
      throw damaged("call_{} has {} samples, but sample_id has {}", field.name, field.values->shape()[1],
                    samples_.stored);
  }
  if (v.genotype) check_genotype(v, samples_);
}

// Returns the approximate number of characters of a sample.
uint64_t VariantsVcf::sample_text() const {
  uint64_t width = variants_.genotype ? 2 * variants_.genotype->shape()[2] : 0;
  for (const VariantField& field : variants_.format)
    width += (sampled_width(*field.values) + 1) *
             (field.values->shape().size() > 2 ? field.values->shape()[2] : 1);
  return width;
}

std::vector<ArrayPtr> VariantsVcf::arrays_of_rows() {
  std::vector<ArrayPtr> arrays;
  const auto add = [&](const ArrayPtr& array) {
    if (!array) return kNoPart;
    arrays.push_back(array);
    return arrays.size() - 1;
  };
  parts_.contig = add(variants_.contig);
  parts_.position = add(variants_.position);
  parts_.alleles = add(variants_.alleles);
  parts_.ids = add(variants_.ids);
  parts_.quality = add(variants_.quality);
  parts_.filter = add(variants_.filter);
  parts_.info = arrays.size();
  for (const VariantField& field : variants_.info) {
    if (field.name == "END") end_field_ = arrays.size();
    add(field.values);
  }
  if (samples_.names.empty()) return arrays;
  parts_.genotype = add(variants_.genotype);
  parts_.phased = add(variants_.phased);
  parts_.format = arrays.size();
  for (const VariantField& field : variants_.format) add(field.values);
  return arrays;
}

void VariantsVcf::prepare() {
  contigs_ = names_in(*variants_.contig_names, "contig_id");
  filters_ =
      variants_.filter_names ? names_in(*variants_.filter_names, "filter_id") : std::vector<std::string>();
  samples_ = shown_samples(variants_);
  check_fields();
  uint64_t site_text = 32;
  for (const VariantField& field : variants_.info)
    site_text += field.name.size() + 2 + sampled_width(*field.values) + 1;
  const uint64_t line_text = site_text + checked_multiply(sample_text(), samples_.names.size());
  pieces_ = line_text > kLongLine ? divide_up(line_text, kBlockText) : 1;
  units_.emplace(variants_.count(), arrays_of_rows(), line_text, context_, pieces_ > 1);
  head_ = vcf_header(variants_, contigs_, filters_, samples_.names);
  indexer_ = std::make_unique<PositionIndexer>(kVariantLines, head_.size());
}

// A writer of the lines of a block.
template <class Sink>
class VariantsVcf::Lines {
 public:
  Lines(const VariantsVcf& vcf, const RowUnits::Rows& rows, uint64_t first)
      : vcf_(vcf), rows_(rows), first_(first) {
    const RowParts& parts = vcf.parts_;
    if (parts.genotype != kNoPart)
      visit_number(vcf.variants_.genotype->dtype(), [&](auto zero) {
        if constexpr (std::is_integral_v<decltype(zero)>) add_genotype<decltype(zero)>();
      });
    if (parts.format == kNoPart) return;
    for (size_t f = 0; f < vcf.variants_.format.size(); ++f)
      add_field(vcf.variants_.format[f], rows.parts[parts.format + f]);
  }

  // Writes the line of a row up to its samples. row: counted from the first one read.
  void put_site(uint64_t row, Sink& sink);
  // The position of a variant, as tabix derives it from the line.
  struct Place {
    const std::string& contig;
    uint64_t start, end;
  };
  Place place_of(uint64_t row) const;
  // Loads the sample fields and alleles of a row. Must be called before put_format and put_samples.
  void look_at(uint64_t row);
  void put_format(Sink& sink) const;
  // Writes shown samples [begin, end).
  void put_samples(uint64_t row, uint64_t begin, uint64_t end, Sink& sink) const;

 private:
  const Elements& part(size_t number) const { return rows_.parts[number]; }
  uint64_t samples() const { return vcf_.samples_.stored; }
  uint64_t contig_of(uint64_t row) const {
    return whole_number(vcf_.variants_.contig->dtype(), part(vcf_.parts_.contig), row, vcf_.contigs_.size(),
                        "variant_contig", first_ + row);
  }
  uint64_t position_of(uint64_t row) const {
    return whole_number(vcf_.variants_.position->dtype(), part(vcf_.parts_.position), row, UINT64_MAX,
                        "variant_position", first_ + row);
  }
  // Returns whether each call is phased; empty if none is, and when lengths are counted, which are the same.
  static constexpr bool kAreLengths = std::is_same_v<Sink, CountingSink>;
  std::span<const uint8_t> phased() const {
    if (kAreLengths || vcf_.parts_.phased == kNoPart) return {};
    return part(vcf_.parts_.phased).template values<uint8_t>();
  }
  template <class T>
  void add_genotype();
  void add_field(const VariantField& field, const Elements& elements);
  template <class Out>
  void put_reference(uint64_t row, Out& sink) const;
  void put_alleles(uint64_t row, Sink& sink) const;
  void put_filters(uint64_t row, Sink& sink) const;
  void put_info(uint64_t row, Sink& sink) const;
  bool put_plain_calls(uint64_t row, uint64_t begin, uint64_t end, Sink& sink) const;

  const VariantsVcf& vcf_;
  const RowUnits::Rows& rows_;
  const uint64_t first_;  // variant
  std::vector<CallField<Sink>> fields_;
  std::vector<const CallField<Sink>*> shown_;  // for the loaded row
  uint64_t alleles_ = 0;                       // for the loaded row
};

template <class Sink>
template <class T>
void VariantsVcf::Lines<Sink>::add_genotype() {
  const std::span<const T> calls = part(vcf_.parts_.genotype).template values<T>();
  const std::span<const uint8_t> phased = this->phased();
  const uint64_t ploidy = vcf_.variants_.genotype->shape()[2];
  // Includes sites at which no sample has a genotype: PLINK and others require the field in every line.
  const auto is_missing = [](uint64_t) { return false; };
  fields_.push_back({"GT", is_missing, [calls, phased, ploidy](uint64_t call, uint64_t alleles, Sink& sink) {
                       put_genotype(calls.subspan(call * ploidy, ploidy), !phased.empty() && phased[call],
                                    alleles, sink);
                     }});
}

template <class Sink>
void VariantsVcf::Lines<Sink>::add_field(const VariantField& field, const Elements& elements) {
  const uint64_t most = field.values->shape().size() > 2 ? field.values->shape()[2] : 1;
  visit_variant_values(field.values->dtype(), elements, [&](const auto& values) {
    const auto is_missing = [values, most, this](uint64_t row) {
      return std::all_of(vcf_.samples_.places.begin(), vcf_.samples_.places.end(), [&](uint64_t sample) {
        return list_at(values, (row * samples() + sample) * most, most).is_missing;
      });
    };
    const auto put = [values, most](uint64_t call, uint64_t, Sink& sink) {
      const VariantList list = list_at(values, call * most, most);
      CodedSink out(sink, kFormatEnd);
      if (list.count == 0)
        sink.put('.');
      else
        put_list(values, call * most, list.count, out);
    };
    fields_.push_back({field.name, is_missing, put});
  });
}

template <class Sink>
template <class Out>
void VariantsVcf::Lines<Sink>::put_reference(uint64_t row, Out& sink) const {
  const VariantTexts texts(part(vcf_.parts_.alleles));
  const uint64_t most = vcf_.variants_.alleles->shape()[1];
  CodedSink out(sink, '\t');
  if (most == 0)
    sink.put('.');
  else
    put_list(texts, row * most, 1, out);
}

template <class Sink>
void VariantsVcf::Lines<Sink>::put_alleles(uint64_t row, Sink& sink) const {
  const VariantTexts texts(part(vcf_.parts_.alleles));
  const uint64_t most = vcf_.variants_.alleles->shape()[1], first = row * most;
  put_reference(row, sink);
  sink.put('\t');
  CodedSink out(sink, '\t');
  const VariantList all = list_at(texts, first, most);
  if (all.count > 1)
    put_list(texts, first + 1, all.count - 1, out);
  else
    sink.put('.');
}

template <class Sink>
void VariantsVcf::Lines<Sink>::put_filters(uint64_t row, Sink& sink) const {
  if (!vcf_.variants_.filter) return sink.put(std::string_view("PASS"));
  bool any = false;
  const size_t count = vcf_.filters_.size();
  visit_number(vcf_.variants_.filter->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const auto is_set = part(vcf_.parts_.filter).template values<T>().subspan(row * count, count);
      for (size_t i = 0; i < count; ++i) {
        if (is_set[i] == 0) continue;
        if (any) sink.put(';');
        sink.put(std::string_view(vcf_.filters_[i]));
        any = true;
      }
    }
  });
  if (!any) sink.put('.');
}

template <class Sink>
void VariantsVcf::Lines<Sink>::put_info(uint64_t row, Sink& sink) const {
  bool any = false;
  const auto begin = [&](const VariantField& field) {
    if (any) sink.put(';');
    sink.put(std::string_view(field.name));
    any = true;
  };
  for (size_t f = 0; f < vcf_.variants_.info.size(); ++f) {
    const VariantField& field = vcf_.variants_.info[f];
    const Elements& elements = part(vcf_.parts_.info + f);
    if (field.values->dtype().kind == Kind::boolean) {
      if (elements.template values<uint8_t>()[row]) begin(field);
      continue;
    }
    const uint64_t most = field.values->shape().size() > 1 ? field.values->shape()[1] : 1;
    visit_variant_values(field.values->dtype(), elements, [&](const auto& values) {
      const VariantList list = list_at(values, row * most, most);
      if (list.is_missing) return;
      begin(field);
      sink.put('=');
      CodedSink out(sink, kInfoEnd);
      put_list(values, row * most, list.count, out);
    });
  }
  if (!any) sink.put('.');
}

template <class Sink>
void VariantsVcf::Lines<Sink>::put_site(uint64_t row, Sink& sink) {
  const Variants& v = vcf_.variants_;
  const auto put_value = [&](const ArrayPtr& array, size_t number) {
    if (!array) return sink.put('.');
    CodedSink out(sink, '\t');
    visit_variant_values(array->dtype(), part(number),
                         [&](const auto& values) { put_list(values, row, 1, out); });
  };
  sink.put(std::string_view(vcf_.contigs_[contig_of(row)]));
  sink.put('\t');
  sink.put_number(position_of(row));
  sink.put('\t');
  put_value(v.ids, vcf_.parts_.ids);
  sink.put('\t');
  put_alleles(row, sink);
  sink.put('\t');
  put_value(v.quality, vcf_.parts_.quality);
  sink.put('\t');
  put_filters(row, sink);
  sink.put('\t');
  put_info(row, sink);
}

// Returns the place that htslib 1.16 (tbx.c, get_intv) computes: from the position, or 0, to the end of REF,
// or to INFO END if that is larger.
template <class Sink>
typename VariantsVcf::Lines<Sink>::Place VariantsVcf::Lines<Sink>::place_of(uint64_t row) const {
  const uint64_t position = position_of(row), start = position > 0 ? position - 1 : 0;
  std::string text;
  StringSink out(text);
  put_reference(row, out);
  Place place{vcf_.contigs_[contig_of(row)], start, checked_add(start, text.size())};
  if (vcf_.end_field_ == kNoPart) return place;
  const Array& ends = *vcf_.variants_.info[vcf_.end_field_ - vcf_.parts_.info].values;
  if (ends.dtype().kind == Kind::boolean) return place;
  const uint64_t most = ends.shape().size() > 1 ? ends.shape()[1] : 1;
  visit_variant_values(ends.dtype(), part(vcf_.end_field_), [&](const auto& values) {
    text.clear();
    if (most > 0 && values.given(row * most) == Given::value) values.put(row * most, out);
    if (const long long end = std::strtoll(text.c_str(), nullptr, 0); std::cmp_greater(end, start))
      place.end = static_cast<uint64_t>(end);
  });
  return place;
}

template <class Sink>
void VariantsVcf::Lines<Sink>::look_at(uint64_t row) {
  shown_.clear();
  for (const CallField<Sink>& field : fields_)
    if (!field.is_missing(row)) shown_.push_back(&field);
  const uint64_t most = vcf_.variants_.alleles->shape()[1];
  alleles_ = allele_count(part(vcf_.parts_.alleles), row * most, most);
}

template <class Sink>
void VariantsVcf::Lines<Sink>::put_format(Sink& sink) const {
  sink.put('\t');
  for (size_t f = 0; f < shown_.size(); ++f) {
    if (f > 0) sink.put(kFormatEnd);
    sink.put(shown_[f]->name);
  }
  if (shown_.empty()) sink.put('.');
}

// Writes calls of two alleles, one byte each, below ten or 0xff if missing. phased: empty, or one value per
// call.
void write_plain_calls(std::span<const uint16_t> calls, std::span<const uint8_t> phased, char* out) {
  const auto text = [](uint16_t call, char between) {
    const auto digit = [](uint32_t allele) { return allele + '0' - (allele >> 7); };  // 0xff: '.' + 0x100
    return uint32_t{'\t'} | (digit(call & 0xff) & 0xff) << 8 | static_cast<uint32_t>(between) << 16 |
           digit(call >> 8) << 24;
  };
  const auto write_all = [&](char between) {
    convert(calls, reinterpret_cast<std::byte*>(out), [&](uint16_t call) { return text(call, between); });
  };
  if (all_hold(phased, [](uint8_t is) { return is == 0; })) return write_all('/');
  if (all_hold(phased, [](uint8_t is) { return is != 0; })) return write_all('|');
  for (size_t i = 0; i < calls.size(); ++i) {
    const uint32_t bytes = text(calls[i], phased[i] ? '|' : '/');
    std::memcpy(out + 4 * i, &bytes, sizeof bytes);
  }
}

// Writes calls of two alleles each, below ten or missing, if nothing else is shown: four characters per
// sample. Returns false if they are not all of that form.
template <class Sink>
bool VariantsVcf::Lines<Sink>::put_plain_calls(uint64_t row, uint64_t begin, uint64_t end, Sink& sink) const {
  const ArrayPtr& genotype = vcf_.variants_.genotype;
  const bool is_alone = shown_.size() == 1 && vcf_.parts_.genotype != kNoPart && shown_[0] == &fields_[0];
  if (!is_alone || !vcf_.samples_.are_all() || genotype->shape()[2] != 2 || genotype->dtype().size != 1 ||
      genotype->dtype().kind != Kind::integer)
    return false;
  const uint64_t first = row * samples() + begin, count = end - begin;
  const auto calls = part(vcf_.parts_.genotype).template values<uint8_t>().subspan(2 * first, 2 * count);
  const auto most = static_cast<uint8_t>(std::min<uint64_t>(alleles_, 10));
  // One more than the allele, so that a missing one is 0.
  if (!all_hold(calls, [most](uint8_t allele) { return static_cast<uint8_t>(allele + 1) <= most; }))
    return false;
  if constexpr (kAreLengths) {
    sink.skip(4 * count);
  } else {
    char* const at = sink.reserve(4 * count);
    std::span<const uint8_t> phased = this->phased();
    if (!phased.empty()) phased = phased.subspan(first, count);
    const auto pairs = part(vcf_.parts_.genotype).template values<uint16_t>().subspan(first, count);
    write_plain_calls(pairs, phased, at);
    sink.set_end(at + 4 * count);
  }
  return true;
}

template <class Sink>
void VariantsVcf::Lines<Sink>::put_samples(uint64_t row, uint64_t begin, uint64_t end, Sink& sink) const {
  if (put_plain_calls(row, begin, end, sink)) return;
  for (uint64_t i = begin; i < end; ++i) {
    const uint64_t call = row * samples() + vcf_.samples_.places[i];
    char before = '\t';
    for (const CallField<Sink>* field : shown_) {
      sink.put(before);
      field->put(call, alleles_, sink);
      before = kFormatEnd;
    }
    if (shown_.empty()) sink.put(std::string_view("\t."));
  }
}

template <class Sink>
void VariantsVcf::emit(uint64_t number, Sink& sink) const {
  const RowUnits::Block block = units_->block(number / pieces_);
  const uint64_t piece = number % pieces_, samples = samples_.names.size();
  const std::shared_ptr<const RowUnits::Rows> rows =
      units_->read(block.unit, std::is_same_v<Sink, CountingSink> ? parts_.phased : kNoPart);
  Lines<Sink> lines(*this, *rows, block.first - block.first_in_unit);
  std::vector<IndexedLines> indexed;  // one for each contig
  const bool is_indexed = indexer_->has(number);
  for (uint64_t row = block.first_in_unit; row < block.first_in_unit + block.count; ++row) {
    const uint64_t before = sink.size();
    if (piece == 0) lines.put_site(row, sink);
    if (samples > 0) {
      lines.look_at(row);
      if (piece == 0) lines.put_format(sink);
      lines.put_samples(row, samples * piece / pieces_, samples * (piece + 1) / pieces_, sink);
    }
    if (piece == pieces_ - 1) sink.put('\n');
    if (is_indexed) continue;
    if (piece > 0) {
      indexed.emplace_back("", kVariantLines).extend(sink.size() - before);
      continue;
    }
    const auto place = lines.place_of(row);
    if (indexed.empty() || indexed.back().chromosome() != place.contig)
      indexed.emplace_back(place.contig, kVariantLines);
    indexed.back().add(place.start, place.end, sink.size() - before);
  }
  if (!is_indexed) indexer_->add(number, std::move(indexed));
}

std::string VariantsVcf::position_index(IndexKind kind) const {
  const auto make = [&](IndexKind its_kind) {
    const auto measure_again = [&](uint64_t block) { measure(block); };
    return indexer_->finish(its_kind, block_count(), measure_again, context_.workers);
  };
  if (kind == IndexKind::csi) {
    bool is_reached = true;
    try {
      make(IndexKind::tbi);
    } catch (const Error& error) {
      if (error.code() != Errc::unsupported) throw;
      is_reached = false;
    }
    if (is_reached) throw unsupported("the index .tbi already covers all positions");
  }
  return make(kind);
}

}  // namespace

std::unique_ptr<TextSource> variants_vcf(Variants variants, Context& context) {
  return std::make_unique<VariantsVcf>(std::move(variants), context);
}

}  // namespace plainfs
