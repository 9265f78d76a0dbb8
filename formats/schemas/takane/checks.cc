#include "formats/schemas/takane/checks.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "formats/containers/hdf5/container.h"

namespace plainfs::takane {
namespace {

constexpr uint64_t kRunRows = 65536;

bool digits(std::string_view text, size_t first, size_t count) {
  if (first + count > text.size()) return false;
  return std::all_of(text.begin() + first, text.begin() + first + count,
                     [](char c) { return c >= '0' && c <= '9'; });
}

int two_digits(std::string_view text, size_t first) {
  return (text[first] - '0') * 10 + text[first + 1] - '0';
}

}  // namespace

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  if (!digits(text, 0, 4) || !digits(text, 5, 2) || !digits(text, 8, 2)) return false;
  return two_digits(text, 5) <= 12 && two_digits(text, 8) <= 31;
}

bool is_date_time(std::string_view text) {
  if (text.size() < 20 || !is_date(text.substr(0, 10)) || (text[10] != 'T' && text[10] != 't')) return false;
  if (!digits(text, 11, 2) || text[13] != ':' || !digits(text, 14, 2) || text[16] != ':' ||
      !digits(text, 17, 2))
    return false;
  const int hour = two_digits(text, 11), minute = two_digits(text, 14), second = two_digits(text, 17);
  if (hour > 24 || minute > 59 || second > 60 || (hour == 24 && (minute || second))) return false;
  size_t at = 19;
  if (text[at] == '.') {
    const size_t first = ++at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      if (hour == 24 && text[at] != '0') return false;
      ++at;
    }
    if (at == first) return false;
  }
  const std::string_view zone = text.substr(at);
  if (zone == "Z" || zone == "z") return true;
  return zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && digits(zone, 1, 2) && zone[3] == ':' &&
         digits(zone, 4, 2) && two_digits(zone, 1) <= 23 && two_digits(zone, 4) <= 59;
}

void for_each_run(const Array& values, const std::function<void(uint64_t, const Elements&)>& visit) {
  const uint64_t rows = values.count();
  for (uint64_t first = 0; first < rows; first += kRunRows)
    visit(first, values.read(range(first, std::min(kRunRows, rows - first))));
}

std::string_view text_of(const DType& type, const Elements& elements, uint64_t i) {
  if (type.kind == Kind::fixed_text)
    return trim_padding(as_text(elements.bytes).substr(i * type.size, type.size), type.padding);
  return elements.text(i);
}

void require_no_null_strings(const Array& values, const std::string& what) {
  if (const std::optional<uint64_t> row = hdf5::first_null_string(values))
    throw damaged("{}: element {} is a NULL string", what, *row);
}

bool all_distinct(const Array& texts) {
  std::unordered_set<std::string> seen;
  bool distinct = true;
  for_each_run(texts, [&](uint64_t, const Elements& run) {
    for (uint64_t i = 0; i < run.count && distinct; ++i)
      distinct = seen.insert(std::string(text_of(texts.dtype(), run, i))).second;
  });
  return distinct;
}

}  // namespace plainfs::takane
