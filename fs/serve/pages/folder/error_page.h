// The page of an error, with links back to the folders that exist and to the nearest names in the last of
// them.
#pragma once

#include <string>

#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Returns whether the client accepts HTML pages, as browsers state.
bool wants_page(const Exchange& exchange);

// Answers with the page of an error. what: text. Reads only the names of one folder of the store.
void answer_error_page(const Exchange& exchange, int status, const std::string& what);

}  // namespace plainfs::serve
