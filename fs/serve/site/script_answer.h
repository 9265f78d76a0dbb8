// The script of the pages, at .plainfs/page.js below the address of the server.
#pragma once

#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Answers with the script. Returns false if the request is for something else.
bool answer_script(const Exchange& exchange);

// Returns the path of the script on this server.
std::string script_href(const Exchange& exchange);

}  // namespace plainfs::serve
