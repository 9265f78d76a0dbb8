#include "vectors.h"

#include <fmt/ranges.h>

#include <fstream>
#include <iterator>

#include "formats/core/base/bytes.h"
#include "formats/core/model/elements/numpy_dtype.h"
#include "formats/core/text/base64.h"
#include "formats/core/text/number_text.h"

namespace plainfs {
namespace {

// Reads a v2 dtype: text, or a list of [name, text].
DType read_dtype(const Json& json) {
  if (json.text()) return parse_numpy_dtype(*json.text());
  std::vector<Field> fields;
  for (const Json& field : *json.list())
    fields.push_back({*(*field.list())[0].text(), parse_numpy_dtype(*(*field.list())[1].text()), 0});
  return packed_compound_type(std::move(fields));
}

std::string element_text(const Json& element) {
  if (element.is_null()) return "missing";
  if (element.text()) return *element.text();
  std::vector<std::string> fields;
  for (const Json& field : *element.list()) fields.push_back(element_text(field));
  return fmt::format("{}", fmt::join(fields, " "));
}

CodecVector read_vector(const Json& json) {
  CodecVector vector;
  vector.name = *json.find("name")->text();
  vector.id = *json.find("id")->text();
  vector.configuration = *json.find("configuration");
  vector.dtype = read_dtype(*json.find("dtype"));
  vector.encoded = decode_base64(*json.find("encoded")->text());
  vector.is_object = json.find("elements") != nullptr;
  if (!vector.is_object) {
    vector.decoded = decode_base64(*json.find("decoded")->text());
    return vector;
  }
  for (const Json& length : *json.find("shape")->list()) vector.shape.push_back(*length.as_uint64());
  for (const Json& element : *json.find("elements")->list()) vector.elements.push_back(element_text(element));
  return vector;
}

std::string number_text(const DType& type, const Elements& elements, uint64_t i) {
  return visit_number(type, [&](auto kind) {
    char text[kNumberTextMax];
    return std::string(text, write_number(text, elements.values<decltype(kind)>()[i]));
  });
}

std::string one_text(const DType& type, const Elements& elements, uint64_t i) {
  if (elements.is_missing(i)) return "missing";
  std::string out;
  switch (type.kind) {
    case Kind::json:
    case Kind::text:
      return std::string(elements.text(i));
    case Kind::blob:
      append_hex(as_byte_span(elements.text(i)), out);
      return out;
    case Kind::fixed_text:
      append_hex(ByteSpan(elements.bytes).subspan(i * type.size, type.size), out);
      return out;
    case Kind::boolean:
      return elements.values<uint8_t>()[i] ? "true" : "false";
    case Kind::sequence: {
      std::vector<std::string> items;
      for (uint64_t k = elements.offsets[i]; k < elements.offsets[i + 1]; ++k)
        items.push_back(number_text(*type.item, elements.children[0], k));
      return fmt::format("[{}]", fmt::join(items, ","));
    }
    case Kind::compound: {
      std::vector<std::string> fields;
      for (size_t f = 0; f < type.fields.size(); ++f)
        fields.push_back(one_text(type.fields[f].type, elements.children[f], i));
      return fmt::format("{}", fmt::join(fields, " "));
    }
    default:
      return number_text(type, elements, i);
  }
}

}  // namespace

const std::vector<CodecVector>& codec_vectors() {
  static const std::vector<CodecVector> vectors = [] {
    std::ifstream file(PLAINFS_CODEC_VECTORS);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const Json json = parse_json(text);
    std::vector<CodecVector> all;
    for (const Json& vector : *json.list()) all.push_back(read_vector(vector));
    return all;
  }();
  return vectors;
}

std::vector<std::string> elements_text(const DType& type, const Elements& elements) {
  std::vector<std::string> all;
  for (uint64_t i = 0; i < elements.count; ++i) all.push_back(one_text(type, elements, i));
  return all;
}

}  // namespace plainfs
