#include "formats/schemas/anndata/legacy.h"

#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"

namespace plainfs::anndata {
namespace {

constexpr std::string_view kRawPrefix = "raw.";

// Returns the compound called name as a group of its fields, and other nodes unchanged.
Node with_fields_as_members(const std::string& name, Node node, const GroupPtr& parent) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || array->values->dtype().kind != Kind::compound) return node;
  std::vector<Member> members;
  const std::vector<Field>& fields = array->values->dtype().fields;
  for (size_t f = 0; f < fields.size(); ++f) {
    members.push_back(
        {fields[f].name, Node{LabelledArray{frames::field_of(array->values, f), nullptr, nullptr}}});
  }
  Node group;
  group.parts = std::make_shared<ListedGroup>(parent, member_path(*parent, name), std::move(members));
  group.attributes = [node] { return attributes_of(node); };
  return group;
}

class TodaysLayout : public DerivedGroup {
 public:
  using DerivedGroup::DerivedGroup;

  std::vector<Member> members() const override {
    std::vector<Member> members, raw;
    for (Member& member : stored().members()) {
      const bool is_of_raw = member.name.starts_with(kRawPrefix) && member.name.size() > kRawPrefix.size();
      const std::string name = is_of_raw ? member.name.substr(kRawPrefix.size()) : member.name;
      (is_of_raw ? raw : members).push_back({name, laid_out(name, std::move(member.node))});
    }
    if (!raw.empty()) {
      Node node;
      node.parts =
          std::make_shared<ListedGroup>(shared_from_this(), member_path(*this, "raw"), std::move(raw));
      std::erase_if(members, [](const Member& member) { return member.name == "raw"; });
      members.push_back({"raw", std::move(node)});
    }
    return members;
  }
  std::optional<Node> find_unlisted(std::string_view) const override { return std::nullopt; }

 private:
  Node laid_out(const std::string& name, Node node) const {
    if (name != "obsm" && name != "varm") return node;
    return with_fields_as_members(name, std::move(node), shared_from_this());
  }
};

}  // namespace

bool is_legacy_frame(const Node& node) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || array->values->dtype().kind != Kind::compound) return false;
  const std::vector<Field>& fields = array->values->dtype().fields;
  return !fields.empty() && fields[0].name == "index";
}

SideNames legacy_names(const Node& node) {
  const ArrayPtr compounds = std::get<LabelledArray>(node.content).values;
  SideNames names{frames::field_of(compounds, 0), nullptr};
  const std::vector<Field>& fields = compounds->dtype().fields;
  for (size_t f = 1; f < fields.size(); ++f)
    if (fields[f].name == "gene_ids" && frames::is_text(fields[f].type))
      names.ids = frames::field_of(compounds, f);
  return names;
}

bool is_legacy_root(const Group& root) {
  const auto is_frame = [&](std::string_view name) {
    const std::optional<Node> node = root.find(name);
    if (node) check_known(*node);
    return node && is_legacy_frame(*node);
  };
  return is_frame("obs") && is_frame("var");
}

GroupPtr with_todays_layout(GroupPtr root) {
  return std::make_shared<TodaysLayout>(std::move(root));
}

}  // namespace plainfs::anndata
