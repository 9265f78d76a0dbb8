#include "formats/hdf5/group.h"

#include <algorithm>
#include <memory>

#include "formats/hdf5/attributes.h"
#include "formats/hdf5/dataset.h"
#include "formats/hdf5/stored_object.h"

namespace plainfs::hdf5 {
namespace {

struct RawLink {
  std::string name;
  H5L_type_t type;
  uint64_t address;   // hard links
  size_t value_size;  // the others
};

RawLink raw_link(std::string name, const H5L_info_t& info) {
  if (info.type == H5L_TYPE_HARD) return {std::move(name), info.type, info.u.address, 0};
  return {std::move(name), info.type, 0, info.u.val_size};
}

herr_t collect_link(hid_t, const char* name, const H5L_info_t* info, void* data) {
  return static_cast<Collected<RawLink>*>(data)->add([&] { return raw_link(name, *info); });
}

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
  std::optional<Node> node_of(const RawLink& link) const;
  std::optional<Node> object_node(const RawLink& link) const;
  Node link_node(const RawLink& link) const;
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
  std::vector<RawLink> links;
  {
    const LibraryLock lock;
    const ObjectHandle group = file().open_object(address());
    Collected<RawLink> found;
    links = checked_items(H5Literate(group.id(), H5_INDEX_NAME, kListingOrder, nullptr, collect_link, &found),
                          found, "the group cannot be listed");
  }
  std::sort(links.begin(), links.end(), [](const RawLink& a, const RawLink& b) { return a.name < b.name; });
  std::vector<Member> members;
  for (RawLink& link : links)
    if (auto node = node_of(link)) members.push_back({std::move(link.name), std::move(*node)});
  return members;
}

std::optional<Node> FileGroup::find(std::string_view name) const {
  // The library takes names for paths.
  const std::string own(name);
  if (own.empty() || own == "." || own.find('/') != std::string::npos || own.find('\0') != std::string::npos)
    return std::nullopt;
  const LibraryLock lock;
  const ObjectHandle group = file().open_object(address());
  const htri_t exists =
      checked_call(H5Lexists(group.id(), own.c_str(), H5P_DEFAULT), "the group cannot be searched");
  if (!exists) return std::nullopt;
  H5L_info_t info;
  checked_call(H5Lget_info(group.id(), own.c_str(), &info, H5P_DEFAULT), "the link cannot be read");
  return node_of(raw_link(own, info));
}

std::optional<Node> FileGroup::node_of(const RawLink& link) const {
  try {
    const LibraryLock lock;
    return link.type == H5L_TYPE_HARD ? object_node(link) : link_node(link);
  } catch (const Error& error) {
    return node_with(error.at(path_of(link.name)));
  }
}

std::optional<Node> FileGroup::object_node(const RawLink& link) const {
  if (const FileGroup* group = enclosing(link.address))
    return node_with(Link{"", group->names(), group->path(), false});
  const ObjectHandle object = file().open_object(link.address);
  switch (H5Iget_type(object.id())) {
    case H5I_GROUP: {
      const auto self = std::static_pointer_cast<const FileGroup>(shared_from_this());
      return Node{{}, std::make_shared<FileGroup>(shared_file(), link.address, link.name, self), {}};
    }
    case H5I_DATASET:
      return dataset_node(shared_file(), object.id(), link.address, path_of(link.name));
    default:
      return std::nullopt;
  }
}

Node FileGroup::link_node(const RawLink& link) const {
  const ObjectHandle group = file().open_object(address());
  std::vector<char> value(link.value_size + 1, '\0');
  checked_call(H5Lget_val(group.id(), link.name.c_str(), value.data(), link.value_size, H5P_DEFAULT),
               "the link cannot be read");
  Link result;
  if (link.type == H5L_TYPE_SOFT) {
    result.text = value.data();
    result.path = names();
    append_path(result.text, result.path);
  } else if (link.type == H5L_TYPE_EXTERNAL) {
    const char* file = nullptr;
    const char* path = nullptr;
    unsigned flags = 0;
    checked_call(H5Lunpack_elink_val(value.data(), link.value_size, &flags, &file, &path),
                 "the external link");
    result.source = file;
    append_path(path, result.path);
    result.text = result.source + ":" + path;
  } else {
    throw unsupported("links of class {}", static_cast<int>(link.type));
  }
  return node_with(std::move(result));
}

}  // namespace

GroupPtr root_group(SourceFilePtr file) {
  const uint64_t address = file->root_address();
  return std::make_shared<FileGroup>(std::move(file), address, "", nullptr);
}

}  // namespace plainfs::hdf5
