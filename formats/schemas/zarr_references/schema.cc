#include "formats/schemas/zarr_references/schema.h"

#include <algorithm>
#include <unordered_map>

#include "cache/lazy.h"
#include "formats/containers/zarr/array.h"
#include "formats/containers/zarr/group.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/schemas/zarr_references/attributes.h"

namespace plainfs::zarr_references {
namespace {

using SourcesPtr = std::shared_ptr<const StoreSources>;
using StoredGroupPtr = std::shared_ptr<const zarr::StoredGroup>;

// State shared by all nodes of one store.
struct Reading {
  SourcesPtr sources;
  Context& context;
};

Node refined_array(const Node& node, const LabelledArray& array, const Reading& reading) {
  Node refined = node;
  refined.attributes = [values = array.values, sources = reading.sources] {
    return with_references_as_paths(values->attributes(), *sources);
  };
  if (!may_have_meaning(array.values->dtype())) return refined;
  try {
    const ElementMeaning meaning = meaning_of(array.values->attributes());
    if (ArrayPtr values = with_meaning(array.values, meaning, reading.sources)) {
      refined.content = LabelledArray{std::move(values), array.row_names, array.column_names};
    }
  } catch (const Error& error) {  // of the attributes, without which the elements have no meaning
    refined.content = LabelledArray{std::make_shared<BrokenArray>(array.values->dtype(), error), {}, {}};
  }
  return refined;
}

class LinkedGroup : public DerivedGroup {
 public:
  LinkedGroup(StoredGroupPtr stored, GroupPtr parent, Reading reading)
      : DerivedGroup(std::move(stored)), parent_(std::move(parent)), reading_(std::move(reading)) {}

  std::vector<Member> members() const override {
    std::vector<Member> members = stored().members();
    for (Member& member : members) member.node = refined(member.node);
    const std::vector<Member>& linked = links().all;
    members.insert(members.end(), linked.begin(), linked.end());
    return members;
  }
  std::optional<Node> find(std::string_view name) const override {
    if (const auto node = stored().find(name)) return refined(*node);
    const auto link = links().by_name.find(name);
    return link == links().by_name.end() ? std::nullopt : std::optional(*link->second);
  }
  Attributes attributes() const override {
    return with_references_as_paths(stored().attributes(), *reading_.sources);
  }
  GroupPtr parent() const override { return parent_; }

 private:
  Node refined(const Node& node) const;

  // The group's links, by name, without those that have the name of a member.
  struct Links {
    std::vector<Member> all;
    std::unordered_map<std::string_view, const Node*> by_name;
  };
  // Reads the links once, so that each fault is logged once. Throws if the system denies reading them.
  const Links& links() const;
  std::vector<Member> read_links() const;

  GroupPtr parent_;
  Reading reading_;
  Lazy<Links> links_;
};

Node LinkedGroup::refined(const Node& node) const {
  if (const auto* array = std::get_if<LabelledArray>(&node.content))
    return refined_array(node, *array, reading_);
  if (std::holds_alternative<Error>(node.content) && node.attributes) {
    Node broken = node;
    broken.attributes = [stored = node.attributes, sources = reading_.sources] {
      return with_references_as_paths(stored(), *sources);
    };
    return broken;
  }
  auto group = std::dynamic_pointer_cast<const zarr::StoredGroup>(node.parts);
  if (!group) return node;
  Node refined = node;
  refined.parts = std::make_shared<LinkedGroup>(std::move(group), shared_from_this(), reading_);
  return refined;
}

const LinkedGroup::Links& LinkedGroup::links() const {
  return links_.get([this] {
    Links links{read_links(), {}};
    for (const Member& link : links.all) links.by_name.emplace(link.name, &link.node);
    return links;
  });
}

std::vector<Member> LinkedGroup::read_links() const {
  const auto warn = [this](const std::string& message) {
    reading_.context.warn(fmt::format("{}: {}", path(), message));
  };
  std::vector<Member> links;
  try {
    links = links_of(stored().attributes(), *reading_.sources, warn);
  } catch (const Error& error) {
    if (error.code() != Errc::damaged && !is_unsupported(error)) throw;
    return {};  // .attrs.json reports the error
  }
  std::erase_if(links, [&](const Member& link) {
    const std::optional<Node> member = stored().find(link.name);
    if (member) check_known(*member);
    const bool is_taken = member.has_value();
    if (is_taken) warn(fmt::format("the link {} has the name of a member", link.name));
    return is_taken;
  });
  return links;
}

}  // namespace

bool is_of_zarr(const Group& group) {
  return dynamic_cast<const LinkedGroup*>(&group) || dynamic_cast<const zarr::StoredGroup*>(&group);
}

std::optional<Node> refine(const Node& node, Context& context) {
  if (auto group = std::dynamic_pointer_cast<const zarr::StoredGroup>(node.parts)) {
    const Reading reading{
        std::make_shared<const StoreSources>(group->hierarchy().store()->location(), context.files), context};
    GroupPtr parent = group->parent();
    Node refined = node;
    refined.parts = std::make_shared<LinkedGroup>(std::move(group), std::move(parent), reading);
    return refined;
  }
  const auto* array = std::get_if<LabelledArray>(&node.content);
  const auto* stored = array ? dynamic_cast<const zarr::StoredArray*>(array->values.get()) : nullptr;
  if (!stored || node.attributes) return std::nullopt;  // with attributes: refined with its group
  return refined_array(
      node, *array,
      {std::make_shared<const StoreSources>(stored->store().location(), context.files), context});
}

}  // namespace plainfs::zarr_references
