// The content of a page as JSON, without pictures.
#pragma once

#include "formats/core/text/json.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Returns the content of a page as JSON.
Json::Object json_of(const PageModel& page);

}  // namespace plainfs::serve
