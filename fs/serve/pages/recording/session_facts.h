// The session of an NWB file in words.
#pragma once

#include "formats/core/model/node.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Adds the session, the subject and the devices of the root of an NWB file as facts, and links to its
// recordings. Adds nothing for other roots. Reads a few short texts. Throws the errors of reading.
void add_session(const Node& root, PageModel& page);

}  // namespace plainfs::serve
