#include "fs/serve/http/byte_ranges.h"

#include <algorithm>
#include <optional>

#include "formats/core/text/ascii.h"
#include "formats/core/text/trimmed.h"
#include "fs/serve/http/field_text.h"

namespace plainfs::serve {
namespace {

// One of "0-9", "10-" and "-5" in the field.
struct RangeText {
  std::optional<uint64_t> first;
  std::optional<uint64_t> last;  // without first: number of bytes at the end
};

// Parses a number. A number that is too large becomes the largest one: no file has that many bytes.
std::optional<uint64_t> number_of(std::string_view digits) {
  uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<uint64_t>(c - '0');
    value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
  }
  return value;
}

std::optional<RangeText> parse_range_text(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos || text.size() == 1) return std::nullopt;
  const std::string_view first = text.substr(0, dash), last = text.substr(dash + 1);
  RangeText range;
  if (!first.empty() && !(range.first = number_of(first))) return std::nullopt;
  if (!last.empty() && !(range.last = number_of(last))) return std::nullopt;
  if (range.first && range.last && *range.last < *range.first) return std::nullopt;
  return range;
}

// Returns nullopt if the range is behind the end.
std::optional<ByteRange> of_file(const RangeText& range, uint64_t size) {
  if (size == 0) return std::nullopt;
  if (!range.first) {
    const uint64_t length = std::min(*range.last, size);
    if (length == 0) return std::nullopt;
    return ByteRange{size - length, size - 1};
  }
  if (*range.first >= size) return std::nullopt;
  return ByteRange{*range.first, std::min(range.last.value_or(size - 1), size - 1)};
}

}  // namespace

WantedBytes wanted_bytes(std::string_view field, uint64_t size) {
  const size_t equals = field.find('=');
  if (equals == std::string_view::npos || !is_same_in_any_case(trimmed(field.substr(0, equals)), "bytes"))
    return {};
  WantedBytes wanted;
  size_t requested = 0;
  for (const std::string_view text : list_items(field.substr(equals + 1))) {
    const std::optional<RangeText> range = parse_range_text(text);
    if (!range || ++requested > kMaxRanges) return {};
    if (const std::optional<ByteRange> part = of_file(*range, size)) wanted.parts.push_back(*part);
  }
  if (requested == 0) return {};
  uint64_t left = size;
  for (const ByteRange& part : wanted.parts) {
    if (part.length() > left) return {};
    left -= part.length();
  }
  wanted.kind = wanted.parts.empty() ? WantedBytes::Kind::kNone : WantedBytes::Kind::kParts;
  return wanted;
}

}  // namespace plainfs::serve
