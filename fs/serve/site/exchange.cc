#include "fs/serve/site/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "formats/core/text/percent.h"

namespace plainfs::serve {

bool is_base_path(std::string_view text) {
  constexpr size_t kMaxBase = 200;
  if (text.size() < 2 || text.size() > kMaxBase || text[0] != '/' || text.ends_with('/')) return false;
  if (text.find("//") != std::string_view::npos || text.find("/.") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
  });
}

std::string Exchange::href(const std::vector<std::string>& path, bool is_folder) const {
  std::string text = prefix();
  if (!settings.token.empty()) text += "/" + settings.token;
  for (const std::string& name : path) text += "/" + percent_encoded(name);
  return is_folder || text.empty() ? text + "/" : text;
}

std::string Exchange::address(const std::vector<std::string>& path, bool is_folder) const {
  const std::string host = target.host.empty() ? request.field("Host") : target.host;

  const bool is_secure = request.field("X-Forwarded-Proto") == "https";
  return fmt::format("{}://{}{}", is_secure ? "https" : "http", host.empty() ? "localhost" : host,
                     href(path, is_folder));
}

std::string Exchange::prefix() const {
  const std::string given = request.field("X-Forwarded-Prefix");
  return is_base_path(given) ? given : settings.base;
}

time_t Exchange::modified(const struct stat& status) const {
  constexpr time_t kFirst = 86400;
  return status.st_mtime < kFirst ? settings.started : status.st_mtime;
}

std::string Exchange::tag(const Site::Place& place, uint64_t opening) const {
  return tags.of(place.store, opening, place.filesystem->path(place.inode));
}

}  // namespace plainfs::serve
