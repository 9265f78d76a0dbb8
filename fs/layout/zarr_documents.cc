#include "fs/layout/zarr_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "formats/core/base/error.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/json_members.h"

namespace plainfs {

namespace {

Json shape_list(const Shape& shape) {
  Json::List list;
  for (const uint64_t length : shape) list.push_back(Json::of(length));
  return list;
}

Json codec(const char* name, std::optional<Json::Object> configuration = std::nullopt) {
  Json::Object object{{"name", name}};
  if (configuration) object.emplace_back("configuration", *std::move(configuration));
  return object;
}

// The parts of "<f4".
struct NumpyName {
  char kind;
  uint64_t size;  // bytes; of "U" characters
};

NumpyName parts_of(const std::string& dtype) {
  NumpyName name{dtype.at(1), 0};
  std::from_chars(dtype.data() + 2, dtype.data() + dtype.size(), name.size);
  return name;
}

// Returns the data type of numbers, or of a field of records.
Json plain_type(const std::string& dtype) {
  constexpr uint64_t kCharacterBytes = 4;
  const auto [kind, size] = parts_of(dtype);
  const auto with_bits = [bits = size * 8](const char* name) { return fmt::format("{}{}", name, bits); };
  switch (kind) {
    case 'b':
      return "bool";
    case 'i':
      return with_bits("int");
    case 'u':
      return with_bits("uint");
    case 'f':
      return with_bits("float");
    case 'c':
      return with_bits("complex");
    case 'U':
      return Json::Object{
          {"name", "fixed_length_utf32"},
          {"configuration", Json::Object{{"length_bytes", Json::of(size * kCharacterBytes)}}}};
    default:
      throw unsupported("Zarr of version 3 has no type {}", dtype);
  }
}

Json data_type(const ZarrArray& array) {
  if (array.is_text()) return "string";
  const auto* const fields = array.dtype.list();
  if (!fields) return plain_type(*array.dtype.text());
  Json::List types;
  for (const Json& field : *fields) {
    const Json::List& pair = *field.list();
    types.push_back(
        Json::Object{{"name", *pair.at(0).text()}, {"data_type", plain_type(*pair.at(1).text())}});
  }
  return Json::Object{{"name", "struct"}, {"configuration", Json::Object{{"fields", std::move(types)}}}};
}

// Returns the codec that makes bytes of elements.
Json codec_of_elements(const ZarrArray& array) {
  if (array.is_text()) return codec("vlen-utf8", Json::Object{});
  const auto* const dtype = array.dtype.text();
  if (dtype && parts_of(*dtype).size == 1) return codec("bytes");
  return codec("bytes", Json::Object{{"endian", "little"}});
}

Json::List chunk_codecs(const ZarrArray& array, std::optional<int> level) {
  Json::List codecs{codec_of_elements(array)};
  if (level)
    codecs.push_back(codec("zstd", Json::Object{{"level", Json::of(int64_t{*level})}, {"checksum", false}}));
  return codecs;
}

Json codecs_of(const ZarrArray& array, const Zarr3Storage& storage) {
  Json::List codecs = chunk_codecs(array, storage.level);
  if (!storage.shard) return codecs;
  const Json::List index{codec("bytes", Json::Object{{"endian", "little"}}), codec("crc32c")};
  return Json::List{codec("sharding_indexed", Json::Object{{"chunk_shape", shape_list(storage.chunk)},
                                                           {"codecs", std::move(codecs)},
                                                           {"index_codecs", index},
                                                           {"index_location", "end"}})};
}

// Returns the attributes in the order of anndata 0.13, the encoding last.
Json ordered_attributes(const std::optional<Json>& attributes) {
  if (!attributes) return Json::Object{};
  Json::Object object = *attributes->object();
  std::stable_partition(object.begin(), object.end(), [](const auto& attribute) {
    return !std::string_view(attribute.first).starts_with("encoding-");
  });
  const auto first_of_frame = std::find_if(
      object.begin(), object.end(), [](const auto& attribute) { return attribute.first == "column-order"; });
  if (first_of_frame != object.end()) std::rotate(object.begin(), first_of_frame, first_of_frame + 1);
  return object;
}

bool is_group(const Json& document) {
  return *document.find("node_type")->text() == "group";
}

// Returns the document of a group with those of the nodes below it, which stand before its last member.
Json with_consolidated(const Json& group, Json::Object documents) {
  Json::Object whole = *group.object();
  whole.insert(whole.end() - 1, {"consolidated_metadata", Json::Object{{"kind", "inline"},
                                                                       {"must_understand", false},
                                                                       {"metadata", std::move(documents)}}});
  return whole;
}

}  // namespace

std::string python_json(const Json& value, JsonLayout layout) {
  check_utf8(value);
  return indented_json(value, layout);
}

Json zarr2_group() {
  return Json::Object{{"zarr_format", Json::of(int64_t{2})}};
}

Json zarr2_array(const ZarrArray& array, const Shape& chunk, Json compressor) {
  Json filters;
  if (array.is_text() && !array.shape.empty()) filters = Json::List{Json::Object{{"id", "vlen-utf8"}}};
  return Json::Object{{"chunks", shape_list(chunk)},
                      {"compressor", std::move(compressor)},
                      {"dimension_separator", "."},
                      {"dtype", array.dtype},
                      {"fill_value", array.fill},
                      {"filters", std::move(filters)},
                      {"order", "C"},
                      {"shape", shape_list(array.shape)},
                      {"zarr_format", Json::of(int64_t{2})}};
}

Json zarr2_consolidated(Json::Object documents) {
  return Json::Object{{"metadata", std::move(documents)}, {"zarr_consolidated_format", Json::of(int64_t{1})}};
}

Json zarr3_group(const std::optional<Json>& attributes) {
  return Json::Object{{"attributes", ordered_attributes(attributes)},
                      {"zarr_format", Json::of(int64_t{3})},
                      {"node_type", "group"}};
}

Json zarr3_array(const ZarrArray& array, const std::optional<Json>& attributes, const Zarr3Storage& storage) {
  const Shape& file = storage.shard ? *storage.shard : storage.chunk;
  return Json::Object{{"shape", shape_list(array.shape)},
                      {"data_type", data_type(array)},
                      {"chunk_grid", codec("regular", Json::Object{{"chunk_shape", shape_list(file)}})},
                      {"chunk_key_encoding", codec("default", Json::Object{{"separator", "/"}})},
                      {"fill_value", array.is_text() ? Json("") : array.fill},
                      {"codecs", codecs_of(array, storage)},
                      {"attributes", ordered_attributes(attributes)},
                      {"zarr_format", Json::of(int64_t{3})},
                      {"node_type", "array"},
                      {"storage_transformers", Json::List{}}};
}

Json zarr3_consolidated(const std::vector<Zarr3Node>& nodes) {
  std::vector<const Zarr3Node*> below;
  for (const Zarr3Node& node : nodes)
    if (!node.path.empty()) below.push_back(&node);
  // zarr-python folds the case of all of Unicode. No reader depends on the order.
  const auto place = [](const Zarr3Node* node) {
    return std::tuple(std::count(node->path.begin(), node->path.end(), '/'), lower_case(node->path));
  };
  std::stable_sort(below.begin(), below.end(),
                   [&](const Zarr3Node* a, const Zarr3Node* b) { return place(a) < place(b); });
  Json::Object documents;
  for (const Zarr3Node* const node : below)
    documents.emplace_back(node->path,
                           is_group(node->document) ? with_consolidated(node->document, {}) : node->document);
  return with_consolidated(nodes.front().document, std::move(documents));
}

}  // namespace plainfs
