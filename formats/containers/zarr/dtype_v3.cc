#include <optional>

#include "formats/containers/zarr/extension.h"
#include "formats/containers/zarr/json_members.h"
#include "formats/core/model/elements/numpy_dtype.h"
#include "formats/core/text/parsed_number.h"

namespace plainfs::zarr {
namespace {

// Core types (zarr-specs v3, data types) and the numpy dtypes of the same meaning.
constexpr std::pair<std::string_view, std::string_view> kCoreTypes[] = {
    {"bool", "|b1"},      {"int8", "|i1"},        {"int16", "<i2"},           {"int32", "<i4"},
    {"int64", "<i8"},     {"uint8", "|u1"},       {"uint16", "<u2"},          {"uint32", "<u4"},
    {"uint64", "<u8"},    {"float16", "<f2"},     {"float32", "<f4"},         {"float64", "<f8"},
    {"complex64", "<c8"}, {"complex128", "<c16"}, {"complex_float32", "<c8"}, {"complex_float64", "<c16"}};

// Types that zarr-extensions and zarr-python define with a length.
constexpr std::pair<std::string_view, Kind> kSizedTypes[] = {{"raw_bytes", Kind::opaque},
                                                             {"null_terminated_bytes", Kind::fixed_text},
                                                             {"fixed_length_utf32", Kind::fixed_utf32}};

DType sized_type(Kind kind, uint64_t bytes) {
  if (bytes == 0 || bytes > UINT32_MAX) throw unsupported("data type of {} bytes", bytes);
  if (kind == Kind::fixed_utf32 && bytes % 4 != 0)
    throw damaged("UTF-32 text of {} bytes, expected a multiple of 4", bytes);
  return number_type(kind, static_cast<uint32_t>(bytes));
}

// Parses "r24": opaque elements of that number of bits.
std::optional<DType> raw_bits(std::string_view name) {
  if (!name.starts_with('r')) return std::nullopt;
  const std::optional<uint64_t> bits = parsed_number<uint64_t>(name.substr(1));
  if (!bits) return std::nullopt;
  if (*bits % 8 != 0) throw damaged("data type \"{}\" is not a whole number of bytes", name);
  return sized_type(Kind::opaque, *bits / 8);
}

DType time_type(char letter, const Json& configuration) {
  const std::string unit = required_text(configuration, "unit");
  const Json* factor = configuration.find("scale_factor");
  const uint64_t count = factor ? to_length(*factor, "scale_factor") : 1;
  return parse_numpy_dtype(fmt::format("<{}8[{}{}]", letter, count, unit));
}

// Parses a record. A field is {"name", "data_type"}, or a pair in the older "structured".
DType struct_type(const Json& configuration) {
  const Json& list = required(configuration, "fields");
  if (!list.list() || list.list()->empty()) throw damaged("a struct has no fields");
  std::vector<Field> fields;
  for (const Json& field : *list.list()) {
    if (const Json::List* pair = field.list()) {
      if (pair->size() != 2 || !(*pair)[0].text())
        throw damaged("a field of a struct is not a pair of name and type");
      fields.push_back({*(*pair)[0].text(), parse_v3_dtype((*pair)[1])});
    } else {
      fields.push_back({required_text(field, "name"), parse_v3_dtype(required(field, "data_type"))});
    }
    if (!fields.back().type.fixed_size())
      throw unsupported("struct with a field of {}", fields.back().type.name());
  }
  return named_record(std::move(fields));
}

}  // namespace

Extension parse_extension(const Json& value, std::string_view what) {
  if (const std::string* name = value.text()) return {*name, Json::Object{}};
  if (!value.object()) throw damaged("invalid {}: {}", what, to_json_text(value).substr(0, 80));
  const Json* configuration = value.find("configuration");
  const bool has_configuration = configuration && !configuration->is_null();
  Extension extension{required_text(value, "name"),
                      has_configuration ? *configuration : Json(Json::Object{})};
  if (!extension.configuration.object())
    throw damaged("the configuration of {} is not an object", extension.name);
  return extension;
}

DType parse_v3_dtype(const Json& data_type) {
  const Extension type = parse_extension(data_type, "data_type");
  for (const auto& [name, numpy] : kCoreTypes) {
    if (type.name == name) return parse_numpy_dtype(numpy);
  }
  for (const auto& [name, kind] : kSizedTypes) {
    if (type.name == name) {
      return sized_type(kind, to_length(required(type.configuration, "length_bytes"), "length_bytes"));
    }
  }
  if (type.name == "string") return text_type();
  if (type.name == "bytes" || type.name == "variable_length_bytes") return number_type(Kind::blob, 0);
  if (type.name == "numpy.datetime64") return time_type('M', type.configuration);
  if (type.name == "numpy.timedelta64") return time_type('m', type.configuration);
  if (type.name == "struct" || type.name == "structured") return struct_type(type.configuration);
  if (const auto raw = raw_bits(type.name)) return *raw;
  throw unsupported("data type \"{}\"", type.name);
}

}  // namespace plainfs::zarr
