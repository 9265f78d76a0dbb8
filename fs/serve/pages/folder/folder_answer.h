// Replies with folders: a page for people, a plain list for programs that follow links (wget, fsspec,
// rclone), and JSON for other programs.
#pragma once

#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Answers with a page, a plain list or JSON, depending on the request.
void answer_folder(const Exchange& exchange, const Site::Place& place);
// Answers with a page or JSON of a member of a store that has no folder ("cell.names?page"). Returns false if
// the request asks for neither, if there is no such member, or if a file or folder has that name.
bool answer_member(const Exchange& exchange);

// Answers with a page in the form that the request asks for: HTML or JSON.
void answer_model(const Exchange& exchange, const PageModel& page);

}  // namespace plainfs::serve
