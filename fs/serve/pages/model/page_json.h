// Pages for programs: a PageModel as JSON.
#pragma once

#include "formats/core/text/json.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Returns the content of a page, without its pictures.
Json::Object json_of(const PageModel& page);

}  // namespace plainfs::serve
