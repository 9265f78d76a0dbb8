#include "formats/schemas/tenx/schema.h"

#include "formats/core/frames/parts.h"
#include "formats/core/model/derived_group.h"
#include "formats/schemas/tenx/features.h"
#include "formats/schemas/tenx/matrix.h"
#include "formats/schemas/tenx/molecules.h"

namespace plainfs::tenx {
namespace {

bool is_plain_group(const Node& node) {
  return std::holds_alternative<std::monostate>(node.content) && node.parts;
}

Node matrix_node(const Node& node, CountMatrix found, Context& context) {
  Node refined = node;
  if (found.layout == 2) {
    refined.parts = std::make_shared<OverlayGroup>(node.parts, [&context](const auto& name, Node stored) {
      const bool is_table = name == "features" && is_plain_group(stored);
      return is_table ? with_feature_table(std::move(stored), context) : stored;
    });
  }
  refined.content = std::move(found.matrix);
  return refined;
}

Json facts_of(const CountMatrix& found) {
  const SparseMatrix& matrix = found.matrix;
  return Json::Object{{"layout", Json::of(static_cast<int64_t>(found.layout))},
                      {"features", Json::of(matrix.rows)},
                      {"barcodes", Json::of(matrix.columns)},
                      {"nonzeros", Json::of(matrix.value->count())},
                      {"dtype", Json(matrix.value->dtype().name())}};
}

// Nothing where no member of the root is a matrix.
void describe_matrices(const Group& root, Store& store) {
  Json::Object all;
  for (const Member& member : root.members()) {
    if (!is_plain_group(member.node)) continue;
    const auto found = matrix_in(*member.node.parts);
    if (!found) continue;
    store.version = found->layout == 2 ? "layout 2" : "layout 1";
    all.emplace_back(member.name, facts_of(*found));
  }
  if (all.empty()) return;
  store.format = "10x Genomics matrix";
  store.details.emplace_back("10x", Json::Object{{"matrices", std::move(all)}});
}

void describe_molecules(const Group& root, const Molecules& molecules, Store& store) {
  store.format = "10x Genomics molecule_info";
  store.version.clear();
  const Attributes attributes = root.attributes();
  if (const Json* version = find_attribute(attributes, "file_version"))
    store.version =
        to_json_text(version->list() && version->list()->size() == 1 ? version->list()->front() : *version);
  store.details.emplace_back("10x", Json::Object{{"molecules", Json::of(molecules.barcode_idx->count())},
                                                 {"barcodes", Json::of(molecules.barcodes->count())},
                                                 {"features", Json::of(molecules.feature_ids->count())}});
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node) || dynamic_cast<const OverlayGroup*>(node.parts.get())) return std::nullopt;
  const auto notice = [&](const std::string& message) {
    context.notice(fmt::format("{}: {}", node.parts->path(), message));
  };
  if (auto found = matrix_in(*node.parts, notice)) return matrix_node(node, std::move(*found), context);
  if (const auto found = molecules_in(*node.parts)) {
    Node molecules;
    molecules.content = molecule_table(*found, context);
    Node refined = node;
    refined.parts = std::make_shared<OverlayGroup>(node.parts, nullptr,
                                                   std::vector<Member>{{"molecules", std::move(molecules)}});
    return refined;
  }
  return std::nullopt;
}

void describe(const Node& raw_root, Store& store) {
  if (!is_plain_group(raw_root)) return;
  const Group& root = *raw_root.parts;
  if (const auto molecules = molecules_in(root)) return describe_molecules(root, *molecules, store);
  describe_matrices(root, store);
}

}  // namespace plainfs::tenx
