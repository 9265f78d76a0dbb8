#include "fs/serve/h5grove/h5grove.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "cache/request.h"
#include "formats/core/model/elements/shown_attributes.h"
#include "formats/core/text/json.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "fs/serve/h5grove/h5_data.h"
#include "fs/serve/h5grove/h5_values.h"
#include "fs/serve/http/query.h"
#include "fs/tree/directory.h"
#include "fs/views/names.h"

namespace plainfs::serve {
namespace {

constexpr std::string_view kQuestions[] = {"attr", "data", "meta", "paths"};
constexpr size_t kMaxPaths = 200'000;
constexpr size_t kDeepest = 100;

Json name_and_kind(std::string_view name, const char* kind) {
  return Json::Object{{"kind", kind}, {"name", name}};
}

Json attributes_json(const Node& node) {
  Json::List list;
  for (const Attribute& attribute : attributes_or_error([&] { return attributes_of(node); })) {
    const H5Attribute known = h5_attribute(shown_value(attribute));
    list.push_back(Json::Object{{"name", attribute.name}, {"shape", known.shape}, {"type", known.type}});
  }
  return list;
}

Json link_json(std::string_view name, const Link& link) {
  const std::string path = link.text.empty() ? "/" + fmt::format("{}", fmt::join(link.path, "/")) : link.text;
  if (link.source.empty()) return Json::Object{{"kind", "soft_link"}, {"name", name}, {"target_path", path}};
  return Json::Object{{"kind", "external_link"},
                      {"name", name},
                      {"target_file", link.source},
                      {"target_path", fmt::format("/{}", fmt::join(link.path, "/"))}};
}

// Returns the JSON of an entity without the children of a group.
Json::Object entity_json(std::string_view name, const Node& node) {
  const ArrayPtr array = array_of(node);
  Json::Object entity{
      {"attributes", attributes_json(node)}, {"kind", array ? "dataset" : "group"}, {"name", name}};
  if (!array) return entity;
  array->check();
  Json::List shape;
  for (const uint64_t length : array->shape()) shape.push_back(Json::of(length));
  entity.emplace_back("shape", array->is_null() ? Json() : Json(std::move(shape)));
  entity.emplace_back("type", h5_type(array->dtype()));
  return entity;
}

// Returns the JSON of a child. A child that cannot be read is listed as unknown; a request for it reports
// why.
Json child_json(const Group& group, const Member& member) {
  check_cancelled();
  const auto* const link = std::get_if<Link>(&member.node.content);
  const std::string name = encode_name(member.name);
  try {
    const std::string path[] = {member.name};
    const std::optional<Node> target = link ? find_path(group, path) : member.node;
    if (!target) return link_json(name, *link);
    return entity_json(name, *target);
  } catch (const Error& error) {
    if (error.code() == Errc::changed) throw;
    return link ? link_json(name, *link) : name_and_kind(name, "other");
  }
}

// Returns the stored name of a member that H5Web names like the file tree, in which "a/b" is "a%2Fb".
std::string stored_name(const Group& group, const std::string& name) {
  if (group.find(name)) return name;
  for (const Member& member : group.members())
    if (encode_name(member.name) == name) return member.name;
  return name;
}

// Returns the stored names in a path of the group.
std::vector<std::string> stored_names(const Group& root, std::string_view path) {
  std::vector<std::string> names = path_names(path);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].find('%') == std::string::npos) continue;  // as stored
    const std::optional<Node> above = i > 0 ? find_path(root, std::span(names).first(i)) : std::nullopt;
    const Group* const group = i == 0 ? &root : above ? above->parts.get() : nullptr;
    if (group) names[i] = stored_name(*group, names[i]);
  }
  return names;
}

// Returns whether it is a file beside the groups and arrays, which H5Web does not know.
bool is_plain_file(const Member& member) {
  return std::holds_alternative<PlainFile>(member.node.content);
}

void add_paths(const Group& group, const std::string& above, size_t depth, Json::List& paths) {
  for (const Member& member : group.members()) {
    check_cancelled();
    if (is_plain_file(member)) continue;
    if (paths.size() >= kMaxPaths) throw unsupported("more than {} paths", kMaxPaths);
    const std::string path = above + "/" + encode_name(member.name);
    paths.emplace_back(path);
    const bool is_group = member.node.parts && !std::holds_alternative<Link>(member.node.content);
    if (is_group && depth < kDeepest) add_paths(*member.node.parts, path, depth + 1, paths);
  }
}

class H5Answer {
 public:
  H5Answer(const Exchange& exchange, const Site::Place& place)
      : exchange_(exchange),
        opened_(place.filesystem->meaning(place.inode)),
        path_(Query(exchange.target.query).value("path").value_or("/")) {
    const Meaning& what = opened_.what;
    if (!what.is_store) throw not_found("File not found: {} is not a store", file());
    const Store& store = *what.store;
    root_ = as_root_directory(store.stored.parts || array_of(store.stored) ? store.stored : store.root, true);
    if (!root_.parts) throw not_found("File not found: {} has nothing to show here", file());
  }

