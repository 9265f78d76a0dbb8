#include "formats/containers/zarr/fill.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "formats/core/base/checked.h"
#include "formats/core/codecs/codecs.h"
#include "formats/core/model/elements/object_text.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/utf8.h"

namespace plainfs::zarr {
namespace {

// Text is short, and the type bounds the bytes of a record.
constexpr uint64_t kMaxFillBytes = uint64_t{1} << 24;

Error wrong(const Json& fill, const DType& dtype) {
  return damaged("fill value {} is not a valid {}", to_json_text(fill).substr(0, 80), dtype.name());
}

Bytes from_base64(const std::string& text) {
  const ByteSpan bytes = as_byte_span(text);
  return make_zarr_codec("base64", Json::Object{}, number_type(Kind::unsigned_integer, 1))
      ->decode(Bytes(bytes.begin(), bytes.end()), DecodedSize::at_most(kMaxFillBytes));
}

// Parses base64 or a list of byte values.
Bytes bytes_of(const Json& fill, const DType& dtype) {
  if (const std::string* text = fill.text()) return from_base64(*text);
  if (!fill.list()) throw wrong(fill, dtype);
  Bytes bytes;
  for (const Json& item : *fill.list()) {
    const auto byte = item.as_uint64();
    if (!byte || *byte > 255) throw wrong(fill, dtype);
    bytes.push_back(static_cast<std::byte>(*byte));
  }
  return bytes;
}

// Returns value rounded to odd. Rounding the result to float16 then equals rounding value itself.
float odd_float(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || !std::isfinite(nearest)) return nearest;
  const float toward_zero =
      std::abs(static_cast<double>(nearest)) > std::abs(value) ? std::nextafterf(nearest, 0.0F) : nearest;
  uint32_t bits;
  std::memcpy(&bits, &toward_zero, sizeof bits);
  bits |= 1;
  float odd;
  std::memcpy(&odd, &bits, sizeof odd);
  return odd;
}

// Parses text as a number in JSON or C notation ("inf", "-nan", "1."). Returns nullopt if it is not a number.
std::optional<Json> number_in(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('+')) text.remove_prefix(1);
  try {
    if (Json parsed = parse_json(text); parsed.number() || parsed.boolean()) return parsed;
  } catch (const Error&) {
    // not JSON
  }
  if (text == "True" || text == "False") return Json(text == "True");
  const std::optional<double> value = parsed_number<double>(text);
  return value ? std::optional(Json::of(*value)) : std::nullopt;
}

// Returns fill without the wrapping of some writers: netcdf-c writes a list, n5-zarr a quoted number.
Json unwrapped(const Json& fill) {
  if (fill.list() && fill.list()->size() == 1) return unwrapped(fill.list()->front());
  if (const std::string* text = fill.text())
    if (std::optional<Json> number = number_in(*text)) return *std::move(number);
  return fill;
}

// Parses "0x7fc00000": the bits, the most significant first, as wide as the type (v3).
std::optional<uint64_t> bits_of(const std::string& text, size_t size) {
  if (!text.starts_with("0x") || text.size() != 2 + 2 * size) return std::nullopt;
  return parsed_number<uint64_t>(std::string_view(text).substr(2), 16);
}

template <class T>
T real_of(const Json& fill, const DType& dtype) {
  static_assert(std::endian::native == std::endian::little, "the low bytes of the bits come first");
  if (const std::string* text = fill.text()) {
    if (const auto bits = bits_of(*text, sizeof(T))) {
      T value;
      std::memcpy(&value, &*bits, sizeof value);
      return value;
    }
  }
  const auto value = unwrapped(fill).as_double();
  if (!value) throw wrong(fill, dtype);
  if constexpr (std::is_same_v<T, Half>)
    return to_half(odd_float(*value));
  else
    return static_cast<T>(*value);
}

// Parses an integer, which may be written as 3.0.
template <class T>
T integer_of(const Json& fill, const DType& dtype) {
  if (const auto value = fill.as_int64(); value && std::in_range<T>(*value)) return static_cast<T>(*value);
  if (const auto value = fill.as_uint64(); value && std::in_range<T>(*value)) return static_cast<T>(*value);
  const auto real = fill.as_double();
  constexpr double kExactlyIntegral = 9007199254740992;  // 2^53
  if (!real || std::trunc(*real) != *real || std::abs(*real) > kExactlyIntegral) throw wrong(fill, dtype);
  const auto value = static_cast<int64_t>(*real);
  if (!std::in_range<T>(value)) throw wrong(fill, dtype);
  return static_cast<T>(value);
}

