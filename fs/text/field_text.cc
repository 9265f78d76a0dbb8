#include "fs/text/field_text.h"

#include <algorithm>

#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/text/utf8.h"

namespace plainfs {

namespace {

constexpr std::string_view kNaField = "NA";

// Calls visit(first, end) for each run of elements of [first, end) that are not missing.
template <class Visit>
void for_present(const Elements& elements, uint64_t first, uint64_t end, Visit&& visit) {
  if (elements.missing.empty()) return visit(first, end);
  const auto begin = elements.missing.begin();
  for (uint64_t at = first; at < end;) {
    const auto from = std::find(begin + static_cast<ptrdiff_t>(at), begin + static_cast<ptrdiff_t>(end), 0);
    const auto to =
        std::find_if(from, begin + static_cast<ptrdiff_t>(end), [](uint8_t na) { return na != 0; });
    if (from != to) visit(static_cast<uint64_t>(from - begin), static_cast<uint64_t>(to - begin));
    at = static_cast<uint64_t>(to - begin);
  }
}

struct CharacterKinds {
  bool are_special = false;  // a text with one of them is quoted
  bool are_beyond_ascii = false;
};

CharacterKinds character_kinds(std::string_view text) {
  bool special = false, beyond_ascii = false;  // no early exit, so that the loop is vectorized
  for (const char c : text) {
    special |= (c == ',') | (c == '"') | (c == '\r') | (c == '\n');
    beyond_ascii |= (c & 0x80) != 0;
  }
  return {special, beyond_ascii};
}

uint64_t text_field_length(std::string_view text) {
  CountingSink count;
  put_csv_text(text, count);
  return count.size();
}

// Texts side by side are looked through at once. Those of a piece with a character that may need quotes, or
// beyond ASCII, are then looked at one by one.
uint64_t text_field_lengths(const Elements& elements, uint64_t first, uint64_t end) {
  constexpr uint64_t kAtOnce = 128;
  uint64_t sum = 0;
  for (; first < end; first += std::min(kAtOnce, end - first)) {
    const uint64_t last = first + std::min(kAtOnce, end - first);
    const uint64_t size = elements.offsets[last] - elements.offsets[first];
    const std::string_view all = as_text(elements.bytes).substr(elements.offsets[first], size);
    if (const CharacterKinds found = character_kinds(all); found.are_special || found.are_beyond_ascii) {
      for (uint64_t i = first; i < last; ++i) sum += text_field_length(elements.text(i));
      continue;
    }
    sum += size;
    for (uint64_t i = first; i < last; ++i) {
      const uint64_t length = elements.offsets[i + 1] - elements.offsets[i];
      const bool is_quoted = length == 0 || (length == kNaField.size() && elements.text(i) == kNaField);
      sum += is_quoted ? 2 : 0;
    }
  }
  return sum;
}

}  // namespace

bool needs_quotes(std::string_view text) {
  if (text.empty() || text == "NA") return true;
  const CharacterKinds found = character_kinds(text);
  if (found.are_beyond_ascii) check_utf8(text);
  return found.are_special;
}

void append_tsv_field(const DType& type, const Elements& elements, uint64_t i, std::string& out) {
  const size_t first = out.size();
  append_plain(type, elements, i, out);
  check_utf8(std::string_view(out).substr(first));
  std::replace_if(
      out.begin() + static_cast<ptrdiff_t>(first), out.end(),
      [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
}

std::vector<int8_t> csv_widths_beyond_zero(const DType& type, const Elements& elements) {
  std::string scratch;
  const auto width = [&](const Elements& values, uint64_t i) {
    CountingSink count;
    put_csv_field(type, values, i, scratch, count);
    return static_cast<int64_t>(count.size());
  };
  const int64_t zero_width = width(zero_elements(type, 1), 0);
  std::vector<int8_t> widths(elements.count);
  if (!type.is_integer_or_real() || !elements.missing.empty()) {
    for (uint64_t i = 0; i < elements.count; ++i)
      widths[i] = static_cast<int8_t>(width(elements, i) - zero_width);
    return widths;
  }
  visit_number(type, [&](auto zero) {
    const auto values = elements.values<decltype(zero)>();
    for (uint64_t i = 0; i < elements.count; ++i)
      widths[i] = static_cast<int8_t>(static_cast<int64_t>(number_length(values[i])) - zero_width);
  });
  return widths;
}

uint64_t csv_field_lengths(const DType& type, const Elements& elements, uint64_t first, uint64_t count) {
  const uint64_t end = first + count;
  const bool is_by_run = type.is_integer_or_real() || type.kind == Kind::boolean || type.kind == Kind::text;
  if (!is_by_run) {
    CountingSink fields;
    std::string scratch;
    for (uint64_t i = first; i < end; ++i) put_csv_field(type, elements, i, scratch, fields);
    return fields.size();
  }
  uint64_t sum = 0, present = 0;
  for_present(elements, first, end, [&](uint64_t from, uint64_t to) {
    present += to - from;
    if (type.kind == Kind::text) {
      sum += text_field_lengths(elements, from, to);
    } else if (type.kind == Kind::boolean) {
      for (uint64_t i = from; i < to; ++i) sum += elements.values<uint8_t>()[i] ? 4 : 5;
    } else {
      visit_number(type, [&](auto zero) {
        sum += number_lengths(elements.values<decltype(zero)>().subspan(from, to - from));
      });
    }
  });
  return sum + (count - present) * kNaField.size();
}

uint64_t typical_width(const DType& type) {
  constexpr uint64_t kMaxWidth = 1 << 20;
  switch (type.kind) {
    case Kind::boolean:
    case Kind::logical:
      return 6;
    case Kind::integer:
    case Kind::unsigned_integer:
      return type.size == 1 ? 3 : type.size == 2 ? 4 : 6;
    case Kind::real:
      return type.size == 8 ? 16 : type.size == 4 ? 10 : 7;
    case Kind::complex:
      return type.size == 16 ? 36 : 20;
    case Kind::enumeration:
      return 10;
    case Kind::time_point:
    case Kind::time_span:
    case Kind::counted_time:
      return 24;
    case Kind::fixed_text:
      return 1 + type.size;
    case Kind::fixed_utf32:
      return 1 + type.size / 4;
    case Kind::opaque:
      return 1 + uint64_t{2} * type.size;
    case Kind::array: {
      uint64_t width = typical_width(*type.item);
      for (const uint64_t length : type.dims)
        width = length == 0 || width > kMaxWidth / length ? kMaxWidth : width * length;
      return width;
    }
    case Kind::compound: {
      uint64_t width = 1;
      for (const Field& field : type.fields) width += typical_width(field.type);
      return width;
    }
    case Kind::text:
    case Kind::blob:
    case Kind::reference:
      return 24;
    case Kind::sequence:
    case Kind::json:
      return 64;
  }
  return 16;
}

uint64_t sampled_width(const Array& array) {
  constexpr uint64_t kSample = 64;
  const DType& type = array.dtype();
  const uint64_t count = std::min(kSample, array.count());
  if (type.size > 0 || type.kind == Kind::compound || type.kind == Kind::array || count == 0)
    return typical_width(type);
  const Elements sample = read_run(array, 0, count);
  if (type.kind == Kind::sequence)
    return sample.children[0].count * (typical_width(*type.item) + 1) / count + 2;
  return sample.bytes.size() * (type.kind == Kind::blob ? 2 : 1) / count + 1;
}

}  // namespace plainfs
