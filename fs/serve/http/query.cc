#include "fs/serve/http/query.h"

#include <algorithm>
#include <cmath>

#include "formats/core/text/parsed_number.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/split.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kBeyond = uint64_t{1} << 63;

std::string decoded(std::string_view text) {
  std::string blanks;
  for (const char c : text) blanks += c == '+' ? ' ' : c;
  return percent_decoded(blanks);
}

}  // namespace

Query::Query(std::string_view text) {
  while (!text.empty()) {
    const std::string_view part = take_part(text, '&');
    if (part.empty()) continue;
    const size_t sign = std::min(part.find('='), part.size());
    std::optional<std::string> value;
    if (sign < part.size()) value = decoded(part.substr(sign + 1));
    parts_.emplace_back(decoded(part.substr(0, sign)), std::move(value));
  }
}

std::optional<std::string> Query::value(std::string_view name) const {
  for (const auto& [known, value] : parts_)
    if (known == name) return value && !value->empty() ? value : std::nullopt;
  return std::nullopt;
}

std::vector<std::string> Query::values(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [known, value] : parts_)
    if (known == name && value && !value->empty()) values.push_back(*value);
  return values;
}

std::optional<uint64_t> Query::number(std::string_view name) const {
  const std::optional<uint64_t> number = parsed_number<uint64_t>(value(name).value_or(""));
  return number && *number < kBeyond ? number : std::nullopt;
}

std::optional<double> Query::decimal(std::string_view name) const {
  const std::optional<double> number = parsed_number<double>(value(name).value_or(""));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

bool Query::has(std::string_view name) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part.first == name; });
}

Query Query::with(std::string_view name, std::string_view value) const {
  Query changed = *this;
  std::erase_if(changed.parts_, [&](const auto& part) { return part.first == name; });
  if (!value.empty()) changed.parts_.emplace_back(std::string(name), std::string(value));
  return changed;
}

Query Query::with_more(std::string_view name, std::string_view value) const {
  Query changed = *this;
  changed.parts_.emplace_back(std::string(name), std::string(value));
  return changed;
}

Query Query::only(const std::vector<std::string>& names) const {
  Query changed = *this;
  std::erase_if(changed.parts_, [&](const auto& part) {
    return std::find(names.begin(), names.end(), part.first) == names.end();
  });
  return changed;
}

std::string Query::href() const {
  std::string text;
  for (const auto& [name, value] : parts_) {
    text += text.empty() ? "?" : "&";
    text += percent_encoded(name);
    if (value) text += "=" + percent_encoded(*value);
  }
  return text.empty() ? "?" : text;
}

std::vector<std::pair<std::string, std::string>> Query::rest(const std::vector<std::string>& fields) const {
  std::vector<std::pair<std::string, std::string>> others;
  for (const auto& [name, value] : parts_)
    if (std::find(fields.begin(), fields.end(), name) == fields.end())
      others.emplace_back(name, value.value_or(""));
  return others;
}

}  // namespace plainfs::serve
