#include "formats/schemas/ome/spatialdata.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cache/lazy.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/text/json.h"
#include "formats/schemas/parquet/table.h"
#include "formats/schemas/zarr_references/schema.h"

namespace plainfs::spatialdata {
namespace {

constexpr std::string_view kElements[] = {"images", "labels", "points", "shapes"};
constexpr std::string_view kTables[] = {"tables", "table"};  // until 0.1 there was one
constexpr const char* kOwnAttributes = "spatialdata_attrs";
constexpr const char* kTransformations = "coordinateTransformations";
constexpr size_t kMaxNamesInFact = 12;

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Returns whether a group with these attributes is an element of SpatialData.
bool is_own(const Attributes& attributes) {
  const std::string type = attributes.text("encoding-type").value_or("");
  return attributes.find(kOwnAttributes) || attributes.find("spatialdata-encoding-type") ||
         type == "ngff:points" || type == "ngff:shapes";
}

// Returns whether the attributes can be read and are those of an element.
bool is_element(const Group& group) {
  try {
    return is_own(group.attributes());
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return false;
  }
}

// An element with points or shapes: its files of Parquet, and beside them the tables in them.
class ElementGroup : public DerivedGroup {
 public:
  ElementGroup(GroupPtr stored, Context& context) : DerivedGroup(std::move(stored)), context_(context) {}

  std::vector<Member> members() const override {
    std::vector<Member> members = stored().members();
    const std::vector<Member>& tables = this->tables();
    members.insert(members.end(), tables.begin(), tables.end());
    return members;
  }
  std::optional<Node> find(std::string_view name) const override {
    if (std::optional<Node> found = stored().find(name)) return found;
    for (const Member& table : tables())
      if (table.name == name) return table.node;
    return std::nullopt;
  }

 private:
  const std::vector<Member>& tables() const {
    return tables_.get([&] {
      std::vector<Member> tables;
      for (const Member& member : stored().members()) {
        if (!parquet::has_parquet_name(member.name)) continue;
        if (std::optional<Node> table = table_of(member))
          tables.push_back({std::string(parquet::without_ending(member.name)), *std::move(table)});
      }
      return tables;
    });
  }

  std::optional<Node> table_of(const Member& member) const {
    Node node;
    try {
      std::vector<parquet::TableFile> files = parquet::files_in(member, context_);
      if (files.empty()) return std::nullopt;
      const std::string place = member_path(stored(), member.name);
      node.content = parquet::TableFiles::open(std::move(files), place, context_).table();
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      node.content = error;
    }
    return node;
  }

  Context& context_;
  Lazy<std::vector<Member>> tables_;
};

// A collector of the elements' attributes.
class Facts {
 public:
  // Adds the members of the root's group called kind.
  void add(const std::string& kind, const Group& group) {
    Json::List names;
    for (const Member& member : group.members()) {
      if (!member.node.parts || std::holds_alternative<PlainFile>(member.node.content)) continue;
      names.emplace_back(member.name);
      const Attributes attributes = attributes_of(member.node);
      is_known_ = is_known_ || is_own(attributes);
      if (is_one_of(kind, kTables))
        add_table(member.name, attributes);
      else
        add_systems(attributes);
    }
    if (!is_one_of(kind, kTables) && !names.empty()) elements_.emplace_back(kind, std::move(names));
  }

  // Returns whether any element has an attribute of SpatialData.
  bool is_known() const { return is_known_; }

  Json::Object finish() && {
    Json::Object facts = std::move(elements_);
    if (!tables_.empty()) facts.emplace_back("tables", std::move(tables_));
    Json::List systems(systems_.begin(), systems_.end());
    if (!systems.empty()) facts.emplace_back("coordinate systems", std::move(systems));
    return facts;
  }

