#include <algorithm>
#include <map>

#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/names.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/text/split.h"
#include "formats/schemas/vcf/variants.h"

namespace plainfs::vcf {
namespace {

// The arrays of the fixed fields, which are neither INFO nor FORMAT (vcf-zarr-spec, "Fixed fields").
constexpr std::string_view kFixedVariant[] = {"contig",  "position", "length",  "id",
                                              "id_mask", "allele",   "quality", "filter"};
constexpr std::string_view kFixedCall[] = {"genotype", "genotype_phased"};

// Returns fixed-length text as text of any length, and other arrays unchanged.
ArrayPtr as_text(ArrayPtr array) {
  return frames::is_text(array->dtype()) ? frames::as_written(std::move(array)) : array;
}

ArrayPtr required(const Group& group, const char* name) {
  if (ArrayPtr array = frames::part_of(group, name)) return as_text(std::move(array));
  return std::make_shared<BrokenArray>(number_type(Kind::integer, 4), damaged("{} is missing", name));
}

ArrayPtr optional(const Group& group, const char* name) {
  ArrayPtr array = frames::part_of(group, name);
  return array ? as_text(std::move(array)) : nullptr;
}

// Returns the names of an array's axes, from Zarr of version 2 (xarray's attribute) or 3; empty if their
// number differs from the rank.
std::vector<std::string> axes_of(const Node& node, size_t rank) {
  const Attributes attributes = attributes_of(node);
  for (const char* name : {"_ARRAY_DIMENSIONS", "dimension_names"}) {
    std::vector<std::string> axes = attributes.texts(name);
    if (axes.size() == rank && rank > 0) return axes;
  }
  return {};
}

// Returns the VCF name of an array's type; empty if VCF has no such type.
std::string type_of(const DType& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "Flag";
    case Kind::integer:
    case Kind::unsigned_integer:
      return "Integer";
    case Kind::real:
      return "Float";
    case Kind::fixed_text:
      return type.size == 1 ? "Character" : "String";
    case Kind::fixed_utf32:
      return type.size == 4 ? "Character" : "String";
    case Kind::text:
      return "String";
    default:
      break;
  }
  return {};
}

// INFO or FORMAT: the prefix of its arrays and their first axes.
struct Category {
  std::string_view name;
  std::string_view prefix;
  std::span<const std::string_view> fixed;
  std::vector<std::string> axes;
  Shape extent;  // the lengths of axes, to recognise an array with unnamed ones
};

// Returns the Number of a field. A list with a last axis of any other name may have a Number of its own or
// none: the axis is as long as the longest list.
std::string number_of(const Category& category, const std::vector<std::string>& axes, const Array& array) {
  const size_t rank = array.shape().size();
  if (array.dtype().kind == Kind::boolean) return "0";
  if (rank == category.axes.size()) return "1";
  if (axes.empty()) return ".";
  const std::string& last = axes.back();
  if (last == "alleles") return "R";
  if (last == "alt_alleles") return "A";
  if (last == "genotypes") return "G";
  return ".";
}

bool has_axes(const Category& category, const std::vector<std::string>& axes, const Shape& shape) {
  if (axes.empty()) return std::equal(category.extent.begin(), category.extent.end(), shape.begin());
  return std::equal(category.axes.begin(), category.axes.end(), axes.begin());
}

// Returns the field called name in a node; nullopt if it cannot be one.
std::optional<VariantField> field_of(const Category& category, const std::string& name, const Node& node,
                                     const std::string& place, Context& context) {
  if (const auto* error = std::get_if<Error>(&node.content))
    return VariantField{name, std::make_shared<BrokenArray>(text_type(), *error), ".", "String", {}};
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array) return std::nullopt;
  const Array& values = *array->values;
  const size_t rank = values.shape().size(), least = category.axes.size();
  const std::vector<std::string> axes = axes_of(node, rank);
  if (rank < least || rank > least + 1 || !has_axes(category, axes, values.shape())) return std::nullopt;
  const std::string type = type_of(values.dtype());
  if (type.empty() || (type == "Flag" && (category.name == "FORMAT" || rank > least))) {
    context.notice(
        fmt::format("{}: {} cannot be a field {} of a VCF", place, values.dtype().name(), category.name));
    return std::nullopt;
  }
  return VariantField{name, as_text(array->values), number_of(category, axes, values), type,
                      attributes_of(node).text("description")};
}

