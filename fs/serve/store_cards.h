// The stores of a folder: what each is, how large, how old, and why one does not open.
#pragma once

#include "fs/serve/page_model.h"
#include "fs/serve/subject.h"

namespace plainfs::serve {

inline constexpr size_t kStoresOnPage = 500;

// Returns the format of a store with its version: "Zarr v2", "AnnData".
std::string store_words(const Store& store);

// Adds a card for each store of the subject's folder, those of the page that the address asks for, and takes
// these out of others, the entries that are shown another way. Opens the stores that it shows, until that has
// taken kMostLooking; the rest are shown by their names.
void add_stores(const Asked& asked, const Subject& subject, std::vector<FolderEntry>& others,
                PageModel& page);

// Answers ?thumbnail: a small picture of a store as SVG, or a redirect to that of an image; false if that was
// not asked for.
bool answer_thumbnail(const Asked& asked, const Site::Place& place);

}  // namespace plainfs::serve
