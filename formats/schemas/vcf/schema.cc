#include "formats/schemas/vcf/schema.h"

#include <algorithm>

#include "formats/core/frames/parts.h"
#include "formats/core/model/derived_group.h"
#include "formats/schemas/vcf/variants.h"

namespace plainfs::vcf {
namespace {

constexpr std::string_view kKnown[] = {"0.2", "0.3", "0.4"};

// Returns whether the group holds arrays that every version has, so that it may be one of VCF Zarr's groups.
bool may_be_vcf(const Group& group) {
  return group.find("variant_position") && group.find("contig_id");
}

// Returns the version; nullopt for any other node, and for an unknown version, in which the meaning of arrays
// is unknown.
std::optional<std::string> version_of(const Node& node) {
  if (!is_plain_group(node)) return std::nullopt;
  try {
    const std::optional<std::string> version = text_of(attributes_of(node), "vcf_zarr_version");
    if (version && std::find(std::begin(kKnown), std::end(kKnown), *version) != std::end(kKnown))
      return version;
  } catch (const Error& error) {
    if (is_transient(error) || (!is_unsupported(error) && may_be_vcf(*node.parts))) throw;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!version_of(node)) return std::nullopt;
  Node refined = node;
  Variants variants = stored_variants(*node.parts, attributes_of(node), context);
  Node sites;
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
