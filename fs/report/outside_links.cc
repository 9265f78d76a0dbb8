#include "fs/report/outside_links.h"

#include <sys/stat.h>

#include <algorithm>

namespace plainfs {

// Links inside the folder keep their own text, which works from their place, unless they are absolute or
// dangling.
size_t count_outside_links(Filesystem& filesystem, const std::vector<Walked>& all) {
  const auto leads_out = [&](const Walked& walked) {
    if (walked.kind != FileKind::link) return false;
    try {
      const std::string target = filesystem.read_link(walked.inode);
      struct stat status {};
      return target.starts_with('/') && ::stat(target.c_str(), &status) == 0;
    } catch (const Error&) {
      return false;  // reading it reports the error
    }
  };
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), leads_out));
}

std::string outside_links_text(size_t count) {
  if (count == 0) return {};
  return fmt::format("{} link{} out of this folder; -o follow_outside shows what {} to", count,
                     count == 1 ? " leads" : "s lead", count == 1 ? "it leads" : "they lead");
}

}  // namespace plainfs
