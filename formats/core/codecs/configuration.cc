#include "formats/core/codecs/configuration.h"

#include <charconv>
#include <cmath>

#include "formats/core/base/encode.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/elements/numpy_dtype.h"

namespace plainfs {
namespace {

// Returns the member, or null if it is absent or JSON's null.
const Json* member(const Json& configuration, std::string_view name) {
  const Json* value = configuration.find(name);
  return value && !value->is_null() ? value : nullptr;
}

[[noreturn]] void wrong(std::string_view name, const Json& value) {
  throw damaged("invalid codec member \"{}\": {}", name, to_json_text(value));
}

std::optional<uint64_t> optional_member(const Json& configuration, std::string_view name, uint64_t most) {
  const Json* value = member(configuration, name);
  if (!value) return std::nullopt;
  const auto number = value->as_uint64();
  if (!number || *number > most) wrong(name, *value);
  return number;
}

LzmaFilter lzma_filter(const Json& filter) {
  const auto small = [&filter](std::string_view name) -> std::optional<uint32_t> {
    return optional_member(filter, name, UINT32_MAX);
  };
  const auto id = optional_member(filter, "id", UINT64_MAX);
  if (!id) throw damaged("lzma: invalid filter {}", to_json_text(filter));
  LzmaFilter out;
  out.id = *id;
  out.preset = small("preset").value_or(out.preset);
  out.dictionary_bytes = small("dict_size");
  out.lc = small("lc");
  out.lp = small("lp");
  out.pb = small("pb");
  out.distance = small("dist").value_or(out.distance);
  return out;
}

}  // namespace

uint64_t size_member(const Json& configuration, std::string_view name, uint64_t fallback) {
  const Json* value = member(configuration, name);
  if (!value) return fallback;
  const auto number = value->as_uint64();
  if (!number) wrong(name, *value);
  return *number;
}

double number_member(const Json& configuration, std::string_view name, double fallback) {
  const Json* value = member(configuration, name);
  if (!value) return fallback;
  const auto number = value->as_double();
  if (!number || !std::isfinite(*number)) wrong(name, *value);
  return *number;
}

std::string text_member(const Json& configuration, std::string_view name, std::string_view fallback) {
  const Json* value = member(configuration, name);
  if (!value) return std::string(fallback);
  if (!value->text()) wrong(name, *value);
  return *value->text();
}

ChecksumPlace place_member(const Json& configuration, ChecksumPlace fallback) {
  const Json* value = member(configuration, "location");
  if (!value) return fallback;
  if (value->text() && *value->text() == "start") return ChecksumPlace::start;
  if (value->text() && *value->text() == "end") return ChecksumPlace::end;
  wrong("location", *value);
}

DType dtype_member(const Json& configuration, std::string_view name, const DType& fallback) {
  const Json* value = member(configuration, name);
  if (!value) return fallback;
  if (!value->text()) wrong(name, *value);
  return parse_numpy_dtype(*value->text());
}

LzmaConfiguration lzma_configuration(const Json& configuration) {
  LzmaConfiguration out;
  const uint64_t format = size_member(configuration, "format", 1);
  if (format < 1 || format > 3) throw damaged("lzma: invalid format {}", format);
  out.format = static_cast<LzmaFormat>(format);
  const Json* filters = member(configuration, "filters");
  if (!filters) {
    if (out.format == LzmaFormat::raw) throw damaged("lzma: raw data without filters");
    return out;
  }
  if (!filters->list()) wrong("filters", *filters);
  for (const Json& filter : *filters->list()) out.filters.push_back(lzma_filter(filter));
  return out;
}

std::vector<std::string> labels_member(const Json& configuration) {
  const Json* labels = member(configuration, "labels");
  if (!labels || !labels->list()) throw damaged("categorize: labels is missing");
  std::vector<std::string> out;
  for (const Json& label : *labels->list()) {
    if (!label.text()) wrong("labels", *labels);
    out.push_back(*label.text());
  }
  return out;
}

CodecPtr jenkins_lookup3_from(const Json& configuration) {
  Bytes prefix;
  if (const Json* bytes = member(configuration, "prefix")) {
    if (!bytes->list()) wrong("prefix", *bytes);
    for (const Json& byte : *bytes->list()) {
      const auto value = byte.as_uint64();
      if (!value || *value > 255) wrong("prefix", *bytes);
      prefix.push_back(static_cast<std::byte>(*value));
    }
  }
  const uint64_t initial = optional_member(configuration, "initval", UINT32_MAX).value_or(0);
  return jenkins_lookup3_codec(static_cast<uint32_t>(initial), std::move(prefix));
}

CodecPtr packbits_v3_from(const Json& configuration, const DType& type) {
  const std::string padding = text_member(configuration, "padding_encoding", "none");
  static constexpr std::pair<std::string_view, PackbitsPadding> kPaddings[] = {
      {"none", PackbitsPadding::none},
      {"first_byte", PackbitsPadding::first_byte},
      {"last_byte", PackbitsPadding::last_byte}};
  for (const auto& [name, place] : kPaddings)
    if (name == padding)
      return packbits_v3_codec(place, size_member(configuration, "first_bit", 0),
                               optional_member(configuration, "last_bit", UINT64_MAX), type);
  throw damaged("packbits: invalid padding_encoding \"{}\"", padding);
}

namespace {

bool is_real(const DType& type) {
  return type.kind == Kind::real;
}

std::optional<Scalar> parse_text(const std::string& text, const DType& type) {
  if (!is_real(type)) return std::nullopt;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return Scalar{false, 0, std::numeric_limits<double>::quiet_NaN()};
  if (text == "Infinity") return Scalar{false, 0, kInfinity};
  if (text == "-Infinity") return Scalar{false, 0, -kInfinity};
  if (!text.starts_with("0x") || text.size() != 2 + 2 * size_t{type.size}) return std::nullopt;
  uint64_t bits = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + 2, end, bits, 16).ptr != end) return std::nullopt;
  std::byte stored[8];
  put_little(stored, bits, sizeof stored);
  return load_scalar(stored, type);
}

}  // namespace

