// A mirror of the members of an archive, as of a folder (folder.h). The members are files inside the archive
// (core/base/inside.h) and are read in place. A member that cannot be read, such as a link, is listed, and
// reading it is an error.
#pragma once

#include "formats/core/model/store.h"

namespace plainfs::folder {

// Opens the archive at a location that is one of context.files.inside().
Store open_archive(const std::string& location, Context& context);

}  // namespace plainfs::folder
