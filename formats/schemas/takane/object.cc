#include "formats/schemas/takane/object.h"

#include <charconv>

#include "formats/schemas/takane/atomic_vector.h"
#include "formats/schemas/takane/compressed_sparse_matrix.h"
#include "formats/schemas/takane/data_frame.h"
#include "formats/schemas/takane/delayed_array.h"
#include "formats/schemas/takane/dense_array.h"
#include "formats/schemas/takane/directory_group.h"
#include "formats/schemas/takane/genomic_ranges.h"
#include "formats/schemas/takane/multi_sample_dataset.h"
#include "formats/schemas/takane/named_list.h"
#include "formats/schemas/takane/sequence_information.h"
#include "formats/schemas/takane/string_factor.h"
#include "formats/schemas/takane/summarized_experiment.h"

namespace plainfs::takane {
namespace {

constexpr uint64_t kMostObjectBytes = 16 << 20;

struct ObjectType {
  std::string_view name;
  Node (*open)(const Opening& opening);
  // Below a data frame its files are directories of their own names: the frame's table and columns are what
  // it is read by there, and its paths are as they have always been.
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
  if (bad != std::errc{}) throw damaged("OBJECT: {}.version is MAJOR.MINOR, not '{}'", object.type, stated);
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

Node open_object(const ObjectPlace& place, const SideNames& sides, Context& context) {
  if (place.depth > kMostNested) throw damaged("objects are nested more than {} deep", kMostNested);
  const Opening opening{place, read_object_file(place.directory, context), sides, context};
  for (const ObjectType& type : kTypes)
    if (type.name == opening.object.type && !(type.is_plain_in_frames && place.in_frame))
      return type.open(opening);
  if (opening.object.properties_of(kExperiment)) return open_experiment(opening);
  return Node{.parts = std::make_shared<DirectoryGroup>(place, context)};
}

Node open_directory(const ObjectPlace& place, const SideNames& sides, Context& context) {
  try {
    context.files.bounds().check(place.directory);
    if (context.files.kind_of(place.directory + "/OBJECT") == EntryKind::file)
      return open_object(place, sides, context);
    if (place.depth > kMostNested) throw damaged("folders are nested more than {} deep", kMostNested);
    if (is_named_list(place, context)) return Node{.parts = open_named_list(place, sides, context)};
    return Node{.parts = std::make_shared<DirectoryGroup>(place, context)};
  } catch (const Error& error) {
    return Node{.parts = unreadable_group(place, error)};
  }
}

unsigned check_version(const ObjectFile& object, const std::string& type) {
  const Json* properties = object.properties_of(type);
  if (!properties) throw damaged("OBJECT: {} is a JSON object", type);
  const Json* version = properties->find("version");
  if (!version) throw damaged("OBJECT: {}.version is present", type);
  if (!version->text()) throw damaged("OBJECT: {}.version is a string", type);
  const std::string& stated = *version->text();
  std::string_view rest = stated;
  const unsigned major = number_in(rest, object, stated);
  if (!rest.starts_with('.')) throw damaged("OBJECT: {}.version is MAJOR.MINOR, not '{}'", type, stated);
  rest.remove_prefix(1);
  const unsigned minor = number_in(rest, object, stated);
  if (!rest.empty()) throw damaged("OBJECT: {}.version is MAJOR.MINOR, not '{}'", type, stated);
  if (major != 1) throw unsupported("{} version '{}'", type, stated);
  return minor;
}

Link link_to(const std::string& path) {
  Link link;
  link.text = path;
  for (size_t first = 1; first < path.size();) {
    const size_t end = std::min(path.find('/', first), path.size());
    link.path.push_back(path.substr(first, end - first));
    first = end + 1;
  }
  return link;
}

}  // namespace plainfs::takane
