#include "fs/views/tenx_directory.h"

#include <algorithm>

namespace plainfs {

void add_to_tenx_directory(OfferedFile file, std::vector<OfferedFile>& files) {
  constexpr std::string_view kName = "10x";
  auto directory = std::find_if(files.begin(), files.end(), [&](const OfferedFile& offered) {
    return offered.name == kName && !offered.members.empty();
  });
  if (directory == files.end()) {
    files.push_back({true, std::string(kName), nullptr, {}});
    directory = std::prev(files.end());
  }
  directory->members.push_back(std::move(file));
}

}  // namespace plainfs
