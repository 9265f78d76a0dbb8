// The nodes of a Zarr hierarchy. A folder is a node if it has a zarr.json (v3), a .zarray or a .zgroup (v2),
// in this order of precedence. A folder without one of them is an implicit group. Its attributes are in
// .zattrs, if there is one. Files that are not keys of Zarr are members of their group.
//
// Consolidated metadata may be stale, so they only replace missing documents. In a remote store that has
// them, however, they alone define the nodes, because every other document would cost a round trip.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cache/lazy.h"
#include "formats/containers/zarr/metadata.h"
#include "formats/core/base/key_store.h"
#include "formats/core/model/arrays/shared_arrays.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::zarr {

class Hierarchy;
using HierarchyPtr = std::shared_ptr<const Hierarchy>;

// An opened store. Its groups and arrays share it.
class Hierarchy : public std::enable_shared_from_this<Hierarchy> {
 public:
  Hierarchy(KeyStorePtr store, Context& context);

  // Returns the node at path ("" = the root, "a/b"), the implicit group or the file there, nullopt if nothing
  // is there. A node with invalid metadata has content Error, or is a group that cannot list its members. The
  // root is not an implicit group. In a remote store with consolidated metadata, finds only nodes that these
  // name.
  std::optional<Node> find(const std::string& path, const GroupPtr& parent) const;
  // Returns the root as an implicit group.
  Node implicit_root() const { return implicit_group("", nullptr); }
  // Returns the members of group, which is at path, by name. Throws like check_listable.
  std::vector<Member> members(const std::string& path, const GroupPtr& group) const;

  const KeyStorePtr& store() const { return store_; }
  Context& context() const { return context_; }
  // Returns the version of the root's metadata, 2 or 3, or 0 if it has no metadata.
  int version() const;
  // Finds name in the folder at path of a remote store that cannot be listed: a file that is not a key, or a
  // folder of parts that dask writes (NAME.parquet/part.0.parquet). Returns nullopt if there is no such file
  // or folder, and for any other store. Looks only for names with an extension.
  std::optional<Node> find_unlisted(const std::string& path, std::string_view name,
                                    const GroupPtr& group) const;
  // Returns the file at path.
  Node plain_file(const std::string& path) const;
  // Warns if the folder at path, which no document describes, has files named like chunks.
  void warn_of_chunks(const std::string& path) const;
  // Throws unsupported if the members of groups cannot be determined.
  void check_listable() const;

 private:
  bool goes_by_consolidated() const;
  bool consolidates_root() const;
  bool is_consolidated(const std::string& path) const;
  std::vector<Entry> entries(const std::string& path) const;
  std::vector<std::string> folders(const std::string& path) const;
  std::optional<Json> document(const std::string& path, const std::string& name) const;
  const Json* consolidated(const std::string& path, const std::string& name) const;

  // The consolidated metadata of both versions. The maps point into the documents.
  struct Consolidated {
    Json v2;                                                         // "a/.zarray" → document
    Json v3;                                                         // "a" → document
    std::unordered_map<std::string, const Json*> by_key;             // of both versions
    std::unordered_map<std::string, std::set<std::string>> folders;  // names of folders, by parent
  };
  // Reads them when a document is first missing.
  const Consolidated& consolidated() const;
  std::unique_ptr<const Consolidated> read_consolidated() const;
  std::optional<Node> described(const std::string& path, const GroupPtr& parent) const;
  Node implicit_group(const std::string& path, const GroupPtr& parent) const;
  std::optional<Node> folder_node(const std::string& path, const GroupPtr& parent) const;
  Node v3_node(const std::string& path, const GroupPtr& parent, const Json& zarr_json) const;
  Node v2_array(const std::string& path, const Json& zarray) const;
  // document: the source of metadata.
  Node array_node(const std::string& path, const Json& document, ArrayMetadata metadata,
                  std::function<Attributes()> attributes) const;
  Node broken_node(const std::string& path, const GroupPtr& parent, const Error& error) const;
  bool has_nodes_below(const std::string& path) const;
  Attributes read_v2_attributes(const std::string& path) const;
  std::function<Attributes()> v2_attributes(const std::string& path) const;

  const KeyStorePtr store_;
  Context& context_;
  mutable SharedArrays arrays_;
  Lazy<std::unique_ptr<const Consolidated>> consolidated_;
};

class StoredGroup : public Group {
 public:
  // Whether a document describes the group.
  enum class Kind { described, implicit };
  // broken: the error that members() throws if the group's own metadata are invalid.
  StoredGroup(HierarchyPtr hierarchy, std::string path, GroupPtr parent,
              std::function<Attributes()> attributes, std::optional<Error> broken = std::nullopt,
              Kind kind = Kind::described);

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  std::optional<Node> find_unlisted(std::string_view name) const override;
  Attributes attributes() const override { return attributes_(); }
  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return "/" + path_; }
  const Hierarchy& hierarchy() const { return *hierarchy_; }
  // Returns whether no document describes the group.
  bool is_implicit() const { return kind_ == Kind::implicit; }
  // Throws if the group's own metadata are invalid or its members cannot be determined.
  void check() const;

 private:
  std::optional<Node> child(const std::string& name) const;

  HierarchyPtr hierarchy_;
  std::string path_;  // "" = the root
  GroupPtr parent_;
  std::function<Attributes()> attributes_;
  std::optional<Error> broken_;
  Kind kind_;
};

}  // namespace plainfs::zarr
