// The frame of every page: its head, the links to the folders above, and the footer.
#pragma once

#include <cstdint>
#include <string>

#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// The frame of every page. Links and texts in `body` are escaped when they are added to it.
struct Page {
  std::string title;  // text
  std::string sub;    // text, shown below the title
  std::string body;   // HTML
  bool has_json = false;
  int status = 200;
  size_t known_names = SIZE_MAX;  // this many names at the beginning of the path exist
  bool has_script = false;  // loads the script of the pages, which alone may then run and ask this server
};

void answer_page(const Exchange& exchange, const Page& page);

}  // namespace plainfs::serve
