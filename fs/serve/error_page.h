// An error as a page with the way back: the folders that exist, and the nearest names in the last of them.
#pragma once

#include <string>

#include "fs/serve/asked.h"

namespace plainfs::serve {

// True if the client takes pages, as browsers say.
bool wants_page(const Asked& asked);

// Answers with the page of an error. what: text. Nothing of the store is read but the names of one folder.
void answer_error_page(const Asked& asked, int status, const std::string& what);

}  // namespace plainfs::serve
