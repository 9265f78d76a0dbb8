#include "formats/containers/hdf5/nodes.h"

#include <algorithm>
#include <memory>
#include <span>

#include "formats/containers/hdf5/attributes.h"
#include "formats/core/text/path_names.h"

namespace plainfs::hdf5 {
namespace {

// Objects per call of the library. A call takes a few milliseconds, during which other threads wait.
constexpr size_t kTogether = 512;

// Appends the names of an HDF5 path. In such a path "." is skipped, but ".." is an ordinary name.
void append_path(std::string_view path, std::vector<std::string>& names) {
  if (path.starts_with('/')) names.clear();
  for (std::string& name : path_names(path))
    if (name != ".") names.push_back(std::move(name));
}

Node node_with(Content content) {
  return Node{std::move(content)};
}

class FileGroup : public Group, public StoredObject {
 public:
  FileGroup(SourceFilePtr file, uint64_t address, std::string name, std::shared_ptr<const FileGroup> parent)
      : StoredObject(std::move(file), address), name_(std::move(name)), parent_(std::move(parent)) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  Attributes attributes() const override { return read_attributes(shared_file(), address()); }
  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return parent_ ? parent_->path_of(name_) : "/"; }

 private:
  std::vector<std::string> names() const;  // from the root to this group
  std::string path_of(const std::string& member) const { return (parent_ ? path() : "") + "/" + member; }
  void add_members(std::span<StoredLink> links, std::vector<Member>& members) const;
  // Returns whether link is a hard link to an object that does not enclose this group.
  bool is_of_object(const StoredLink& link) const;
  // found: the facts about the object if link leads to one, else null.
  std::optional<Node> node_of(const StoredLink& link, FoundObject* found) const;
  std::optional<Node> object_node(const StoredLink& link, StoredObjectFacts object) const;
  Link target_of(const StoredLink& link) const;
  // Returns this group or the enclosing one at address, or null.
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
  std::vector<StoredLink> links = file().library().links(address());
  for (size_t first = 0; first < links.size(); first += kTogether)
    add_members(std::span(links).subspan(first, std::min(kTogether, links.size() - first)), members);
  return members;
}

void FileGroup::add_members(std::span<StoredLink> links, std::vector<Member>& members) const {
  std::vector<uint64_t> addresses;
  for (const StoredLink& link : links)
    if (is_of_object(link)) addresses.push_back(link.address);
  std::vector<FoundObject> objects = file().library().objects(addresses);
  auto object = objects.begin();
  for (StoredLink& link : links) {
    FoundObject* const found = is_of_object(link) ? &*object++ : nullptr;
    if (auto node = node_of(link, found)) members.push_back({std::move(link.name), std::move(*node)});
  }
}

std::optional<Node> FileGroup::find(std::string_view name) const {
  // Rejects names that the library would interpret as paths.
  const std::string own(name);
  if (own.empty() || own == "." || own.find('/') != std::string::npos || own.find('\0') != std::string::npos)
    return std::nullopt;
  const std::optional<StoredLink> link = file().library().find_link(address(), own);
  if (!link) return std::nullopt;
  if (!is_of_object(*link)) return node_of(*link, nullptr);
  FoundObject found = file().library().objects({link->address}).at(0);
  return node_of(*link, &found);
}

bool FileGroup::is_of_object(const StoredLink& link) const {
  return !link.error && link.kind == StoredLink::Kind::hard && !enclosing(link.address);
}

std::optional<Node> FileGroup::node_of(const StoredLink& link, FoundObject* found) const {
  try {
    if (link.error) throw *link.error;
    if (found && found->error) throw *found->error;
    if (found) return object_node(link, std::move(found->facts));
    if (link.kind != StoredLink::Kind::hard) return node_with(target_of(link));
    const FileGroup* const group = enclosing(link.address);
    return node_with(Link{"", group->names(), group->path(), false});
  } catch (const Error& error) {
    return node_with(error.at(path_of(link.name)));
  }
}

std::optional<Node> FileGroup::object_node(const StoredLink& link, StoredObjectFacts object) const {
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
