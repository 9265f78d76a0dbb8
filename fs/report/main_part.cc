#include "fs/report/main_part.h"

#include "formats/annotated/main_part.h"
#include "fs/views/names.h"

namespace plainfs {

std::string main_part(Filesystem& filesystem) {
  std::string path;
  for (const std::string& name : main_part(filesystem.store()->root))
    path.append(path.empty() ? "" : "/").append(encode_name(name));
  return path;
}

}  // namespace plainfs
