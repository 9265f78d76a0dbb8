#include "formats/core/codecs/v3_scalar.h"

#include <charconv>
#include <cmath>

#include "formats/core/model/number_cast.h"
#include "formats/core/model/numpy_dtype.h"

namespace plainfs {
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
  for (size_t i = 0; i < sizeof stored; ++i) stored[i] = static_cast<std::byte>(bits >> (8 * i) & 255);
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
    throw damaged("{} is no {}", to_json_text(value), type.name());
  return *scalar;
}

DType parse_v3_number_type(const Json& value) {
  const Json* name = value.object() ? value.find("name") : &value;
  if (!name || !name->text()) throw damaged("data type {}", to_json_text(value));
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
