#include "formats/schemas/takane/height.h"

#include "formats/containers/hdf5/container.h"
#include "formats/schemas/takane/data_frame.h"
#include "formats/schemas/takane/json_gz.h"
#include "formats/schemas/takane/json_list.h"

namespace plainfs::takane {
namespace {

GroupPtr require_group(const GroupPtr& group, const char* name) {
  GroupPtr found = find_group(*group, name);
  if (!found) throw damaged("expected a group at '{}'", name);
  return found;
}

ArrayPtr require_array(const GroupPtr& group, const char* name) {
  ArrayPtr found = find_array(*group, name);
  if (!found || found->shape().empty()) throw damaged("expected a dataset at '{}'", name);
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
    throw damaged("expected a count, not {}", array.dtype().name());
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

// The first of the dimensions that OBJECT gives for summarized experiments, or the length it gives for
// sequence sets.
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
