// The nodes of a Zarr hierarchy. A folder is a node where it has a zarr.json (v3), a .zarray or a .zgroup
// (v2), in this order. A folder without a document is an implicit group, whose attributes are those of a
// .zattrs, if it has one. Files that are no keys of Zarr are members of their group as they are.
//
// Consolidated metadata, which may be stale, stand in only for documents that are missing; but where the
// store is elsewhere and has them, its nodes are what they say, because each other document would cost a
// round trip.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cache/cancellable_lock.h"
#include "formats/containers/zarr/metadata.h"
#include "formats/core/base/key_store.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/model/shared_arrays.h"

namespace plainfs::zarr {

class Hierarchy;
using HierarchyPtr = std::shared_ptr<const Hierarchy>;

// An opened store; its groups and arrays share it.
class Hierarchy : public std::enable_shared_from_this<Hierarchy> {
 public:
  Hierarchy(KeyStorePtr store, Context& context);

  // The node at path ("" = the root, "a/b"), the implicit group or the file there, or nullopt if there is
  // none. A node whose metadata are wrong has content Error, or is a group whose members cannot be listed.
  // The root is no implicit group. Of a remote store with consolidated metadata only the nodes are found that
  // these name.
  std::optional<Node> find(const std::string& path, const GroupPtr& parent) const;
  // The root as an implicit group.
  Node implicit_root() const { return implicit_group("", nullptr); }
  // Whatever is in group, which is at path, by name. Throws as check_listable.
  std::vector<Member> members(const std::string& path, const GroupPtr& group) const;

  const KeyStorePtr& store() const { return store_; }
  Context& context() const { return context_; }
  // 2 or 3, as the root's metadata are; 0 where there are none.
  int version() const;
  // The file beside the keys, or the folder of parts that dask writes (NAME.parquet/part.0.parquet), of that
  // name in the folder at path, of a remote store that cannot be listed; nullopt if there is none, and of any
  // other store. Only names with an extension are asked for.
  std::optional<Node> find_unlisted(const std::string& path, std::string_view name,
                                    const GroupPtr& group) const;
  // The file at path.
  Node plain_file(const std::string& path) const;
  // Warns if the folder at path, which no document describes, has files that are named as chunks are.
  void warn_of_chunks(const std::string& path) const;
  // Throws unsupported where it cannot be told what is in a group.
  void check_listable() const;

 private:
  bool goes_by_consolidated() const;
  bool is_consolidated(const std::string& path) const;
  std::vector<Entry> entries(const std::string& path) const;
  std::vector<std::string> folders(const std::string& path) const;
  std::optional<Json> document(const std::string& path, const std::string& name) const;
  const Json* consolidated(const std::string& path, const std::string& name) const;
  void read_consolidated() const;
  std::optional<Node> described(const std::string& path, const GroupPtr& parent) const;
  Node implicit_group(const std::string& path, const GroupPtr& parent) const;
  std::optional<Node> folder_node(const std::string& path, const GroupPtr& parent) const;
  Node v3_node(const std::string& path, const GroupPtr& parent, const Json& zarr_json) const;
  Node v2_array(const std::string& path, const Json& zarray) const;
  // document: what metadata were read from.
  Node array_node(const std::string& path, const Json& document, ArrayMetadata metadata,
                  std::function<Attributes()> attributes) const;
  Node broken_node(const std::string& path, const GroupPtr& parent, const Error& error) const;
  bool has_nodes_below(const std::string& path) const;
  Attributes read_v2_attributes(const std::string& path) const;
  std::function<Attributes()> v2_attributes(const std::string& path) const;

  const KeyStorePtr store_;
  Context& context_;
  mutable SharedArrays arrays_;
  mutable Once consolidated_once_;  // guards what is below, read where a document is first missing
  mutable Json v2_consolidated_;    // "a/.zarray" → document
  mutable Json v3_consolidated_;    // "a" → document
  mutable std::unordered_map<std::string, const Json*> consolidated_;       // by key, of both
  mutable std::unordered_map<std::string, std::set<std::string>> folders_;  // those in each folder, by these
};

class StoredGroup : public Group {
 public:
  // Of a group that a document describes, or of an implicit one.
  enum class Kind { described, implicit };
  // broken: thrown by members(), where the group's own metadata cannot be read.
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
  // Whether no document describes the group.
  bool is_implicit() const { return kind_ == Kind::implicit; }
  // Throws where the group's own metadata cannot be read.
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
