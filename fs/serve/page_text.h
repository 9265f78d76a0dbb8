// Text inside of HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace plainfs::serve {

// For an element's text and for a value in double quotes.
inline std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace plainfs::serve
