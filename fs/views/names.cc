#include "fs/views/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <unordered_map>
#include <unordered_set>

#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

// Returns the longest beginning of `text` of at most `limit` bytes that ends between two characters. Bytes
// that are not UTF-8 count as separate characters.
std::string_view cut(std::string_view text, size_t limit) {
  constexpr size_t kLongest = 4;  // bytes of a character
  if (text.size() <= limit) return text;
  for (size_t lead = limit - std::min(limit, kLongest - 1); lead < limit; ++lead)
    if (lead + utf8_length(text.substr(lead)) > limit) return text.substr(0, lead);
  return text.substr(0, limit);
}

}  // namespace

std::string encode_name(std::string_view stored) {
  if (stored == ".") return "%2E";
  if (stored == "..") return "%2E%2E";
  if (stored.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos) return std::string(stored);
  std::string encoded;
  for (const char c : stored) {
    if (c == '/')
      encoded += "%2F";
    else if (c == '\0')
      encoded += "%00";
    else if (c == '%')
      encoded += "%25";
    else
      encoded += c;
  }
  return encoded;
}

std::string file_name(std::string_view encoded, std::string_view extension) {
  if (encoded.empty() && extension.empty()) return "%";
  if (encoded.size() + extension.size() <= kLongestName) return std::string(encoded).append(extension);
  return marked_name(encoded, extension);
}

std::string marked_name(std::string_view encoded, std::string_view extension) {
  boost::crc_32_type crc;
  crc.process_bytes(encoded.data(), encoded.size());
  const size_t limit = kLongestName - std::string_view("~01234567").size() - extension.size();
  return fmt::format("{}~{:08x}{}", cut(encoded, limit), crc.checksum(), extension);
}

std::vector<std::string> assign_names(std::span<const NameRequest> requests,
                                      std::span<const std::string_view> reserved) {
  std::vector<std::string> names(requests.size());
  std::unordered_set<std::string> taken;
  for (const std::string_view name : reserved) taken.emplace(name);
  const auto claim = [&](size_t i, std::string name) {
    if (!taken.insert(name).second) return false;
    names[i] = std::move(name);
    return true;
  };
  for (const bool views : {false, true}) {
    std::vector<size_t> displaced;  // they get names that the others leave free
    for (size_t i = 0; i < requests.size(); ++i) {
      const NameRequest& request = requests[i];
      if (request.extension.empty() == views) continue;
      if (!claim(i, file_name(request.encoded, request.extension))) displaced.push_back(i);
    }
    std::unordered_map<std::string, uint64_t> times_displaced;
    for (const size_t i : displaced) {
      const NameRequest& request = requests[i];
      uint64_t& times = times_displaced[file_name(request.encoded, request.extension)];
      bool claimed = false;
      while (!claimed) {
        ++times;
        const std::string mark = times == 1 ? "~" : fmt::format("~{}", times);
        claimed = claim(i, file_name(request.encoded, mark + request.extension));
      }
    }
  }
  return names;
}

}  // namespace plainfs
