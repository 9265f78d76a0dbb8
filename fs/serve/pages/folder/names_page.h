// A folder of very many names (genes/, cells/) in pages of 500, with a search field.
#pragma once

#include <cstdint>

#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

inline constexpr uint64_t kNamesOnPage = 500;

// Answers with a page of names. Returns false if the folder does not list parts, or has only one page.
// Creates entries only for the names that it shows.
bool answer_names(const Exchange& exchange, const Site::Place& place);

}  // namespace plainfs::serve
