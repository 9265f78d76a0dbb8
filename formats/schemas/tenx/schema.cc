#include "formats/schemas/tenx/schema.h"

#include <algorithm>

#include "formats/core/frames/parts.h"
#include "formats/core/model/context.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/node.h"
#include "formats/schemas/tenx/matrix.h"
#include "formats/schemas/tenx/molecules.h"
#include "formats/schemas/tenx/xenium.h"

namespace plainfs::tenx {
namespace {

constexpr const char* kTagKeys = "_all_tag_keys";
constexpr uint64_t kMaxTags = 4096;  // columns of one table; Cell Ranger writes up to a dozen

// Returns the names of the columns that the group lists. Throws if the list cannot be read.
std::vector<std::string> tags_of(const Group& features) {
  std::vector<std::string> tags;
  const ArrayPtr keys = frames::text_part_of(features, kTagKeys);
  if (!keys) return tags;
  keys->check();
  if (keys->count() > kMaxTags) throw unsupported("{} has {} tags", kTagKeys, keys->count());
  const Elements texts = read_all(*keys);
  for (uint64_t i = 0; i < texts.count; ++i) append_plain(keys->dtype(), texts, i, tags.emplace_back());
  return tags;
}

class TableMaker {
 public:
  TableMaker(const Group& features, Context& context) : features_(features), context_(context) {}

  Table make(const std::vector<std::string>& tags) {
    for (const char* name : {"id", "name", "feature_type"}) add_stated(name, false);
    for (const std::string& tag : tags) add_stated(tag, true);
    if (!table_.columns.empty()) table_.rows = table_.columns.front().values->count();
    for (const Member& member : features_.members()) add_other(member);
    return std::move(table_);
  }

 private:
  bool has(const std::string& name) const { return find_column(table_.columns, name) != nullptr; }

  void add_stated(const std::string& name, bool is_tag) {
    if (has(name)) return;
    const ArrayPtr stored = frames::part_of(features_, name);
    if (stored && frames::may_be_list(*stored))
      table_.columns.push_back({name, stored});
    else if (stored || is_tag)
      context_.notice(fmt::format("{}: {} is left out of the table: {}", features_.path(), name,
                                  stored ? "it does not have one value for each feature" : "it has no data"));
  }

  void add_other(const Member& member) {
    if (member.name == kTagKeys || has(member.name)) return;
    if (const Error* error = std::get_if<Error>(&member.node.content)) {
      if (!member.node.parts)
        table_.columns.push_back({member.name, std::make_shared<BrokenArray>(text_type(), *error)});
      return;
    }
    const auto* array = std::get_if<LabelledArray>(&member.node.content);
    if (array && frames::may_be_list(*array->values) && array->values->count() == table_.rows)
      table_.columns.push_back({member.name, array->values});
  }

  const Group& features_;
  Context& context_;
  Table table_;
};

// Returns stored with the table as its content: id, name, feature_type, the columns that _all_tag_keys lists,
// then every other list of that length by name, all as stored. Reads _all_tag_keys and no other data. If it
// cannot be read, the content is its Error.
Node with_feature_table(Node stored, Context& context) {
  try {
    stored.content = TableMaker(*stored.parts, context).make(tags_of(*stored.parts));
  } catch (const Error& error) {
    stored.content = error.at(stored.parts->path());
  }
  return stored;
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

// Returns the counts of a Xenium run with the table of their features, some of its molecules, or its cells.
std::optional<Node> xenium_node(const Node& node, const Notice& notice, Context& context) {
  Node refined = node;
  if (std::optional<Table> transcripts = xenium_transcripts_in(*node.parts, context)) {
    refined.content = *std::move(transcripts);
    return refined;
  }
  if (std::optional<XeniumMatrix> found = xenium_matrix_in(*node.parts, notice)) {
    std::vector<Member> added;
    if (!node.parts->find("features")) {
      added.push_back({"features", Node{std::move(found->features)}});
    }
    refined.content = std::move(found->matrix);
    refined.parts = std::make_shared<OverlayGroup>(node.parts, nullptr, std::move(added));
    return refined;
  }
  refined.parts = xenium_cells(node.parts);
  return refined.parts ? std::optional(std::move(refined)) : std::nullopt;
}

Json facts_of(const SparseMatrix& matrix) {
  return Json::Object{{"features", Json::of(matrix.rows)},
                      {"barcodes", Json::of(matrix.columns)},
                      {"nonzeros", Json::of(matrix.value->count())},
                      {"dtype", Json(matrix.value->dtype().name())}};
}

Json facts_of(const CountMatrix& found) {
  Json facts = facts_of(found.matrix);
  facts.object()->insert(facts.object()->begin(), {"layout", Json::of(static_cast<int64_t>(found.layout))});
  return facts;
}

// Adds the details of a Xenium store. Returns false for the root of any other store.
bool describe_xenium(const GroupPtr& root, Store& store) {
  const Attributes attributes = root->attributes();
  const Json* const major = attributes.find("major_version");
  if (!major) return false;
  Json::Object matrices;
  for (const Member& member : root->members())
    if (is_plain_group(member.node))
      if (const auto found = xenium_matrix_in(*member.node.parts))
        matrices.emplace_back(member.name, facts_of(found->matrix));
  const bool are_cells = xenium_cells(root) != nullptr;
  const bool are_transcripts = are_xenium_transcripts(*root);
  if (matrices.empty() && !are_cells && !are_transcripts) return false;
  store.details.emplace_back("container", Json(store.format));
  store.format = are_cells         ? "Xenium cells"
                 : are_transcripts ? "Xenium transcripts"
                                   : "Xenium cell-feature matrix";
  store.version = to_json_text(*major);
  if (!matrices.empty()) store.details.emplace_back("10x", Json::Object{{"matrices", std::move(matrices)}});
  return true;
}

// Adds the details of the matrices in the root, if there are any.
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
  if (const Json* version = attributes.find("file_version"))
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
  if (std::optional<Node> xenium = xenium_node(node, notice, context)) return xenium;
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
  if (!describe_xenium(raw_root.parts, store)) describe_matrices(root, store);
}

}  // namespace plainfs::tenx
