// Replies with files: a whole file, or ranges of its bytes.
#pragma once

#include <string_view>

#include "fs/serve/site/exchange.h"
#include "fs/views/view.h"

namespace plainfs::serve {

// Answers with a file. whole_first: read all of it before sending any of it.
void answer_file(const Exchange& exchange, const Site::Place& place, bool whole_first = false);

// Returns the media type of a file, such as text/csv: that of its row; if row is null, that of the extension
// of its name.
std::string_view media_type(const FileRow* row, std::string_view name);

// Sends a file that is generated for the request, without ranges. Requires: the fields of the reply are
// added.
void send_view(const Exchange& exchange, ViewFile& file);

}  // namespace plainfs::serve
