// The page of a subject: everything known about it, in display order.
#pragma once

#include "fs/serve/pages/model/subject.h"

namespace plainfs::serve {

// Returns the page. Parts that cannot be read become notes. Throws Error if the store has changed.
PageModel page_of(const Exchange& exchange, const Subject& subject);

}  // namespace plainfs::serve
