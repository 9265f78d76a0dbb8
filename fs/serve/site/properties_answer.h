// WebDAV's PROPFIND (RFC 4918), class 1 and read-only. The reply has all properties whatever the body asks
// for. Every client accepts that, so no XML is parsed.
#pragma once

#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Answers PROPFIND for an existing place.
void answer_properties(const Exchange& exchange, const Site::Place& place);
// Answers PROPFIND for "/", which lists nothing. Clients that start at the root of a server need it.
void answer_root_properties(const Exchange& exchange);

}  // namespace plainfs::serve