Scalar parse_v3_scalar(const Json& value, const DType& type) {
  std::optional<Scalar> scalar;
  if (value.text()) {
    scalar = parse_text(*value.text(), type);
  } else if (is_real(type)) {
    if (const auto number = value.as_double()) scalar = Scalar{false, 0, *number};
  } else if (value.boolean()) {
    scalar = Scalar{true, *value.boolean() ? 1 : 0, 0};
  } else if (const auto number = value.as_int64()) {
    scalar = Scalar{true, *number, 0};
  } else if (const auto large = value.as_uint64()) {
    scalar = Scalar{true, static_cast<Int128>(*large), 0};
  }
  if (!scalar || (scalar->is_integer && !fits(scalar->integer, type)))
    throw damaged("{} is not a valid {}", to_json_text(value), type.name());
  return *scalar;
}

DType parse_v3_number_type(const Json& value) {
  const Json* name = value.object() ? value.find("name") : &value;
  if (!name || !name->text()) throw damaged("invalid data type {}", to_json_text(value));
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"bool", "b1"},   {"int8", "i1"},    {"int16", "i2"},   {"int32", "i4"},
      {"int64", "i8"},  {"uint8", "u1"},   {"uint16", "u2"},  {"uint32", "u4"},
      {"uint64", "u8"}, {"float16", "f2"}, {"float32", "f4"}, {"float64", "f8"}};
  for (const auto& [v3, numpy] : kTypes)
    if (v3 == *name->text()) return parse_numpy_dtype(numpy);
  throw unsupported("data type {}", *name->text());
}

Scalar load_scalar(const std::byte* at, const DType& type) {
  return visit_number(type, [at](auto kind) {
    using T = decltype(kind);
    const T value = load_stored<T>(at, false);
    if constexpr (std::is_integral_v<T>)
      return Scalar{true, static_cast<Int128>(value), 0};
    else
      return Scalar{false, 0, number_cast<double>(value)};
  });
}

void store_scalar(const Scalar& value, const DType& type, std::byte* at) {
  visit_number(type, [&](auto kind) {
    using T = decltype(kind);
    if constexpr (std::is_integral_v<T>)
      store(static_cast<T>(value.integer), false, at);
    else
      store(
          value.is_integer ? number_cast<T>(static_cast<double>(value.integer)) : number_cast<T>(value.real),
          false, at);
  });
}

bool fits(Int128 value, const DType& type) {
  if (is_real(type)) return true;
  if (type.kind == Kind::boolean) return value == 0 || value == 1;
  const unsigned bits = type.size * 8;
  const Int128 one = 1;
  if (type.kind == Kind::unsigned_integer) return value >= 0 && value < one << bits;
  return value >= -(one << (bits - 1)) && value < one << (bits - 1);
}

}  // namespace plainfs
