// Distinguishes local paths from URLs.
#pragma once

#include <string_view>

namespace plainfs {

// Returns whether `location` is a URL ("https://HOST/PATH", "s3://BUCKET/KEY"), which the operating system
// cannot open.
inline bool is_url(std::string_view location) {
  const size_t colon = location.find("://");
  if (colon == std::string_view::npos || colon == 0) return false;
  return location.substr(0, colon).find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "0123456789+-.") == std::string_view::npos;
}

}  // namespace plainfs
