#include "formats/core/text/markup.h"

namespace plainfs {

void append_markup(char c, std::string_view which, std::string& out) {
  if (which.find(c) == which.npos)
    out += c;
  else
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;";
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) append_markup(c, kMarkup, safe);
  return safe;
}

}  // namespace plainfs
