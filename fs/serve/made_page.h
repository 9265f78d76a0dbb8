// What a page says of a subject: all that is known of it, in the order in which it is shown.
#pragma once

#include "fs/serve/subject.h"

namespace plainfs::serve {

// What cannot be read stands among the notes; the rest is there. Throws Error where the store has changed.
PageModel page_of(const Asked& asked, const Subject& subject);

}  // namespace plainfs::serve
