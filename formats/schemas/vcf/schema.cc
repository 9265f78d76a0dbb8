#include "formats/schemas/vcf/schema.h"

#include <algorithm>
#include <charconv>

#include "formats/core/frames/parts.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/text/printable.h"
#include "formats/schemas/vcf/variants.h"

namespace plainfs::vcf {
namespace {

constexpr std::string_view kKnown[] = {"0.2", "0.3", "0.4", "0.5"};

// Returns whether the group holds arrays that every version has, so that it may be one of VCF Zarr's groups.
bool may_be_vcf(const Group& group) {
  return group.find("variant_position") && group.find("contig_id");
}

bool is_known(const std::string& version) {
  return std::find(std::begin(kKnown), std::end(kKnown), version) != std::end(kKnown);
}

// Returns the parts of a version, {0, 10} for "0.10"; empty for any other text.
std::vector<int> parts_of(const std::string& version) {
  std::vector<int> parts;
  const char* const end = version.data() + version.size();
  for (const char* at = version.data();;) {
    const auto [stopped, error] = std::from_chars(at, end, parts.emplace_back());
    if (error != std::errc() || parts.back() < 0) return {};
    if (stopped == end) return parts;
    if (*stopped != '.') return {};
    at = stopped + 1;
  }
}

// Returns the version; nullopt for any other node. A version after the known ones counts if the group holds
// the arrays that every version has. An earlier one keeps the contigs in attributes.
std::optional<std::string> version_of(const Node& node) {
  if (!is_plain_group(node)) return std::nullopt;
  try {
    const std::optional<std::string> version = attributes_of(node).text("vcf_zarr_version");
    if (!version) return std::nullopt;
    const bool is_later = parts_of(*version) > parts_of(std::string(*std::rbegin(kKnown)));
    if (is_known(*version) || (is_later && may_be_vcf(*node.parts))) return version;
  } catch (const Error& error) {
    if (is_transient(error) || (!is_unsupported(error) && may_be_vcf(*node.parts))) throw;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  const std::optional<std::string> version = version_of(node);
  if (!version) return std::nullopt;
  if (!is_known(*version))
    context.notice(fmt::format("{}: vcf_zarr_version {} is later than {}; it is read as that version",
                               node.parts->path(), printable(*version), *std::rbegin(kKnown)));
  Node refined = node;
  Variants variants = stored_variants(*node.parts, attributes_of(node), context);
  Node sites;
  sites.role = Role::main_table;
  sites.content = sites_of(variants, node.parts->path(), context);
  refined.parts = std::make_shared<OverlayGroup>(node.parts, nullptr, std::vector<Member>{{"sites", sites}});
  refined.content = std::move(variants);
  return refined;
}

void describe(const Node& raw_root, Store& store) {
  const std::optional<std::string> version = version_of(raw_root);
  if (!version) return;
  const Group& root = *raw_root.parts;
  Json::Object facts{{"vcf_zarr_version", Json(*version)}};
  for (const auto& [name, array] : {std::pair("variants", "variant_position"),
                                    std::pair("samples", "sample_id"), std::pair("contigs", "contig_id")})
    if (const ArrayPtr list = frames::list_part_of(root, array); list && !frames::is_broken(*list))
      facts.emplace_back(name, Json::of(list->count()));
  store.details.emplace_back("vcf_zarr", std::move(facts));
}

}  // namespace plainfs::vcf
