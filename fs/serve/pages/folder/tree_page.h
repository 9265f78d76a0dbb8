// The part of a folder's page about the stores in it and below it: its folders with the number and the kinds
// of their stores, and one list of all stores, found by name and kind, sorted, and divided into pages.
#pragma once

#include <vector>

#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/pages/model/subject.h"

namespace plainfs::serve {

inline constexpr size_t kStoresOnPage = 100;

// Adds the stores of a subject that is a mirrored folder of this machine, and removes these stores and the
// folders that have some from `others`. Returns false if it is another subject, or there are no stores. Takes
// about a second at most: the rest is found meanwhile, for later pages.
bool add_store_tree(const Exchange& exchange, const Subject& subject, std::vector<FolderEntry>& others,
                    PageModel& page);

// Answers ?page and ?json of a store that does not open with the reason. Returns false if the request is for
// anything else.
bool answer_reason(const Exchange& exchange);

}  // namespace plainfs::serve
