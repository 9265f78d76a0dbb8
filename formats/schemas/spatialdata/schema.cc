#include "formats/schemas/spatialdata/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "formats/core/text/json.h"
#include "formats/schemas/hdmf/schema.h"

namespace plainfs::spatialdata {
namespace {

constexpr std::string_view kElements[] = {"images", "labels", "points", "shapes"};
constexpr std::string_view kTables[] = {"tables", "table"};  // until 0.1 there was one
constexpr const char* kOwnAttributes = "spatialdata_attrs";
constexpr const char* kTransformations = "coordinateTransformations";
constexpr size_t kMostNamesInFact = 12;

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

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
  static bool is_own(const Attributes& attributes) {
    const std::string type = attributes.text("encoding-type").value_or("");
    return attributes.find(kOwnAttributes) || attributes.find("spatialdata-encoding-type") ||
           type == "ngff:points" || type == "ngff:shapes";
  }

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
  for (size_t i = 0; i < std::min(all.size(), kMostNamesInFact); ++i)
    if (all[i].text()) joined += (joined.empty() ? "" : ", ") + *all[i].text();
  if (all.size() > kMostNamesInFact) joined += fmt::format(" and {} more", all.size() - kMostNamesInFact);
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

std::optional<Node> refine(const Node&, Context&) {
  return std::nullopt;
}

void describe(const Node& raw_root, Store& store) {
  if (!raw_root.parts || !hdmf::is_of_zarr(*raw_root.parts)) return;
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
