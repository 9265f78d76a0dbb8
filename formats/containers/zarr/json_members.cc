#include "formats/containers/zarr/json_members.h"

#include <algorithm>
#include <set>

#include "formats/core/base/checked.h"

namespace plainfs::zarr {

uint64_t to_length(const Json& value, std::string_view what) {
  const auto length = value.as_uint64();
  if (!length) throw damaged("{} has the invalid length {}", what, start_of_json(value));
  return *length;
}

Shape to_lengths(const Json& list, std::string_view what) {
  if (!list.list()) throw damaged("invalid {}: {}", what, start_of_json(list));
  Shape lengths;
  for (const Json& length : *list.list()) lengths.push_back(to_length(length, what));
  return lengths;
}

char to_separator(const Json& value) {
  const std::string* text = value.text();
  if (!text || (*text != "." && *text != "/"))
    throw damaged("separator is {}, expected \".\" or \"/\"", start_of_json(value));
  return text->front();
}

DType named_record(std::vector<Field> fields) {
  std::set<std::string_view> names;
  for (const Field& field : fields) {
    if (!names.insert(field.name).second) throw damaged("two fields have the name \"{}\"", field.name);
  }
  return packed_compound_type(std::move(fields));
}

void check_byte_counts(const DType& dtype, const ChunkGrid& grid) {
  const uint64_t size = std::max<uint64_t>(dtype.size, 1);
  checked_multiply(element_count(grid.shape()), size);
  checked_multiply(element_count(grid.typical_chunk_shape()), size);
}

Attributes to_attributes(const Json::Object& object) {
  Attributes attributes;
  for (const auto& [name, value] : object) attributes.push_back({name, value});
  return attributes;
}

}  // namespace plainfs::zarr
