#include "formats/schemas/takane/directory_group.h"

#include <algorithm>
#include <boost/filesystem.hpp>

#include "formats/containers/hdf5/container.h"
#include "formats/core/base/host_path.h"
#include "formats/schemas/takane/json_gz.h"

namespace plainfs::takane {
namespace {

class UnreadableGroup : public Group {
 public:
  UnreadableGroup(ObjectPlace place, Error error) : place_(std::move(place)), error_(std::move(error)) {}
  std::vector<Member> members() const override { throw error_; }
  GroupPtr parent() const override { return place_.parent; }
  std::string path() const override { return place_.path; }

 private:
  const ObjectPlace place_;
  const Error error_;
};

// Text only: what it leads to is not looked at.
Link link_outside(const ObjectPlace& inner) {
  boost::system::error_code unknown;
  return {{}, {}, real_path_as_far_as_there(inner.directory, unknown).string(), true};
}

Node hdf5_node(const ObjectPlace& inner, Context& context) {
  try {
    return Node{.parts = hdf5::open_group(inner.directory, context)};
  } catch (const Error& error) {
    return Node{.parts = unreadable_group(inner, error)};
  }
}

}  // namespace

bool DirectoryGroup::is_listed(std::string_view name) const {
  return std::find(rules_.replaced.begin(), rules_.replaced.end(), name) == rules_.replaced.end();
}

std::vector<Member> DirectoryGroup::added() const {
  return rules_.added ? rules_.added(std::const_pointer_cast<Group>(shared_from_this()))
                      : std::vector<Member>{};
}

std::vector<Member> DirectoryGroup::members() const {
  std::vector<Member> found;
  for (const std::string& name : directory_entries(place_.directory, context_))
    if (is_listed(name)) found.push_back(stored_member(name));
  std::vector<Member> more = added();
  std::move(more.begin(), more.end(), std::back_inserter(found));
  return found;
}

std::optional<Node> DirectoryGroup::find(std::string_view name) const {
  const bool may_be_entry =
      !name.empty() && !name.starts_with('.') && name.find_first_of(std::string_view("/\0", 2)) == name.npos;
  if (may_be_entry && is_listed(name)) {
    for (const std::string& stored : {std::string(name), std::string(name) + ".gz"}) {
      const EntryKind kind = context_.files.kind_of(place_.directory + "/" + stored);
      if (kind != EntryKind::file && kind != EntryKind::folder) continue;
      Member member = stored_member(stored);
      if (member.name == name) return std::move(member.node);
    }
  }
  for (Member& member : added())
    if (member.name == name) return std::move(member.node);
  return std::nullopt;
}

Member DirectoryGroup::stored_member(const std::string& name) const {
  const ObjectPlace inner = place_.inside(name, shared_from_this());
  if (!context_.files.bounds().contains(inner.directory)) return {name, Node{.content = link_outside(inner)}};
  const Probe probe(inner.directory, context_.files);
  if (probe.is_folder())
    return {name, open_directory(inner, rules_.sides ? rules_.sides(name) : SideNames{}, context_)};
  if (hdf5::recognises(probe)) return {name, hdf5_node(inner, context_)};
  if (name.ends_with(".json.gz")) return json_gz_member(inner.directory, name, context_);
  return plain_file_member(place_.directory, name);
}

GroupPtr unreadable_group(const ObjectPlace& place, const Error& error) {
  return std::make_shared<UnreadableGroup>(place, error);
}

GroupPtr object_group(const ObjectPlace& place, std::string file, std::vector<Member> members,
                      Context& context) {
  DirectoryGroup::Rules rules;
  rules.replaced = {std::move(file)};
  rules.added = [members = std::move(members)](const GroupPtr&) { return members; };
  return std::make_shared<DirectoryGroup>(place, std::move(rules), context);
}

GroupPtr open_file_group(const ObjectPlace& place, const std::string& file, const std::string& group,
                         Context& context) {
  const std::string path = place.directory + "/" + file;
  if (context.files.kind_of(path) == EntryKind::nothing) throw damaged("{} is there", file);
  try {
    GroupPtr found = find_group(*hdf5::open_group(path, context), group);
    if (!found) throw damaged("the file has a group {}", group);
    return found;
  } catch (const Error& error) {
    throw error.at(file);
  }
}

std::vector<std::string> directory_entries(const std::string& directory, Context& context) {
  std::vector<std::string> names;
  for (Entry& entry : context.files.open_folder(directory)->list("")) {
    const bool is_shown = entry.kind == EntryKind::file || entry.kind == EntryKind::folder;
    if (is_shown && !entry.name.starts_with('.')) names.push_back(std::move(entry.name));
  }
  return names;
}

Member plain_file_member(const std::string& directory, const std::string& name) {
  return {name, Node{.content = PlainFile{directory + "/" + name, nullptr}}};
}

}  // namespace plainfs::takane