  void answer() {
    const std::vector<std::string> names = stored_names(*root_.parts, path_);
    if (exchange_.h5_question == "meta" && !names.empty()) {
      if (const std::optional<Json> link = link_at(names)) return answer_json(*link);
    }
    std::optional<Node> node = names.empty() ? root_ : find_path(*root_.parts, names);
    if (!node) throw not_found("{} is not a valid path in {}", printable(path_), file());
    if (const auto* const error = std::get_if<Error>(&node->content); error && !node->parts) throw *error;
    const std::string name = names.empty() ? "" : encode_name(names.back());
    if (exchange_.h5_question == "meta") return answer_json(meta(name, *node));
    if (exchange_.h5_question == "attr") return answer_json(values_of_attributes(*node));
    if (exchange_.h5_question == "paths") return answer_paths(*node);
    const ArrayPtr array = array_of(*node);
    if (!array) throw WrongQuestion{fmt::format("{} is not a dataset", printable(path_))};
    answer_h5_data(exchange_, array, *opened_.what.context);
  }

 private:
  std::string file() const { return printable(Query(exchange_.target.query).value("file").value_or("")); }

  // Returns the JSON of a link with a target that is not shown.
  std::optional<Json> link_at(const std::vector<std::string>& names) const {
    const std::optional<Node> above =
        names.size() == 1 ? root_ : find_path(*root_.parts, std::span(names).first(names.size() - 1));
    if (!above || !above->parts) return std::nullopt;
    const std::optional<Node> node = above->parts->find(names.back());
    const Link* const link = node ? std::get_if<Link>(&node->content) : nullptr;
    if (!link || find_path(*root_.parts, names)) return std::nullopt;
    return link_json(encode_name(names.back()), *link);
  }

  Json meta(const std::string& name, const Node& node) const {
    Json::Object entity = entity_json(name, node);
    if (array_of(node)) return entity;
    Json::List children;
    if (node.parts)
      for (const Member& member : node.parts->members())
        if (!is_plain_file(member)) children.push_back(child_json(*node.parts, member));
    entity.emplace_back("children", std::move(children));
    return entity;
  }

  static Json values_of_attributes(const Node& node) {
    Json::Object values;
    for (const Attribute& attribute : attributes_or_error([&] { return attributes_of(node); }))
      values.emplace_back(attribute.name, h5_attribute(shown_value(attribute)).value);
    return values;
  }

  void answer_paths(const Node& node) const {
    if (!node.parts) throw WrongQuestion{fmt::format("{} is not a group", printable(path_))};
    const std::vector<std::string> names = path_names(path_);
    const std::string base = names.empty() ? "" : fmt::format("/{}", fmt::join(names, "/"));
    Json::List paths{Json(base.empty() ? "/" : base)};
    add_paths(*node.parts, base, 0, paths);
    answer_json(std::move(paths));
  }

  void answer_json(const Json& value) const {
    exchange_.reply.add("Cache-Control", "no-cache");
    exchange_.reply.whole(200, "application/json", to_json_text(value));
  }

  const Exchange& exchange_;
  const OpenMeaning opened_;
  const std::string path_;
  Node root_;
};

}  // namespace

bool asks_h5grove(std::string_view target) {
  target = target.substr(0, target.find('?'));
  return target.find(fmt::format("/{}/{}/", kOwnFolder, kH5Folder)) != std::string_view::npos;
}

void take_h5_question(Exchange& exchange) {
  const std::vector<std::string>& names = exchange.names;
  if (names.size() != 3 || names[0] != kOwnFolder || names[1] != kH5Folder) return;
  if (std::find(std::begin(kQuestions), std::end(kQuestions), names[2]) == std::end(kQuestions)) return;
  exchange.h5_question = names[2];
  const std::string file = Query(exchange.target.query).value("file").value_or("");
  exchange.names = path_names(file);
  if (exchange.site.is_one_store() && file == exchange.site.stores()[0].name) exchange.names.clear();
}

std::string h5_file(const Site& site, const std::vector<std::string>& names) {
  if (site.is_one_store() && names.empty()) return site.stores()[0].name;
  return fmt::format("/{}", fmt::join(names, "/"));
}

void answer_h5grove(const Exchange& exchange) {
  Site::Place place;
  for (const std::string& name : exchange.names)
    if (is_no_name(name)) throw not_found("File not found");
  try {
    place = exchange.site.find(exchange.names);
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    throw not_found("File not found: {}", error.what());
  }
  if (!place.filesystem) throw not_found("File not found: name one of the stores");
  try {
    H5Answer(exchange, place).answer();
  } catch (const WrongQuestion& wrong) {
    exchange.reply.start_again();
    exchange.reply.add("Cache-Control", "no-store");
    exchange.reply.whole(422, "application/json", to_json_text(Json::Object{{"message", wrong.message}}));
  }
}

}  // namespace plainfs::serve
