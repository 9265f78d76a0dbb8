// An ordinary folder, mirrored: each store in it is a directory of the store's own file name, every other
// file is passed through, folders are folders, and symbolic links within the folder stay links. A store is
// recognised by its first bytes when its folder is listed and opened when it is entered.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs::folder {

// Requires: probe.is_folder(). Throws unreadable where the folder cannot be listed.
Store open(const Probe& probe, Context& context);

}  // namespace plainfs::folder
