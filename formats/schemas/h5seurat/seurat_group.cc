#include "formats/schemas/h5seurat/seurat_group.h"

#include <algorithm>
#include <string_view>

#include "formats/core/frames/scalars.h"
#include "formats/core/text/utf8.h"
#include "formats/schemas/h5seurat/shapes.h"

namespace plainfs::h5seurat {
namespace {

// Returns whether BPCells wrote the group: its versions begin with the kind of data
// ("packed-uint-matrix-v2").
bool is_bpcells(const Attributes& attributes) {
  const auto version = attributes.texts("version");
  return !version.empty() && (version[0].starts_with("packed-") || version[0].starts_with("unpacked-"));
}

// Returns the scale factors of an image, in R's order.
std::optional<Table> scale_factors_of(const Group& group, const Attributes& attributes) {
  if (attributes.texts("s3class") != std::vector<std::string>{"scalefactors"}) return std::nullopt;
  std::vector<Member> members = group.members();
  const std::vector<std::string> names = attributes.texts("names");
  const auto place = [&](const Member& member) {
    return std::find(names.begin(), names.end(), member.name) - names.begin();
  };
  std::stable_sort(members.begin(), members.end(),
                   [&](const Member& a, const Member& b) { return place(a) < place(b); });
  return frames::table_of_scalars(members);
}

Role role_in(const Place& place, std::string_view name) {
  if (place.empty()) return name == "meta.data" ? Role::main_table : Role::none;
  if (place.size() != 2) return Role::none;
  if (place[0] == "assays") return name == "counts" ? Role::counts : Role::none;
  return place[0] == "reductions" && name == "cell.embeddings" ? Role::embedding : Role::none;
}

}  // namespace

void check_names(const Attributes& attributes) {
  for (const Attribute& attribute : attributes) {
    if (!is_utf8(attribute.name)) throw damaged("the name of an attribute is not UTF-8");
  }
}

ArrayPtr SeuratFile::cell_names() const {
  return cell_names_.get([this] { return find_names(*root_, "cell.names", context_); });
}

std::vector<Member> SeuratGroup::members() const {
  std::vector<Member> members = stored().members();
  for (Member& member : members) member.node = refined(member.name, std::move(member.node));
  return members;
}

std::optional<Node> SeuratGroup::find(std::string_view name) const {
  auto node = stored().find(name);
  if (node) node = refined(std::string(name), std::move(*node));
  return node;
}

Node SeuratGroup::refined(const std::string& name, Node raw) const {
  raw.role = role_in(place_, name);
  if (std::holds_alternative<LabelledArray>(raw.content)) return refined_array(name, std::move(raw));
  if (std::holds_alternative<std::monostate>(raw.content) && raw.parts)
    return refined_group(name, std::move(raw));
  return raw;
}

Node SeuratGroup::refined_array(const std::string& name, Node raw) const {
  Place place = place_;
  place.push_back(name);
  raw.content = labelled_array_of(*file_, stored(), raw, place);
  return raw;
}

Node SeuratGroup::refined_group(const std::string& name, Node raw) const {
  Place place = place_;
  place.push_back(name);
  const Group& group = *raw.parts;
  Node node = raw;
  node.parts = std::make_shared<SeuratGroup>(file_, raw.parts, place,
                                             std::static_pointer_cast<const SeuratGroup>(shared_from_this()));
  try {
    const Attributes attributes = group.attributes();
    if (is_bpcells(attributes)) return raw;
    check_names(attributes);
    if (auto table = table_of(*file_, stored(), group, place)) {
      node.content = std::move(*table);
    } else if (auto factors = scale_factors_of(group, attributes)) {
      node.content = std::move(*factors);
      node.attributes = [raw_group = raw.parts] { return raw_group->attributes(); };
    } else if (auto matrix = sparse_of(*file_, group, place)) {
      node.content = std::move(*matrix);
    } else if (ArrayPtr labels = factor_of(*file_, group)) {
      node.content = LabelledArray{std::move(labels), nullptr, nullptr};
      node.attributes = [raw_group = raw.parts] {
        return raw_group->attributes();
      };  // not those of the codes
    }
  } catch (const Error& error) {  // the readable parts are still listed in it
    node.content = error.at(group.path());
  }
  return node;
}

}  // namespace plainfs::h5seurat
