#include "formats/containers/zarr/group.h"

#include <algorithm>

#include "formats/containers/zarr/array.h"
#include "formats/containers/zarr/json_members.h"
#include "formats/containers/zarr/keys.h"
#include "formats/containers/zarr/metadata.h"
#include "formats/core/text/path_names.h"

namespace plainfs::zarr {
namespace {

// The largest metadata documents are consolidated: those of 100,000 arrays have about 100 MB.
constexpr uint64_t kMaxDocumentBytes = uint64_t{256} << 20;

Json parse_document(ByteSpan bytes) {
  std::string_view text = as_text(bytes);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  return parse_json(text);
}

// Keeps the members of a zarr.json that the attributes need, and frees the others.
std::function<Attributes()> v3_attributes(const Json& zarr_json) {
  Json::Object kept;
  for (const char* name : {"attributes", "dimension_names"}) {
    if (const Json* member = zarr_json.find(name)) kept.emplace_back(name, *member);
  }
  return [document = Json(std::move(kept))] { return parse_v3_attributes(document); };
}

Node node_of(GroupPtr group) {
  return Node{std::monostate{}, std::move(group), {}};
}

}  // namespace

Hierarchy::Hierarchy(KeyStorePtr store, Context& context) : store_(std::move(store)), context_(context) {}

// Reads .zmetadata, and consolidated_metadata of the root's zarr.json. An invalid document is ignored with a
// warning, since it is only a hint. A transient error is thrown, since the store would have other nodes
// without the document.
std::unique_ptr<const Hierarchy::Consolidated> Hierarchy::read_consolidated() const {
  auto all = std::make_unique<Consolidated>();
  const auto read = [this](const char* name, const char* member, Json& into) {
    try {
      const auto bytes = store_->read_if_exists(name, kMaxDocumentBytes);
      if (!bytes) return;
      Json document = parse_document(*bytes);
      const Json* outer = member ? document.find(member) : &document;
      if (const Json* metadata = outer ? outer->find("metadata") : nullptr) into = *metadata;
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      context_.warn(fmt::format("{}: not used: {}", name, error.what()));
    }
  };
  read(kV2Consolidated, nullptr, all->v2);
  read(kV3, "consolidated_metadata", all->v3);
  const auto add = [&](const std::string& key, const Json& document) {
    all->by_key[key] = &document;
    std::string folder = key;
    for (size_t slash = folder.rfind('/'); slash != folder.npos; slash = folder.rfind('/')) {
      folder.resize(slash);
      const size_t above = folder.rfind('/');
      all->folders[above == folder.npos ? "" : folder.substr(0, above)].insert(folder.substr(above + 1));
    }
  };
  if (const Json::Object* members = all->v2.object())
    for (const auto& [key, document] : *members) add(key, document);
  if (const Json::Object* members = all->v3.object())
    for (const auto& [path, document] : *members) add(key_of(path, kV3), document);
  return all;
}

const Hierarchy::Consolidated& Hierarchy::consolidated() const {
  return *consolidated_.get([this] { return read_consolidated(); });
}

const Json* Hierarchy::consolidated(const std::string& path, const std::string& name) const {
  const auto& by_key = consolidated().by_key;
  const auto found = by_key.find(key_of(path, name));
  return found == by_key.end() ? nullptr : found->second;
}

bool Hierarchy::goes_by_consolidated() const {
  return store_->is_remote() && !consolidated().by_key.empty();
}

// Returns whether consolidated metadata have the documents of the root too. Those of version 3 do not.
bool Hierarchy::consolidates_root() const {
  return consolidated("", kV2Group) != nullptr;
}

void Hierarchy::check_listable() const {
  if (store_->is_listable() || goes_by_consolidated()) return;
  throw unsupported(
      "plain HTTP cannot list folders, and the store has no consolidated metadata; "
      "zarr.consolidate_metadata() writes them");
}

// Returns whether consolidated metadata name the node at path or one below it. Requires:
// goes_by_consolidated().
bool Hierarchy::is_consolidated(const std::string& path) const {
  if (path.empty()) return true;
  const auto& folders = consolidated().folders;
  const auto found = folders.find(std::string(path_above(path)));
  return found != folders.end() && found->second.contains(std::string(last_name(path)));
}

// Returns the entries of the folder at path, by name. Adds nodes of consolidated metadata that a listing
// lacks.
std::vector<Entry> Hierarchy::entries(const std::string& path) const {
  check_listable();
  std::vector<Entry> all;
  if (store_->is_listable()) all = store_->list(path);
  if (!goes_by_consolidated()) return all;
  const auto& known = consolidated().folders;
  const auto found = known.find(path);
  if (found == known.end()) return all;
  std::set<std::string> unlisted = found->second;
  for (const Entry& entry : all) unlisted.erase(entry.name);
  for (const std::string& name : unlisted) all.push_back({name, EntryKind::folder});
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return all;
}

// Returns the names of the folders that may be nodes of the group at path.
std::vector<std::string> Hierarchy::folders(const std::string& path) const {
  check_listable();
  if (!goes_by_consolidated()) return store_->folders(path);
  const auto& known = consolidated().folders;
  const auto found = known.find(path);
  if (found == known.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::optional<Json> Hierarchy::document(const std::string& path, const std::string& name) const {
  const std::string key = key_of(path, name);
  const bool may_go_by_consolidated = !path.empty() || (name != kV3 && consolidates_root());
  if (may_go_by_consolidated && goes_by_consolidated() && is_consolidated(path)) {
    const Json* const known = consolidated(path, name);
    return known ? std::optional(*known) : std::nullopt;
  }
  try {
    if (const auto bytes = store_->read_if_exists(key, kMaxDocumentBytes)) return parse_document(*bytes);
  } catch (const Error& error) {
    throw error.at(key);
  }
  return std::nullopt;
}

int Hierarchy::version() const {
  if (store_->open(kV3)) return 3;
  // Consolidated metadata come first: a server that has them need not be asked for the others.
  for (const char* name : {kV2Consolidated, kV2Array, kV2Group}) {
    if (store_->open(name)) return 2;
  }
  return 0;
}

Attributes Hierarchy::read_v2_attributes(const std::string& path) const {
  const auto document = this->document(path, kV2Attributes);
  const Json* zattrs = document ? &*document : consolidated(path, kV2Attributes);
  if (!zattrs) return {};
  try {
    return parse_v2_attributes(*zattrs);
  } catch (const Error& error) {
    throw error.at(key_of(path, kV2Attributes));
  }
}

// Returns a function that reads the attributes once, for all schemas that call it.
std::function<Attributes()> Hierarchy::v2_attributes(const std::string& path) const {
  using Known = std::variant<Attributes, Error>;  // never a transient error
  return [self = shared_from_this(), path, lazy = std::make_shared<Lazy<Known>>()] {
    const Known& known = lazy->get([&]() -> Known {
      try {
        return self->read_v2_attributes(path);
      } catch (const Error& error) {
        if (is_transient(error)) throw;
        return error;
      }
    });
    if (const Error* const error = std::get_if<Error>(&known)) throw *error;
    return std::get<Attributes>(known);
  };
}

Node Hierarchy::v3_node(const std::string& path, const GroupPtr& parent, const Json& zarr_json) const {
  const NodeType type = parse_v3_node_type(zarr_json);
  auto attributes = v3_attributes(zarr_json);
  if (type == NodeType::array) {
    try {
      return array_node(path, zarr_json, parse_v3_array(zarr_json), attributes);
    } catch (const Error& error) {
      return Node{error.at(key_of(path, kV3)), {}, std::move(attributes)};
    }
  }
  std::optional<Error> broken;
  try {
    check_v3_group(zarr_json);
  } catch (const Error& error) {
    broken = error.at(key_of(path, kV3));
  }
  return node_of(
      std::make_shared<StoredGroup>(shared_from_this(), path, parent, std::move(attributes), broken));
}

Node Hierarchy::array_node(const std::string& path, const Json& document, ArrayMetadata metadata,
                           std::function<Attributes()> attributes) const {
  const ArrayPtr array = arrays_.get(path + "\n" + to_json_text(document), [&]() -> ArrayPtr {
    return StoredArray::open(context_, store_, path, with_pairs_as_complex(std::move(metadata)),
                             std::move(attributes));
  });
  return Node{LabelledArray{array, {}, {}}, {}, {}};
}

Node Hierarchy::v2_array(const std::string& path, const Json& zarray) const {
  auto attributes = v2_attributes(path);
  try {
    return array_node(path, zarray, parse_v2_array(zarray), attributes);
  } catch (const Error& error) {
    return Node{error.at(key_of(path, kV2Array)), {}, std::move(attributes)};
  }
}

bool Hierarchy::has_nodes_below(const std::string& path) const {
  for (const std::string& folder : folders(path)) {
    for (const char* name : {kV3, kV2Array, kV2Group}) {
      const std::string below = key_of(path, folder);
      if (goes_by_consolidated() ? consolidated(below, name) != nullptr
                                 : bool(store_->open(key_of(below, name))))
        return true;
    }
  }
  return false;
}

// Returns a node for a document that does not name its type: a group if there are nodes below it, else an
// array. After a transient error not even the attributes are known, so reading these throws the error too.
Node Hierarchy::broken_node(const std::string& path, const GroupPtr& parent, const Error& error) const {
  if (is_transient(error)) return Node{error, {}, [error]() -> Attributes { throw error; }};
  if (!has_nodes_below(path)) return Node{error, {}, {}};
  return node_of(std::make_shared<StoredGroup>(
      shared_from_this(), path, parent, [error]() -> Attributes { throw error; }, error));
}

Node Hierarchy::implicit_group(const std::string& path, const GroupPtr& parent) const {
  return node_of(std::make_shared<StoredGroup>(shared_from_this(), path, parent, v2_attributes(path),
                                               std::nullopt, StoredGroup::Kind::implicit));
}

// Returns the node that documents or consolidated metadata describe.
std::optional<Node> Hierarchy::described(const std::string& path, const GroupPtr& parent) const {
  const auto v2_group = [&](std::optional<Error> broken) {
    return node_of(
        std::make_shared<StoredGroup>(shared_from_this(), path, parent, v2_attributes(path), broken));
  };
  try {
    if (const auto zarr_json = document(path, kV3)) return v3_node(path, parent, *zarr_json);
  } catch (const Error& error) {
    return broken_node(path, parent, error);
  }
  try {
    if (const auto zarray = document(path, kV2Array)) return v2_array(path, *zarray);
  } catch (const Error& error) {
    return is_transient(error) ? broken_node(path, parent, error) : Node{error, {}, v2_attributes(path)};
  }
  try {
    if (const auto zgroup = document(path, kV2Group)) {
      check_v2_group(*zgroup);
      return v2_group(std::nullopt);
    }
  } catch (const Error& error) {
    return is_transient(error) ? broken_node(path, parent, error) : v2_group(error);
  }
  if (!path.empty() && (goes_by_consolidated() || !store_->has_folder(path)))
    return std::nullopt;  // consolidated metadata may be stale
  if (const Json* zarr_json = consolidated(path, kV3)) {
    try {
      return v3_node(path, parent, *zarr_json);
    } catch (const Error& error) {
      return Node{error.at(path), {}, {}};
    }
  }
  if (const Json* zarray = consolidated(path, kV2Array)) return v2_array(path, *zarray);
  if (consolidated(path, kV2Group)) return v2_group(std::nullopt);
  return std::nullopt;
}

// Requires: there is a folder at path.
std::optional<Node> Hierarchy::folder_node(const std::string& path, const GroupPtr& parent) const {
  if (std::optional<Node> node = described(path, parent)) return node;
  if (is_hidden(last_name(path))) return std::nullopt;
  return implicit_group(path, parent);
}

// Requires: there is a file at path.
Node Hierarchy::plain_file(const std::string& path) const {
  const std::string location = store_->location();
  if (store_->is_one_file())
    return Node{PlainFile{location, [store = store_, path] {
                            ValuePtr value = store->open_unchanged(path);
                            if (!value) throw changed(store->location());
                            return value;
                          }}};
  return Node{PlainFile{location + "/" + path}};
}

std::optional<Node> Hierarchy::find(const std::string& path, const GroupPtr& parent) const {
  if (goes_by_consolidated() && !is_consolidated(path)) return std::nullopt;
  // Looking for documents below a local file would be an error.
  const bool may_be_folder = path.empty() || store_->is_remote() || store_->has_folder(path);
  if (std::optional<Node> node = may_be_folder ? described(path, parent) : std::nullopt) return node;
  if (path.empty() || is_hidden(last_name(path)) || is_document(last_name(path))) return std::nullopt;
  const bool is_folder =
      store_->is_remote() ? goes_by_consolidated() || store_->has_folder(path) : may_be_folder;
  if (is_folder) return implicit_group(path, parent);
  return store_->open(path) ? std::optional(plain_file(path)) : std::nullopt;
}

std::vector<Member> Hierarchy::members(const std::string& path, const GroupPtr& group) const {
  std::vector<Member> members;
  for (Entry& entry : entries(path)) {
    const std::string below = key_of(path, entry.name);
    std::optional<Node> node;
    if (entry.kind == EntryKind::folder)
      node = folder_node(below, group);
    else if (entry.kind != EntryKind::other && !is_hidden(entry.name) && !is_document(entry.name))
      node = plain_file(below);
    if (node) members.push_back({std::move(entry.name), *std::move(node)});
  }
  return members;
}

namespace {

std::string name_of_part(size_t number) {
  return fmt::format("part.{}.parquet", number);
}

// A folder of parts numbered from 0, a table that dask wrote, in a store that cannot be listed.
class PartsFolder : public Group {
 public:
  PartsFolder(HierarchyPtr hierarchy, std::string path, GroupPtr parent)
      : hierarchy_(std::move(hierarchy)), path_(std::move(path)), parent_(std::move(parent)) {}

  std::vector<Member> members() const override {
    constexpr size_t kMaxParts = 100'000;  // a server may answer every name
    std::vector<Member> members;
    while (std::optional<Node> part = find(name_of_part(members.size()))) {
      if (members.size() == kMaxParts) throw unsupported("{}: more than {} parts", path(), kMaxParts);
      members.push_back({name_of_part(members.size()), *std::move(part)});
    }
    return members;
  }
  std::optional<Node> find(std::string_view name) const override {
    const std::string key = key_of(path_, name);
    const bool may_be_part = name.find('/') == name.npos && !is_hidden(name);
    return may_be_part && hierarchy_->store()->open(key) ? std::optional(hierarchy_->plain_file(key))
                                                         : std::nullopt;
  }
  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return "/" + path_; }

 private:
  const HierarchyPtr hierarchy_;
  const std::string path_;
  const GroupPtr parent_;
};

}  // namespace

std::optional<Node> Hierarchy::find_unlisted(const std::string& path, std::string_view name,
                                             const GroupPtr& group) const {
  const bool is_asked_for =
      name.find('.') != name.npos && name.find_first_of(std::string_view("/\0", 2)) == name.npos;
  if (store_->is_listable() || !is_asked_for || is_hidden(name) || is_document(name)) return std::nullopt;
  const std::string key = key_of(path, name);
  if (name.ends_with(".parquet") && store_->open(key_of(key, name_of_part(0)))) {
    Node folder = plain_file(key);
    folder.parts = std::make_shared<PartsFolder>(shared_from_this(), key, group);
    return folder;
  }
  return store_->open(key) ? std::optional(plain_file(key)) : std::nullopt;
}

void Hierarchy::warn_of_chunks(const std::string& path) const {
  if (!store_->is_listable()) return;
  store_->visit(path, [&](const Entry& entry) {
    if (entry.kind != EntryKind::file || !looks_like_chunk(entry.name)) return true;
    context_.warn(
        fmt::format("{}: has files named like chunks ({}), but no {} or {}; they are shown as files", path,
                    entry.name, kV2Array, kV3));
    return false;
  });
}

StoredGroup::StoredGroup(HierarchyPtr hierarchy, std::string path, GroupPtr parent,
                         std::function<Attributes()> attributes, std::optional<Error> broken, Kind kind)
    : hierarchy_(std::move(hierarchy)),
      path_(std::move(path)),
      parent_(std::move(parent)),
      attributes_(std::move(attributes)),
      broken_(std::move(broken)),
      kind_(kind) {}

std::optional<Node> StoredGroup::child(const std::string& name) const {
  return hierarchy_->find(key_of(path_, name), shared_from_this());
}

void StoredGroup::check() const {
  if (broken_) throw *broken_;
  hierarchy_->check_listable();
}

std::vector<Member> StoredGroup::members() const {
  check();
  std::vector<Member> members = hierarchy_->members(path_, shared_from_this());
  if (is_implicit()) hierarchy_->warn_of_chunks(path_);
  return members;
}

std::optional<Node> StoredGroup::find_unlisted(std::string_view name) const {
  return hierarchy_->find_unlisted(path_, name, shared_from_this());
}

std::optional<Node> StoredGroup::find(std::string_view name) const {
  check();
  // such names would lead out of the group, or to another of its members
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of(std::string_view("/\0", 2)) != name.npos) {
    return std::nullopt;
  }
  return child(std::string(name));
}

}  // namespace plainfs::zarr
