#include "formats/hdf5/group.h"

#include <algorithm>
#include <memory>

#include "formats/hdf5/attributes.h"
#include "formats/hdf5/dataset.h"
#include "formats/hdf5/stored_object.h"

namespace plainfs::hdf5 {
namespace {

// Appends the names of a path of HDF5, where "." stands for nothing and ".." is a name like any other.
void append_path(std::string_view path, std::vector<std::string>& names) {
  if (path.starts_with('/')) names.clear();
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    if (!name.empty() && name != ".") names.emplace_back(name);
    path.remove_prefix(std::min(path.size(), name.size() + 1));
  }
}

Node node_with(Content content) {
  Node node;
  node.content = std::move(content);
  return node;
}

class FileGroup : public Group, public StoredObject {
 public:
  FileGroup(SourceFilePtr file, uint64_t address, std::string name, std::shared_ptr<const FileGroup> parent)
      : StoredObject(std::move(file), address), name_(std::move(name)), parent_(std::move(parent)) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  Attributes attributes() const override { return read_attributes(file(), address()); }
  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return parent_ ? parent_->path_of(name_) : "/"; }

 private:
  std::vector<std::string> names() const;  // from the root to here
  std::string path_of(const std::string& member) const { return (parent_ ? path() : "") + "/" + member; }
  std::optional<Node> node_of(const StoredLink& link) const;
  std::optional<Node> object_node(const StoredLink& link) const;
  Link target_of(const StoredLink& link) const;
  // This group or the one around it that has that address, or null.
  const FileGroup* enclosing(uint64_t address) const;

  std::string name_;
  std::shared_ptr<const FileGroup> parent_;
};

std::vector<std::string> FileGroup::names() const {
  std::vector<std::string> names = parent_ ? parent_->names() : std::vector<std::string>();
  if (parent_) names.push_back(name_);
  return names;
}

const FileGroup* FileGroup::enclosing(uint64_t address) const {
  const FileGroup* group = this;
  while (group && group->address() != address) group = group->parent_.get();
  return group;
}

std::vector<Member> FileGroup::members() const {
  std::vector<Member> members;
  for (StoredLink& link : file().library().links(address()))
    if (auto node = node_of(link)) members.push_back({std::move(link.name), std::move(*node)});
  return members;
}

std::optional<Node> FileGroup::find(std::string_view name) const {
  // The library takes names for paths.
  const std::string own(name);
  if (own.empty() || own == "." || own.find('/') != std::string::npos || own.find('\0') != std::string::npos)
    return std::nullopt;
  const std::optional<StoredLink> link = file().library().find_link(address(), own);
  return link ? node_of(*link) : std::nullopt;
}

std::optional<Node> FileGroup::node_of(const StoredLink& link) const {
  try {
    if (link.error) throw *link.error;
    return link.kind == StoredLink::Kind::hard ? object_node(link) : node_with(target_of(link));
  } catch (const Error& error) {
    return node_with(error.at(path_of(link.name)));
  }
}

std::optional<Node> FileGroup::object_node(const StoredLink& link) const {
  if (const FileGroup* group = enclosing(link.address))
    return node_with(Link{"", group->names(), group->path(), false});
  StoredObjectFacts object = file().library().object(link.address);
  switch (object.kind) {
    case ObjectKind::group: {
      const auto self = std::static_pointer_cast<const FileGroup>(shared_from_this());
      return Node{{}, std::make_shared<FileGroup>(shared_file(), link.address, link.name, self), {}};
    }
    case ObjectKind::dataset:
      return dataset_node(shared_file(), std::move(object.dataset), link.address, path_of(link.name));
    case ObjectKind::other:
      break;
  }
  return std::nullopt;
}

Link FileGroup::target_of(const StoredLink& link) const {
  Link target;
  target.source = link.file;
  if (link.kind == StoredLink::Kind::soft) target.path = names();
  append_path(link.path, target.path);
  target.text = (link.kind == StoredLink::Kind::soft ? "" : link.file + ":") + link.path;
  return target;
}

}  // namespace

GroupPtr root_group(SourceFilePtr file) {
  const uint64_t address = file->library().root_address();
  return std::make_shared<FileGroup>(std::move(file), address, "", nullptr);
}

}  // namespace plainfs::hdf5
