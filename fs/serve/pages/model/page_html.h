// A page as plain HTML, without scripts or further requests, and as JSON. All text from a store is escaped
// here.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/text/json.h"
#include "fs/serve/pages/model/page_model.h"
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
};

void answer_page(const Exchange& exchange, const Page& page);

// Returns the content of a page as HTML, between header and footer.
std::string html_of(const PageModel& page);
// Returns the content of a page as JSON, without pictures.
Json::Object json_of(const PageModel& page);

}  // namespace plainfs::serve
