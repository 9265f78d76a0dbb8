#include "formats/schemas/takane/object.h"

#include <boost/filesystem.hpp>

#include <algorithm>
#include <charconv>

#include "cache/request.h"
#include "formats/containers/hdf5/container.h"
#include "formats/core/base/host_path.h"
#include "formats/core/codecs/png.h"
#include "formats/core/text/path_names.h"
#include "formats/schemas/takane/data_frame.h"
#include "formats/schemas/takane/delayed.h"
#include "formats/schemas/takane/genomic_objects.h"
#include "formats/schemas/takane/lists.h"
#include "formats/schemas/takane/matrices.h"
#include "formats/schemas/takane/vectors.h"

namespace plainfs::takane {
namespace {

constexpr uint64_t kMaxObjectBytes = 16 << 20;

struct ObjectType {
  std::string_view name;
  Node (*open)(const Opening& opening);
  // Whether its files below a data frame are directories with their own names. There the object is read
  // through the frame's table and columns, and its paths stay stable.
  bool is_plain_in_frames = false;
};

constexpr ObjectType kTypes[] = {
    {"atomic_vector", open_atomic_vector, true},
    {"compressed_sparse_matrix", open_compressed_sparse_matrix},
    {"data_frame", open_data_frame},
    {"delayed_array", open_delayed_array},
    {"dense_array", open_dense_array, true},
    {"genomic_ranges", open_genomic_ranges},
    {"multi_sample_dataset", open_multi_sample_dataset},
    {"sequence_information", open_sequence_information},
    {"string_factor", open_string_factor, true},
};

unsigned number_in(std::string_view& text, const ObjectFile& object, const std::string& stated) {
  unsigned number = 0;
  const auto [rest, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (bad != std::errc{})
    throw damaged("OBJECT: {}.version is '{}', expected MAJOR.MINOR", object.type, stated);
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return number;
}

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
  if (object.properties_of(kExperiment))
    store.details.emplace_back("takane", describe_experiment(probe.location(), object, context));
  store.root = open_object(ObjectPlace{probe.location(), "/", nullptr, 0}, {}, context);
  return store;
}

ObjectPlace ObjectPlace::inside(const std::string& name, GroupPtr enclosing) const {
  return {directory + "/" + name, (path == "/" ? path : path + "/") + name, std::move(enclosing), depth + 1,
          in_frame};
}

const Json* ObjectFile::properties_of(std::string_view ancestor) const {
  for (const auto& [key, value] : metadata)
    if (key == ancestor && value.object()) return &value;
  return nullptr;
}

ObjectFile read_object_file(const std::string& directory, Context& context) {
  const std::optional<Bytes> bytes =
      context.files.read_whole_if_exists(directory + "/OBJECT", kMaxObjectBytes);
  if (!bytes) throw damaged("the file OBJECT is missing");
  const Json document = [&] {
    try {
      return parse_json(as_text(*bytes));
    } catch (const Error& error) {
      throw error.at("OBJECT");
    }
  }();
  if (!document.object()) throw damaged("OBJECT: not a JSON object");
  const Json* type = document.find("type");
  if (!type) throw damaged("OBJECT: type is missing");
  if (!type->text()) throw damaged("OBJECT: type is not a string");
  return {*type->text(), *document.object()};
}

namespace {

// Returns a directory that cannot be opened: listing it throws error. It has no attributes, like any other.
Node unreadable_node(const ObjectPlace& place, const Error& error) {
  return Node{.parts = std::make_shared<BrokenGroup>(place.parent, place.path, error),
              .attributes = [] { return Attributes(); }};
}

Node plain_directory(const ObjectPlace& place, bool has_pictures, Context& context) {
  DirectoryGroup::Rules rules;
  rules.has_pictures = has_pictures;
  return Node{.parts = std::make_shared<DirectoryGroup>(place, std::move(rules), context)};
}

}  // namespace

Node open_object(const ObjectPlace& place, const SideNames& sides, Context& context) {
  if (place.depth > kMaxNested) throw damaged("objects are nested more than {} deep", kMaxNested);
  const Opening opening{place, read_object_file(place.directory, context), sides, context};
  for (const ObjectType& type : kTypes)
    if (type.name == opening.object.type && !(type.is_plain_in_frames && place.in_frame))
      return type.open(opening);
  if (opening.object.properties_of(kExperiment)) return open_experiment(opening);
  return plain_directory(place, opening.object.type == "image_file", context);
}

Node open_directory(const ObjectPlace& place, const SideNames& sides, Context& context) {
  try {
    context.files.bounds().check(place.directory);
    if (context.files.kind_of(place.directory + "/OBJECT") == EntryKind::file)
      return open_object(place, sides, context);
    if (place.depth > kMaxNested) throw damaged("folders are nested more than {} deep", kMaxNested);
    if (is_named_list(place, context)) return Node{.parts = open_named_list(place, sides, context)};
    return plain_directory(place, place.name() == "images", context);
  } catch (const Error& error) {
    return unreadable_node(place, error);
  }
}

unsigned check_version(const ObjectFile& object, const std::string& type) {
  const Json* properties = object.properties_of(type);
  if (!properties) throw damaged("OBJECT: {} is missing or not a JSON object", type);
  const Json* version = properties->find("version");
  if (!version) throw damaged("OBJECT: {}.version is missing", type);
  if (!version->text()) throw damaged("OBJECT: {}.version is not a string", type);
  const std::string& stated = *version->text();
  std::string_view rest = stated;
  const unsigned major = number_in(rest, object, stated);
  if (!rest.starts_with('.')) throw damaged("OBJECT: {}.version is '{}', expected MAJOR.MINOR", type, stated);
  rest.remove_prefix(1);
  const unsigned minor = number_in(rest, object, stated);
  if (!rest.empty()) throw damaged("OBJECT: {}.version is '{}', expected MAJOR.MINOR", type, stated);
  if (major != 1) throw unsupported("{} version '{}'", type, stated);
  return minor;
}

Link link_to(const std::string& path) {
  Link link;
  link.text = path;
  link.path = path_names(path);
  return link;
}

namespace {

// Returns a link as text only, without looking at its target.
Link link_outside(const ObjectPlace& inner) {
  boost::system::error_code unknown;
  return {{}, {}, weakly_real_path(inner.directory, unknown).string(), true};
}

Node hdf5_node(const ObjectPlace& inner, Context& context) {
  try {
    return Node{.parts = hdf5::open_group(inner.directory, context)};
  } catch (const Error& error) {
    return unreadable_node(inner, error);
  }
}

}  // namespace

constexpr std::string_view kPng = ".png";

bool DirectoryGroup::is_listed(std::string_view name) const {
  return std::find(rules_.replaced.begin(), rules_.replaced.end(), name) == rules_.replaced.end();
}

std::vector<Member> DirectoryGroup::added() const {
  return rules_.added ? rules_.added(std::const_pointer_cast<Group>(shared_from_this()))
                      : std::vector<Member>{};
}

std::vector<Member> DirectoryGroup::members() const {
  std::vector<Member> found;
  const std::vector<std::string> names = directory_entries(place_.directory, context_);
  for (const std::string& name : names)
    if (is_listed(name)) found.push_back(stored_member(name));
  if (rules_.has_pictures) add_pictures(names, found);
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
  return rules_.has_pictures && may_be_entry ? pixels_of(std::string(name).append(kPng)) : std::nullopt;
}

void DirectoryGroup::add_pictures(const std::vector<std::string>& names, std::vector<Member>& found) const {
  for (const std::string& name : names) {
    check_cancelled();
    const std::string own = name.ends_with(kPng) ? name.substr(0, name.size() - kPng.size()) : "";
    if (own.empty() || std::binary_search(names.begin(), names.end(), own)) continue;
    if (std::optional<Node> pixels = pixels_of(name)) found.push_back({own, *std::move(pixels)});
  }
}

std::optional<Node> DirectoryGroup::pixels_of(const std::string& name) const {
  const std::string location = place_.directory + "/" + name;
  if (!context_.files.bounds().contains(location) || context_.files.kind_of(location) != EntryKind::file)
    return std::nullopt;
  return png_node(location, context_);
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
  if (context.files.kind_of(path) == EntryKind::nothing) throw damaged("the file {} is missing", file);
  try {
    GroupPtr found = find_group(*hdf5::open_group(path, context), group);
    if (!found) throw damaged("the group {} is missing", group);
    return found;
  } catch (const Error& error) {
    throw error.at(file);
  }
}

std::vector<std::string> directory_entries(const std::string& directory, Context& context) {
  std::vector<std::string> names;
  for (Entry& entry : context.files.open_folder(directory)->list("")) {
    const bool is_shown =
        entry.kind != EntryKind::other;  // a dangling link reports an error when it is opened
    if (is_shown && !entry.name.starts_with('.')) names.push_back(std::move(entry.name));
  }
  return names;
}

Member plain_file_member(const std::string& directory, const std::string& name) {
  return {name, Node{.content = PlainFile{directory + "/" + name, nullptr}}};
}

namespace {

GroupPtr require_group(const GroupPtr& group, const char* name) {
  GroupPtr found = find_group(*group, name);
  if (!found) throw damaged("the group '{}' is missing", name);
  return found;
}

ArrayPtr require_array(const GroupPtr& group, const char* name) {
  ArrayPtr found = find_array(*group, name);
  if (!found || found->shape().empty()) throw damaged("the dataset '{}' is missing or a scalar", name);
  return found;
}

uint64_t first_number(const Array& array, uint64_t at) {
  const Elements element = array.read(range(at, 1));
  return visit_number(array.dtype(), [&](auto example) -> uint64_t {
    using T = decltype(example);
    if constexpr (std::is_integral_v<T>) {
      const T value = element.values<T>()[0];
      if (value >= 0) return static_cast<uint64_t>(value);
    }
    throw damaged("a count is negative or {}, expected a non-negative integer", array.dtype().name());
  });
}

uint64_t vector_height(const GroupPtr& group) {
  if (const ArrayPtr values = find_array(*group, "values")) return values->count();
  return require_array(require_group(group, "values"), "pointers")->count();  // vls, from 1.1
}

uint64_t dense_array_height(const GroupPtr& group) {
  const ArrayPtr transposed = hdf5::attribute(*group, "transposed");
  const ArrayPtr data = require_array(group, "data");
  const bool last =
      transposed && transposed->shape().empty() && visit_number(transposed->dtype(), [&](auto example) {
        using T = decltype(example);
        if constexpr (std::is_integral_v<T>) return read_all(*transposed).values<T>()[0] != 0;
        return false;
      });
  return last ? data->shape().back() : data->shape().front();
}

uint64_t list_height(const ObjectPlace& place, const ObjectFile& object, Context& context) {
  const Json* format = object.properties() ? object.properties()->find("format") : nullptr;
  if (format && format->text() && *format->text() == "json.gz") {
    const Bytes text = read_json_gz(place.directory + "/list_contents.json.gz", context);
    return check_json_list(parse_json(as_text(text)));
  }
  const GroupPtr file = hdf5::open_group(place.directory + "/list_contents.h5", context);
  return require_group(require_group(file, "simple_list"), "data")->members().size();
}

// Returns the height in OBJECT: the first dimension of a summarized experiment, or the length of a sequence
// set.
std::optional<uint64_t> stated_height(const ObjectFile& object, const char* property) {
  for (const auto& [name, value] : object.metadata) {
    if (name != object.type && !name.ends_with("summarized_experiment")) continue;
    const Json* stated = value.find(property);
    if (!stated) continue;
    if (const Json::List* extents = stated->list(); extents && !extents->empty())
      return extents->front().as_uint64();
    return stated->as_uint64();
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> height_of(const ObjectPlace& place, const ObjectFile& object, Context& context) {
  const auto group_in = [&](const char* file, const char* name) {
    return require_group(hdf5::open_group(place.directory + "/" + file, context), name);
  };
  const std::string& type = object.type;
  if (type == "data_frame") return data_frame_rows(place, object, context);
  if (type == "atomic_vector") return vector_height(group_in("contents.h5", "atomic_vector"));
  if (type == "string_factor")
    return require_array(group_in("contents.h5", "string_factor"), "codes")->count();
  if (type == "dense_array") return dense_array_height(group_in("array.h5", "dense_array"));
  if (type == "compressed_sparse_matrix")
    return first_number(*require_array(group_in("matrix.h5", "compressed_sparse_matrix"), "shape"), 0);
  if (type == "simple_list") return list_height(place, object, context);
  if (type == "genomic_ranges")
    return require_array(group_in("ranges.h5", "genomic_ranges"), "sequence")->count();
  if (type == "sequence_string_set") return stated_height(object, "length");
  if (type.ends_with("_list"))
    return require_array(group_in("partitions.h5", type.c_str()), "lengths")->count();
  if (type.ends_with("_experiment")) return stated_height(object, "dimensions");
  return std::nullopt;
}

}  // namespace plainfs::takane
