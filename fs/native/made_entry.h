// A directory in another program's format: its files, and directories again, each made when it is asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fs/text/view_file.h"

namespace plainfs {

struct MadeEntry {
  std::string name;
  std::function<std::shared_ptr<ViewFile>()> open;  // of a file
  // Of a directory: what is in it, under distinct names. Computes no size. Throws Error where that cannot be
  // known.
  std::function<std::vector<MadeEntry>()> list = nullptr;
  bool found_by_name = false;  // and in no listing
};
using ListMade = std::function<std::vector<MadeEntry>()>;

}  // namespace plainfs
