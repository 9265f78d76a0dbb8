// The elements of SpatialData: a picture with the cells over it, the images and labels, and all elements as a
// table with links.
#pragma once

#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/pages/model/subject.h"
#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Adds the elements of the root of a SpatialData store. Returns false for other subjects. A part that cannot
// be read is a note.
bool add_elements(const Exchange& exchange, const Subject& subject, PageModel& page);

}  // namespace plainfs::serve
