#include "formats/annotated/anndata_uns.h"

#include <algorithm>
#include <set>

#include "formats/annotated/parts.h"
#include "formats/core/frames/element.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/registry.h"
#include "formats/schemas/anndata/group.h"
#include "formats/schemas/anndata/legacy.h"

namespace plainfs::annotated {

namespace {

constexpr int kMaxUnsDepth = 64;

const anndata::AnnDataGroup* anndata_group(const Group& group) {
  return dynamic_cast<const anndata::AnnDataGroup*>(&stored_group(group));
}

// Returns stored unstructured data with its meaning. Unlike the tree, it shows nullable values as they are.
Node meaning_of(Node stored, int depth, Context& context);

Node group_with_meaning(const Node& stored, int depth, Context& context) {
  const auto list = [parts = stored.parts, depth, &context](const GroupPtr&) {
    std::vector<Member> members = parts->members();
    for (Member& member : members) member.node = meaning_of(std::move(member.node), depth + 1, context);
    return members;
  };
  return {{}, std::make_shared<ListedGroup>(nullptr, stored.parts->path(), list)};
}

Node meaning_of(Node stored, int depth, Context& context) try {
  const std::optional<frames::Encoding> encoding = frames::encoding_of(attributes_of(stored));
  if (encoding && encoding->type == "null") return {Nothing{}};
  if (!stored.parts || !std::holds_alternative<std::monostate>(stored.content)) return stored;
  if (ArrayPtr values = frames::values_of(stored, context))
    return {LabelledArray{std::move(values), nullptr, nullptr}};
  Node refined = refine(stored, context);
  if (!std::holds_alternative<std::monostate>(refined.content)) return refined;
  if (depth > kMaxUnsDepth) return {unsupported("groups within groups, more than {}", kMaxUnsDepth)};
  return group_with_meaning(stored, depth, context);
} catch (const Error& error) {
  if (is_transient(error)) throw;
  return {error};
}

// Returns the factors of obs and var with levels in uns, as files of anndata 0.6 have them.
std::set<std::string> legacy_levels(const AnnotatedMatrix& generated) {
  std::set<std::string> names;
  for (const Table* table : {&generated.obs, &generated.var})
    for (const Column& column : table->columns) names.insert(column.name + "_categories");
  return names;
}

// Returns the group `neighbors` without the graphs that are in obsp.
Node without_graphs(const Node& neighbors) {
  const auto list = [parts = neighbors.parts](const GroupPtr&) {
    std::vector<Member> members = parts->members();
    std::erase_if(members, [](const Member& member) {
      return (member.name == "distances" || member.name == "connectivities") && member.node.parts;
    });
    return members;
  };
  const auto attributes = [parts = neighbors.parts] { return parts->attributes(); };
  return {{}, std::make_shared<ListedGroup>(nullptr, neighbors.parts->path(), list, attributes)};
}

}  // namespace

std::optional<Node> stored_member(const Group& group, std::string_view name) {
  const anndata::AnnDataGroup* own = anndata_group(group);
  return own ? own->as_stored().find(name) : std::nullopt;
}

UnsOfAnnData anndata_uns(const GroupPtr& anndata, const AnnotatedMatrix& generated, Context& context) {
  const anndata::AnnDataGroup* root = anndata_group(*anndata);
  const std::optional<Node> uns = root ? root->as_stored().find("uns") : std::nullopt;
  if (!uns) return {};
  check_known(*uns);
  if (!uns->parts) return {};
  const bool is_old = anndata::is_legacy_root(root->as_stored());
  const std::set<std::string> levels = is_old ? legacy_levels(generated) : std::set<std::string>();
  UnsOfAnnData all;
  for (Member& member : uns->parts->members()) {
    if (levels.contains(member.name)) continue;
    if (member.name == "neighbors" && is_plain_group(member.node)) member.node = without_graphs(member.node);
    all.members.push_back({member.name, meaning_of(member.node, 0, context)});
    all.stored.push_back(std::move(member));
  }
  return all;
}

}  // namespace plainfs::annotated
