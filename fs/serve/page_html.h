// A page as HTML, plain, that needs no script and fetches nothing, and as JSON. All that a store says is
// escaped here.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/text/json.h"
#include "fs/serve/asked.h"
#include "fs/serve/page_model.h"

namespace plainfs::serve {

// The frame of every page. What an "href" or a text of its body is made of is escaped where it is made.
struct Page {
  std::string title;  // text
  std::string sub;    // text: a line below the title
  std::string body;   // HTML
  bool has_json = false;
  int status = 200;
  size_t known_names = SIZE_MAX;  // so many names of the path, from its beginning, lead somewhere
};

void answer_page(const Asked& asked, const Page& page);

// What a page says, as HTML between header and footer.
std::string html_of(const PageModel& page);
// The same without pictures.
Json::Object json_of(const PageModel& page);

}  // namespace plainfs::serve
