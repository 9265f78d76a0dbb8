// The stores of a folder: their format, size and age, and why a store does not open.
#pragma once

#include <ctime>
#include <string>

#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/pages/model/subject.h"

namespace plainfs::serve {

// The contents of a store that no request has opened.
inline constexpr const char* kUnseen = "not looked at yet";

// Adds a card for each store of the subject's folder that is on the page in the address, and removes these
// stores from `others`, the entries shown in another way. Opens the stores to show, several at once, until
// that has taken kMaxLooking; the rest are shown by name.
void add_stores(const Exchange& exchange, const Subject& subject, std::vector<FolderEntry>& others,
                PageModel& page);

// Answers ?thumbnail with a small picture of a store as SVG, or a redirect to an image. Returns false if the
// request does not ask for it.
bool answer_thumbnail(const Exchange& exchange, const Site::Place& place);

}  // namespace plainfs::serve