 private:
  // Adds "table": {"region": ["cells"], "instance_key": "cell_id"}; empty for a table that annotates no
  // element.
  void add_table(const std::string& name, const Attributes& attributes) {
    Json::Object table;
    for (const char* key : {"region", "region_key", "instance_key"})
      if (const Json* value = attributes.find(key); value && !value->is_null())
        table.emplace_back(key, *value);
    tables_.emplace_back(name, std::move(table));
  }

  // Adds the coordinate systems of an element; of an image, those of its first pyramid.
  void add_systems(const Attributes& attributes) {
    const Json* all = attributes.find(kTransformations);
    const Json* ome = attributes.find("ome");
    const Json* images = ome && ome->object() ? ome->find("multiscales") : attributes.find("multiscales");
    if (const Json* image = first_in(images); image && image->object()) all = image->find(kTransformations);
    if (!all || !all->list()) return;
    for (const Json& transformation : *all->list()) {
      const Json* output = transformation.object() ? transformation.find("output") : nullptr;
      const Json* name = output && output->object() ? output->find("name") : nullptr;
      if (name && name->text()) systems_.insert(*name->text());
    }
  }

  Json::Object elements_, tables_;
  std::set<std::string> systems_;
  bool is_known_ = false;
};

// Returns the text, or the first texts of the list, separated by commas; "" for other values and null.
std::string joined_texts(const Json* value) {
  if (value && value->text()) return *value->text();
  std::string joined;
  if (!value || !value->list()) return joined;
  const Json::List& all = *value->list();
  for (size_t i = 0; i < std::min(all.size(), kMaxNamesInFact); ++i)
    if (all[i].text()) joined += (joined.empty() ? "" : ", ") + *all[i].text();
  if (all.size() > kMaxNamesInFact) joined += fmt::format(" and {} more", all.size() - kMaxNamesInFact);
  return joined;
}

// Returns the elements of each kind, the regions that each table annotates, and the coordinate systems.
std::vector<StoreFact> stated_facts(const Json::Object& details) {
  std::vector<StoreFact> facts;
  for (const auto& [kind, found] : details) {
    if (found.list()) facts.push_back({kind, joined_texts(&found)});
    if (!found.object()) continue;
    for (const auto& [name, table] : *found.object()) {
      const std::string region = joined_texts(table.find("region"));
      facts.push_back({kind, region.empty() ? name : fmt::format("{}, about {}", name, region)});
    }
  }
  return facts;
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node)) return std::nullopt;
  if (dynamic_cast<const ElementGroup*>(node.parts.get())) return node;
  if (!zarr_references::is_of_zarr(*node.parts) || !node.parts->parent() || !is_element(*node.parts))
    return std::nullopt;
  const std::vector<Member> members = node.parts->members();
  const bool has_table = std::any_of(members.begin(), members.end(), [](const Member& member) {
    return parquet::has_parquet_name(member.name);
  });
  if (!has_table) return std::nullopt;
  Node refined = zarr_references::refine(node, context).value_or(node);
  refined.parts = std::make_shared<ElementGroup>(refined.parts, context);
  return refined;
}

void describe(const Node& raw_root, Store& store) {
  if (!raw_root.parts || !zarr_references::is_of_zarr(*raw_root.parts)) return;
  const Attributes attributes = raw_root.parts->attributes();
  const Json* const own = attributes.find(kOwnAttributes);
  Facts facts;
  for (const Member& member : raw_root.parts->members())
    if (member.node.parts && (is_one_of(member.name, kElements) || is_one_of(member.name, kTables)))
      facts.add(member.name, *member.node.parts);
  if (!own && !facts.is_known()) return;
  store.details.emplace_back("container", Json(store.format));
  store.format = "SpatialData";
  store.version.clear();
  const Json* const version = own && own->object() ? own->find("version") : nullptr;
  if (version && version->text()) store.version = *version->text();
  Json::Object details = std::move(facts).finish();
  store.facts = stated_facts(details);
  store.details.emplace_back("spatialdata", std::move(details));
}

}  // namespace plainfs::spatialdata
