#include "tests/golden/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace plainfs::golden {
namespace {

using nlohmann::json;

std::string_view line_at(std::string_view text, size_t at) {
  const size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return text.substr(start, std::min<size_t>(text.find('\n', at), start + 120) - start);
}

std::string first_difference(std::string_view want, std::string_view got) {
  const auto at = static_cast<size_t>(std::mismatch(want.begin(), want.end(), got.begin(), got.end()).first -
                                      want.begin());
  return fmt::format("{} bytes expected, {} got; byte {}, line {}: expected '{}', got '{}'", want.size(),
                     got.size(), at,
                     1 + std::count(want.begin(), want.begin() + static_cast<ptrdiff_t>(at), '\n'),
                     line_at(want, at), line_at(got, std::min(at, got.size())));
}

bool same_json(const json& want, const json& got) {
  if (want.is_object() && got.is_object()) {
    const auto allowed = [&](const auto& member) {
      return want.contains(member.key()) || member.key() == "dimension_names";
    };
    for (const auto& member : got.items())
      if (!allowed(member)) return false;
    const auto held = [&](const auto& member) {
      return got.contains(member.key()) && same_json(member.value(), got.at(member.key()));
    };
    for (const auto& member : want.items())
      if (!held(member)) return false;
    return true;
  }
  if (want.is_array() && got.is_array())
    return std::equal(want.begin(), want.end(), got.begin(), got.end(), same_json);
  return want == got;
}

// Returns `attributes` without members that have only dimension_names, which the fixture may omit.
json without_dimension_names(json attributes) {
  for (auto member = attributes.begin(); attributes.is_object() && member != attributes.end();) {
    const bool only_names = member->is_object() && member->size() == 1 && member->contains("dimension_names");
    member = only_names ? attributes.erase(member) : std::next(member);
  }
  return attributes;
}

std::string json_difference(std::string_view want, std::string_view got) {
  const json actual = json::parse(got, nullptr, false);
  if (actual.is_discarded()) return fmt::format("not valid JSON: {}", got.substr(0, 300));
  if (same_json(json::parse(want), without_dimension_names(actual))) return {};
  return fmt::format("expected {}, got {}", want.substr(0, 300), got.substr(0, 300));
}

struct Npy {
  std::string_view header;  // the dictionary, without padding
  std::string_view data;
  size_t data_start;
};

std::optional<Npy> parse_npy(std::string_view file) {
  if (!file.starts_with("\x93NUMPY") || file.size() < 12) return std::nullopt;
  const auto byte = [&](size_t i) { return size_t{static_cast<unsigned char>(file[i])}; };
  const size_t start = byte(6) == 1 ? 10 : 12;
  size_t length = byte(8) | byte(9) << 8;
  if (start == 12) length |= byte(10) << 16 | byte(11) << 24;
  if (file.size() < start + length) return std::nullopt;
  std::string_view header = file.substr(start, length);
  header = header.substr(0, header.find_last_not_of(" \n") + 1);
  return Npy{header, file.substr(start + length), start + length};
}

std::string npy_difference(std::string_view want, std::string_view got) {
  const std::optional<Npy> wanted = parse_npy(want), actual = parse_npy(got);
  if (!wanted || !actual) return "not a .npy file";
  if (wanted->header != actual->header)
    return fmt::format("expected {}, got {}", wanted->header, actual->header);
  if (actual->data_start % 64 != 0) return fmt::format("the header ends at byte {}", actual->data_start);
  return wanted->data == actual->data ? "" : "same dtype and shape, other values";
}

}  // namespace

std::string difference(std::string_view name, std::string_view want, std::string_view got) {
  if (name == ".attrs.json") return json_difference(want, got);
  if (want == got) return {};
  return name.ends_with(".npy") ? npy_difference(want, got) : first_difference(want, got);
}

}  // namespace plainfs::golden