std::vector<VariantField> fields_of(const Category& category, const std::vector<Member>& members,
                                    const Group& group, Context& context) {
  std::vector<VariantField> fields;
  for (const Member& member : members) {
    if (!member.name.starts_with(category.prefix) || member.name.ends_with("_mask") ||
        member.name.ends_with("_fill"))
      continue;
    const std::string name = member.name.substr(category.prefix.size());
    if (name.empty() || std::find(category.fixed.begin(), category.fixed.end(), name) != category.fixed.end())
      continue;
    const std::string place = member_path(group, member.name);
    if (std::optional<VariantField> field = field_of(category, name, member.node, place, context))
      fields.push_back(*std::move(field));
  }
  std::sort(fields.begin(), fields.end(),
            [](const VariantField& a, const VariantField& b) { return a.name < b.name; });
  return fields;
}

std::vector<std::string> stored_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::string_view line : split(text, '\n')) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("##")) lines.emplace_back(line);
  }
  return lines;
}

// Returns the pairs of [["reference", "x.fa"], …].
std::vector<std::pair<std::string, std::string>> meta_in(const Json& value) {
  std::vector<std::pair<std::string, std::string>> meta;
  const Json::List* lines = value.list();
  if (!lines) throw damaged("vcf_meta_information is not a list");
  for (const Json& line : *lines) {
    const Json::List* pair = line.list();
    if (!pair || pair->size() != 2 || !(*pair)[0].text() || !(*pair)[1].text())
      throw damaged("vcf_meta_information has {}, which is not a pair of key and text", to_json_text(line));
    meta.emplace_back(*(*pair)[0].text(), *(*pair)[1].text());
  }
  return meta;
}

VariantHeader header_in(const Attributes& attributes) {
  VariantHeader header;
  try {
    if (const Json* stored = attributes.find("vcf_header")) {
      if (!stored->text()) throw damaged("vcf_header is not a text");
      header.stored = stored_lines(*stored->text());
    }
    header.source = attributes.text("source");
    if (const Json* meta = attributes.find("vcf_meta_information"); meta && !meta->is_null())
      header.meta = meta_in(*meta);
  } catch (const Error& error) {
    header.error = error;
  }
  return header;
}

// Moves the fields that the header declares to the front, in the header's order.
void put_in_order(const VariantHeader& header, const std::string& kind, std::vector<VariantField>& fields) {
  if (!header.stored) return;
  std::map<std::string, size_t> places;
  for (const std::string& line : *header.stored)
    if (const auto declared = declared_in(line); declared && declared->kind == kind)
      places.emplace(declared->id, places.size());
  const auto place = [&](const VariantField& field) {
    const auto found = places.find(field.name);
    return found == places.end() ? places.size() : found->second;
  };
  std::stable_sort(fields.begin(), fields.end(),
                   [&](const VariantField& a, const VariantField& b) { return place(a) < place(b); });
}

}  // namespace

Variants stored_variants(const Group& group, const Attributes& attributes, Context& context) {
  Variants variants;
  variants.contig = required(group, "variant_contig");
  variants.position = required(group, "variant_position");
  variants.alleles = required(group, "variant_allele");
  variants.ids = optional(group, "variant_id");
  variants.quality = optional(group, "variant_quality");
  variants.filter = optional(group, "variant_filter");
  variants.contig_names = required(group, "contig_id");
  variants.contig_lengths = optional(group, "contig_length");
  variants.filter_names = optional(group, "filter_id");
  variants.filter_descriptions = optional(group, "filter_description");
  variants.header = header_in(attributes);
  const std::vector<Member> members = group.members();
  const uint64_t count = variants.count();
  variants.info =
      fields_of({"INFO", "variant_", kFixedVariant, {"variants"}, {count}}, members, group, context);
  put_in_order(variants.header, "INFO", variants.info);
  ArrayPtr samples = optional(group, "sample_id");
  if (!samples || (!frames::is_broken(*samples) && samples->count() == 0)) return variants;
  variants.format =
      fields_of({"FORMAT", "call_", kFixedCall, {"variants", "samples"}, {count, samples->count()}}, members,
                group, context);
  put_in_order(variants.header, "FORMAT", variants.format);
  variants.samples = std::move(samples);
  variants.genotype = optional(group, "call_genotype");
  if (variants.genotype) variants.phased = optional(group, "call_genotype_phased");
  return variants;
}

}  // namespace plainfs::vcf
