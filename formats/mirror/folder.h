// A mirror of an ordinary folder. Each store in it becomes a directory with the store's file name, every
// other file is passed through, folders stay folders, and symbolic links within the folder stay links. A
// store is recognised by its first bytes when its folder is listed, and opened when it is entered.
#pragma once

#include <string>

#include "formats/core/model/store.h"

namespace plainfs::folder {

// Opens the folder of probe as a mirror. Requires: probe.is_folder(). Throws unreadable if the folder cannot
// be listed.
Store open(const Probe& probe, Context& context);

}  // namespace plainfs::folder