template <class T>
void put(T value, Bytes& bytes) {
  const auto* at = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), at, at + sizeof value);
}

void put_real(const Json& fill, const DType& dtype, uint32_t size, Bytes& bytes) {
  if (size == 2)
    put(real_of<Half>(fill, dtype), bytes);
  else if (size == 4)
    put(real_of<float>(fill, dtype), bytes);
  else
    put(real_of<double>(fill, dtype), bytes);
}

// Appends a complex number given as a pair of reals or one real.
void put_complex(const Json& fill, const DType& dtype, Bytes& bytes) {
  const uint32_t part = dtype.size / 2;
  const Json::List* parts = fill.list();
  if (parts && parts->size() == 1) return put_complex(parts->front(), dtype, bytes);
  if (parts) {
    if (parts->size() != 2) throw wrong(fill, dtype);
    put_real((*parts)[0], dtype, part, bytes);
    put_real((*parts)[1], dtype, part, bytes);
  } else {
    put_real(fill, dtype, part, bytes);
    bytes.resize(2 * part, std::byte{0});
  }
}

void put_number(const Json& stored, const DType& dtype, Bytes& bytes) {
  if (dtype.kind == Kind::real) return put_real(stored, dtype, dtype.size, bytes);
  const Json fill = unwrapped(stored);
  if (dtype.kind == Kind::boolean) {
    const bool* truth = fill.boolean();
    const uint8_t value = truth ? uint8_t{*truth} : integer_of<uint8_t>(fill, dtype);
    if (value > 1) throw wrong(fill, dtype);
    return put(value, bytes);
  }
  if (dtype.kind == Kind::time_point || dtype.kind == Kind::time_span) {
    const std::string* text = fill.text();
    const bool not_a_time = text && *text == "NaT";
    return put(not_a_time ? std::numeric_limits<int64_t>::min() : integer_of<int64_t>(fill, dtype), bytes);
  }
  visit_number(dtype, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) put(integer_of<T>(fill, dtype), bytes);
  });
}

// Appends UTF-8 text as UTF-32 in native byte order, padded with NULs.
void put_utf32(const Json& fill, const DType& dtype, Bytes& bytes) {
  if (fill.list() && fill.list()->size() == 1) return put_utf32(fill.list()->front(), dtype, bytes);
  const std::string* text = fill.text();
  if (!text) throw wrong(fill, dtype);
  if (!is_utf8(*text)) throw wrong(fill, dtype);
  for (const uint32_t code : code_points(*text)) put(code, bytes);
  if (bytes.size() > dtype.size) throw wrong(fill, dtype);
  bytes.resize(dtype.size, std::byte{0});
}

// Returns the element stored as bytes of a fixed-size type. Shorter bytes are padded with NULs.
Elements from_stored(Bytes bytes, const Json& fill, const DType& dtype) {
  if (bytes.size() > dtype.size) throw wrong(fill, dtype);
  bytes.resize(dtype.size, std::byte{0});
  return unpack(dtype, bytes, 1);
}

// Parses base64, or takes the text itself if it is not base64 (netcdf-c).
Elements fixed_text_fill(const Json& fill, const DType& dtype) {
  if (fill.list() && fill.list()->size() == 1 && fill.list()->front().text())
    return fixed_text_fill(fill.list()->front(), dtype);
  try {
    return from_stored(bytes_of(fill, dtype), fill, dtype);
  } catch (const Error&) {
    if (!fill.text() || fill.text()->size() > dtype.size) throw;
  }
  const ByteSpan text = as_byte_span(*fill.text());
  return from_stored(Bytes(text.begin(), text.end()), fill, dtype);
}

Elements one_text(std::string_view text) {
  TextBuilder builder(1);
  builder.add(text);
  return builder.finish();
}

Elements json_fill(Json fill) {
  TextBuilder builder(1);
  add_json_element(fill, builder);
  return builder.finish();
}

