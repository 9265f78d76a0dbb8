// The page of a subject: everything known about it, in display order.
#pragma once

#include <functional>
#include <string>

#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/pages/model/subject.h"

namespace plainfs::serve {

// Called now and then while a page takes long: with the part of the page that exists, which has its title,
// and with what is done in words and as a number from 0 to 1. May throw Lost.
using WhenSlow = std::function<void(const PageModel& page, const std::string& what, double share)>;

// Returns the page. Parts that cannot be read become notes. Throws Error if the store has changed, and what
// when_slow throws.
PageModel page_of(const Exchange& exchange, const Subject& subject, const WhenSlow& when_slow);

}  // namespace plainfs::serve
