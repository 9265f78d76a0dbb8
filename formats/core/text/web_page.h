// Recognises a web page that a server sends in place of a file.
#pragma once

#include <algorithm>
#include <string_view>

#include "formats/core/text/ascii.h"

namespace plainfs {

// Returns whether `text`, the first bytes of a file, begins a page of HTML.
inline bool is_web_page(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return starts_with_any(text, {"<!doctype html", "<html", "<head", "<body", "<script"});
}

}  // namespace plainfs
