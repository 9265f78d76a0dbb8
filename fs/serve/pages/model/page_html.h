// The content of a page as plain HTML, without scripts or further requests. All text from a store is escaped
// here.
#pragma once

#include <string>

#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Returns what stands between the header and the footer.
std::string html_of(const PageModel& page);

}  // namespace plainfs::serve
