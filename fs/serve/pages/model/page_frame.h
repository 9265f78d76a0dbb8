// The frame of every page: its head, the links to the folders above, and the footer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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
  std::string shown{};      // text before the title, in the name of the window alone; empty: none
};

// Sends the page, or the rest of it if it has begun.
void answer_page(const Exchange& exchange, const Page& page);

// Begins to send a page that takes long, up to its body; its other members are not used. Requires: the reply
// has not begun and can be chunked.
void begin_page(const Exchange& exchange, const Page& page);
// Sends a line about what is done so far. The page shows the last of them until its body follows.
void add_progress(const Exchange& exchange, std::string_view text);

}  // namespace plainfs::serve