Elements null_fill(const DType& dtype) {
  return dtype.kind == Kind::json ? json_fill(nullptr) : zero_elements(dtype, 1);
}

Elements number_fill(const Json& fill, const DType& dtype) {
  Elements elements;
  elements.count = 1;
  if (dtype.kind == Kind::complex)
    put_complex(fill, dtype, elements.bytes);
  else if (dtype.kind == Kind::fixed_utf32)
    put_utf32(fill, dtype, elements.bytes);
  else
    put_number(fill, dtype, elements.bytes);
  return elements;
}

bool is_zero(const Json& fill) {
  const auto number = fill.as_double();
  return number && *number == 0;
}

// Parses a list of items, or an empty sequence (0, "").
Elements sequence_fill(const Json& fill, const DType& dtype) {
  Elements elements = zero_elements(dtype, 1);
  if (is_zero(fill) || (fill.text() && fill.text()->empty())) return elements;
  if (!fill.list()) throw wrong(fill, dtype);
  for (const Json& item : *fill.list())
    append(*dtype.item, elements.children[0], v2_fill(item, *dtype.item), 0, 1);
  elements.offsets[1] = fill.list()->size();
  return elements;
}

// Parses the fill value of a structured dtype with object members. It is always a pickle of the integer 0,
// since zarr-python cannot write any other. The pickle is "K", a zero byte and ".", from protocol 2 on after
// "\x80" and the protocol.
Elements pickled_record_fill(const Json& fill, const DType& dtype) {
  const Bytes bytes = bytes_of(fill, dtype);
  std::string_view pickle = as_text(bytes);
  if (pickle.starts_with('\x80') && pickle.size() > 1) pickle.remove_prefix(2);
  if (pickle != std::string_view("K\0.", 3)) throw wrong(fill, dtype);
  Elements elements;
  elements.count = 1;
  for (const Field& field : dtype.fields) {
    const bool object = field.type.kind == Kind::json;
    elements.children.push_back(object ? one_text("0") : v2_fill(nullptr, field.type));
  }
  return elements;
}

}  // namespace

Elements v2_fill(const Json& fill, const DType& dtype) {
  if (fill.is_null()) return null_fill(dtype);
  switch (dtype.kind) {
    case Kind::text:  // zarr-python 2 writes the number 0 for every object array
      return one_text(fill.text() ? *fill.text() : to_json_text(fill));
    case Kind::json:
      return json_fill(fill);
    case Kind::blob:
      if (fill.text()) return v3_fill(fill, dtype);
      return one_text(to_json_text(fill));
    case Kind::sequence:
      return sequence_fill(fill, dtype);
    case Kind::compound:
      if (!dtype.fixed_size()) return pickled_record_fill(fill, dtype);
      [[fallthrough]];
    case Kind::opaque:
      if (is_zero(fill)) return zero_elements(dtype, 1);
      return from_stored(bytes_of(fill, dtype), fill, dtype);
    case Kind::fixed_text:
      if (is_zero(fill)) return zero_elements(dtype, 1);
      return fixed_text_fill(fill, dtype);
    case Kind::fixed_utf32:
      if (is_zero(fill)) return zero_elements(dtype, 1);
      return number_fill(fill, dtype);
    default:
      break;
  }
  return number_fill(fill, dtype);
}

Elements v3_fill(const Json& fill, const DType& dtype) {
  if (fill.is_null()) return null_fill(dtype);
  switch (dtype.kind) {
    case Kind::text:
      if (!fill.text()) throw wrong(fill, dtype);
      return one_text(*fill.text());
    case Kind::blob:
      return one_text(as_text(bytes_of(fill, dtype)));
    case Kind::fixed_text:
    case Kind::opaque:
      return from_stored(bytes_of(fill, dtype), fill, dtype);
    case Kind::compound: {
      if (fill.text()) return from_stored(bytes_of(fill, dtype), fill, dtype);
      Elements elements;
      elements.count = 1;
      for (const Field& field : dtype.fields) {
        const Json* member = fill.find(field.name);
        if (!member) throw wrong(fill, dtype);
        elements.children.push_back(v3_fill(*member, field.type));
      }
      return elements;
    }
    default:
      break;
  }
  return number_fill(fill, dtype);
}

}  // namespace plainfs::zarr
