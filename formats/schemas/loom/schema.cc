#include "formats/schemas/loom/schema.h"

#include "formats/core/frames/parts.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/schemas/loom/attribute_table.h"
#include "formats/schemas/loom/loom_file.h"

namespace plainfs::loom {
namespace {

using LoomFilePtr = std::shared_ptr<const LoomFile>;

Node with_labels(const LoomFile& file, Node stored) {
  if (const auto* array = std::get_if<LabelledArray>(&stored.content))
    stored.content = labelled(file, array->values);
  return stored;
}

// Returns stored with refine applied to each member.
Node with_members(Node stored, std::function<Node(Node)> refine) {
  stored.parts = std::make_shared<OverlayGroup>(
      stored.parts,
      [refine = std::move(refine)](const std::string&, Node member) { return refine(std::move(member)); });
  return stored;
}

Node with_graph(Node stored, uint64_t nodes, const ArrayPtr& names) {
  if (!is_plain_group(stored)) return stored;
  if (auto graph = graph_in(*stored.parts, nodes, names)) stored.content = std::move(*graph);
  return stored;
}

Node refined_member(const LoomFilePtr& file, const std::string& name, Node stored, Context& context) {
  if (name == "matrix") {
    stored.role = Role::main_matrix;
    return with_labels(*file, std::move(stored));
  }
  if (!is_plain_group(stored)) return stored;
  if (name == "layers")
    return with_members(std::move(stored),
                        [file](Node layer) { return with_labels(*file, std::move(layer)); });
  if (name == "row_graphs")
    return with_members(std::move(stored), [file](Node graph) {
      return with_graph(std::move(graph), file->rows, file->row_names.names);
    });
  if (name == "col_graphs")
    return with_members(std::move(stored), [file](Node graph) {
      return with_graph(std::move(graph), file->columns, file->column_names.names);
    });
  if (name == "row_attrs") stored.content = attribute_table(*stored.parts, file->rows, context);
  if (name == "col_attrs") {
    stored.content = attribute_table(*stored.parts, file->columns, context);
    stored.role = Role::main_table;
  }
  return stored;
}

// Returns the version: /attrs/LOOM_SPEC_VERSION from 3.0 on, before that an attribute of the root.
std::string version_of(const Group& root) {
  if (const GroupPtr attrs = frames::group_part_of(root, "attrs")) {
    const ArrayPtr version = frames::part_of(*attrs, "LOOM_SPEC_VERSION");
    if (version && !version->is_null() && version->count() == 1)
      return plain_text(version->dtype(), read_all(*version), 0);
  }
  const Attributes attributes = root.attributes();
  const Json* version = attributes.find("LOOM_SPEC_VERSION");
  if (version && version->list() && version->list()->size() == 1) version = &version->list()->front();
  return version && version->text() ? *version->text() : "";
}

Json names_in(const Group& root, std::string_view group_name) {
  Json::List names;
  if (const GroupPtr group = frames::group_part_of(root, group_name))
    for (const Member& member : group->members()) names.emplace_back(member.name);
  return names;
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node) || dynamic_cast<const OverlayGroup*>(node.parts.get())) return std::nullopt;
  auto found = loom_file_in(*node.parts);
  if (!found) return std::nullopt;
  const auto file = std::make_shared<const LoomFile>(std::move(*found));
  Node refined = node;
  refined.parts =
      std::make_shared<OverlayGroup>(node.parts, [file, &context](const std::string& name, Node stored) {
        return refined_member(file, name, std::move(stored), context);
      });
  return refined;
}

void describe(const Node& raw_root, Store& store) {
  if (!is_plain_group(raw_root)) return;
  const Group& root = *raw_root.parts;
  const auto file = loom_file_in(root);
  if (!file) return;
  store.format = "loom";
  Json::Object facts{{"rows", Json::of(file->rows)},
                     {"columns", Json::of(file->columns)},
                     {"dtype", Json(frames::part_of(root, "matrix")->dtype().name())}};
  for (const char* group : {"layers", "row_attrs", "col_attrs", "row_graphs", "col_graphs"})
    facts.emplace_back(group, names_in(root, group));
  store.details.emplace_back("loom", std::move(facts));
  store.version = version_of(root);
}

}  // namespace plainfs::loom
