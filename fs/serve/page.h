// The frame of every page: plain HTML that needs no script and fetches nothing.
#pragma once

#include <string>
#include <string_view>

#include "fs/serve/asked.h"

namespace plainfs::serve {

// What an "href" or a text of a page is made of is escaped where it is made.
struct Page {
  std::string title;  // text
  std::string sub;    // text: a line below the title
  std::string body;   // HTML
  bool has_json = false;
};

void answer_page(const Asked& asked, const Page& page);

// "http://HOST/TOKEN/a/b/", as the client has reached it.
std::string address_of(const Asked& asked, const std::vector<std::string>& names, bool is_folder);

}  // namespace plainfs::serve
