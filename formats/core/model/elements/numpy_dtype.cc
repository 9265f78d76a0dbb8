#include "formats/core/model/elements/numpy_dtype.h"

#include <optional>

#include "formats/core/base/error.h"
#include "formats/core/text/parsed_number.h"

namespace plainfs {
namespace {

bool is_number_size(Kind kind, uint32_t size) {
  switch (kind) {
    case Kind::boolean:
      return size == 1;
    case Kind::integer:
    case Kind::unsigned_integer:
      return size == 1 || size == 2 || size == 4 || size == 8;
    case Kind::real:
      return size == 2 || size == 4 || size == 8;
    case Kind::complex:
      return size == 8 || size == 16;
    default:
      break;
  }
  return false;
}

std::optional<TimeUnit> parse_unit(std::string_view name) {
  static constexpr std::pair<std::string_view, TimeUnit> kUnits[] = {
      {"generic", TimeUnit::generic}, {"Y", TimeUnit::year},        {"M", TimeUnit::month},
      {"W", TimeUnit::week},          {"D", TimeUnit::day},         {"h", TimeUnit::hour},
      {"m", TimeUnit::minute},        {"s", TimeUnit::second},      {"ms", TimeUnit::milli},
      {"us", TimeUnit::micro},        {"\u03bcs", TimeUnit::micro}, {"ns", TimeUnit::nano},
      {"ps", TimeUnit::pico},         {"fs", TimeUnit::femto},      {"as", TimeUnit::atto}};
  for (const auto& [unit, value] : kUnits)
    if (unit == name) return value;
  return std::nullopt;
}

// rest: "8", "8[ns]", "8[10us]".
std::optional<DType> parse_time(Kind kind, std::string_view rest) {
  if (!rest.starts_with('8')) return std::nullopt;
  rest.remove_prefix(1);
  DType type = number_type(kind, 8);
  if (rest.empty()) return type;
  if (rest.size() < 3 || rest.front() != '[' || rest.back() != ']') return std::nullopt;
  rest = rest.substr(1, rest.size() - 2);
  const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits > 0) {
    const auto count = parsed_number<uint32_t>(rest.substr(0, digits));
    if (!count || *count == 0) return std::nullopt;
    type.time_count = *count;
  }
  const auto unit = parse_unit(rest.substr(digits));
  if (!unit) return std::nullopt;
  type.time_unit = *unit;
  return type;
}

std::optional<DType> parse_letter(char letter, std::string_view rest) {
  if (letter == 'M') return parse_time(Kind::time_point, rest);
  if (letter == 'm') return parse_time(Kind::time_span, rest);
  if (letter == 'O') return number_type(Kind::json, 0);
  const auto size = parsed_number<uint32_t>(rest);
  if (!size) return std::nullopt;
  switch (letter) {
    case 'S':
      return number_type(Kind::fixed_text, *size);
    case 'V':
      return number_type(Kind::opaque, *size);
    case 'U':
      if (*size > UINT32_MAX / 4) return std::nullopt;
      return number_type(Kind::fixed_utf32, *size * 4);
  }
  static constexpr std::pair<char, Kind> kNumbers[] = {{'b', Kind::boolean},
                                                       {'i', Kind::integer},
                                                       {'u', Kind::unsigned_integer},
                                                       {'f', Kind::real},
                                                       {'c', Kind::complex}};
  for (const auto& [key, kind] : kNumbers)
    if (key == letter && is_number_size(kind, *size)) return number_type(kind, *size);
  return std::nullopt;
}

// Parses numpy's names of its types ("int32"), which occur in configurations written by hand or by
// zarr-python 3.
std::optional<DType> parse_name(std::string_view name) {
  static constexpr std::pair<std::string_view, Kind> kStems[] = {{"int", Kind::integer},
                                                                 {"uint", Kind::unsigned_integer},
                                                                 {"float", Kind::real},
                                                                 {"complex", Kind::complex}};
  if (name == "bool") return number_type(Kind::boolean, 1);
  for (const auto& [stem, kind] : kStems) {
    if (!name.starts_with(stem)) continue;
    const auto bits = parsed_number<uint32_t>(name.substr(stem.size()));
    if (bits && *bits % 8 == 0 && is_number_size(kind, *bits / 8)) return number_type(kind, *bits / 8);
  }
  return std::nullopt;
}

}  // namespace

DType parse_numpy_dtype(std::string_view text) {
  if (const auto named = parse_name(text)) return *named;
  std::string_view rest = text;
  char order = '|';
  if (!rest.empty() && std::string_view("<>|=").find(rest.front()) != std::string_view::npos) {
    order = rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty()) throw unsupported("dtype \"{}\"", text);
  auto type = parse_letter(rest.front(), rest.substr(1));
  if (!type) throw unsupported("dtype \"{}\"", text);
  type->big_endian = order == '>';
  return *type;
}

}  // namespace plainfs
