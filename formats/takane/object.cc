#include "formats/takane/object.h"

#include <boost/filesystem.hpp>

#include "formats/hdf5/container.h"
#include "formats/takane/data_frame.h"
#include "formats/takane/json_gz.h"

namespace plainfs::takane {
namespace {

constexpr uint64_t kMostObjectBytes = 16 << 20;

// A directory that is an object but cannot be read as one.
class UnreadableGroup : public Group {
 public:
  UnreadableGroup(Place place, Error error) : place_(std::move(place)), error_(std::move(error)) {}
  std::vector<Member> members() const override { throw error_; }
  GroupPtr parent() const override { return place_.parent; }
  std::string path() const override { return place_.path; }

 private:
  Place place_;
  Error error_;
};

// Files and folders of an object whose type plainfs does not know, or of a folder without OBJECT.
class DirectoryGroup : public Group {
 public:
  DirectoryGroup(Place place, Context& context) : place_(std::move(place)), context_(context) {}

  std::vector<Member> members() const override {
    std::vector<Member> found;
    for (const std::string& name : directory_entries(place_.directory, context_))
      found.push_back(member(name));
    return found;
  }
  GroupPtr parent() const override { return place_.parent; }
  std::string path() const override { return place_.path; }

 private:
  Member member(const std::string& name) const {
    const Place inner = place_.inside(name, shared_from_this());
    if (!context_.files.bounds().contains(inner.directory))
      return {name, Node{.content = link_outside(inner)}};
    const Probe probe(inner.directory, context_.files);
    if (probe.is_folder()) return {name, Node{.parts = open_directory(inner, context_)}};
    if (hdf5::recognises(probe)) return {name, hdf5_member(inner)};
    if (name.ends_with(".json.gz")) return json_gz_member(inner.directory, name, context_);
    return plain_file_member(place_.directory, name);
  }

  // Text only: what it leads to is not looked at.
  static Link link_outside(const Place& inner) {
    boost::system::error_code unknown;
    return {{}, {}, boost::filesystem::weakly_canonical(inner.directory, unknown).string(), true};
  }

  Node hdf5_member(const Place& inner) const {
    try {
      return Node{.parts = hdf5::open_group(inner.directory, context_)};
    } catch (const Error& error) {
      return Node{.parts = std::make_shared<UnreadableGroup>(inner, error)};
    }
  }

  Place place_;
  Context& context_;
};

}  // namespace

bool recognises(const Probe& probe) {
  return probe.has_file("OBJECT");
}

Store open(const Probe& probe, Context& context) {
  const ObjectFile object = read_object_file(probe.location(), context);
  Store store;
  store.path = probe.location();
  store.format = "takane " + object.type;
  if (const Json* properties = object.properties()) {
    const Json* version = properties->find("version");
    if (version && version->text()) store.version = *version->text();
  }
  store.root.parts = open_object(Place{probe.location(), "/", nullptr, 0}, context);
  return store;
}

Place Place::inside(const std::string& name, GroupPtr enclosing) const {
  return {directory + "/" + name, (path == "/" ? path : path + "/") + name, std::move(enclosing), depth + 1};
}

const Json* ObjectFile::properties() const {
  for (const auto& [key, value] : metadata)
    if (key == type && value.object()) return &value;
  return nullptr;
}

ObjectFile read_object_file(const std::string& directory, Context& context) {
  const std::optional<Bytes> bytes =
      context.files.read_whole_if_exists(directory + "/OBJECT", kMostObjectBytes);
  if (!bytes) throw damaged("an object directory has an OBJECT file");
  const Json document = [&] {
    try {
      return parse_json(as_text(*bytes));
    } catch (const Error& error) {
      throw error.at("OBJECT");
    }
  }();
  if (!document.object()) throw damaged("OBJECT: it is a JSON object");
  const Json* type = document.find("type");
  if (!type) throw damaged("OBJECT: it has a type property");
  if (!type->text()) throw damaged("OBJECT: type is a string");
  return {*type->text(), *document.object()};
}

GroupPtr open_object(const Place& place, Context& context) {
  if (place.depth > kMostNested) throw damaged("objects are nested more than {} deep", kMostNested);
  const ObjectFile object = read_object_file(place.directory, context);
  if (object.type == "data_frame") return open_data_frame(place, object, context);
  return std::make_shared<DirectoryGroup>(place, context);
}

GroupPtr open_directory(const Place& place, Context& context) {
  try {
    context.files.bounds().check(place.directory);
    if (context.files.kind_of(place.directory + "/OBJECT") == EntryKind::file)
      return open_object(place, context);
    if (place.depth > kMostNested) throw damaged("folders are nested more than {} deep", kMostNested);
    return std::make_shared<DirectoryGroup>(place, context);
  } catch (const Error& error) {
    return std::make_shared<UnreadableGroup>(place, error);
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
