#include "fs/commands/walk.h"

#include <algorithm>

namespace plainfs {

std::string plain_path(const std::string& path) {
  std::string plain;
  for (const char c : path) {
    if (c != '/' || (!plain.empty() && plain.back() != '/')) plain += c;
  }
  if (!plain.empty() && plain.back() == '/') plain.pop_back();
  return plain == "." ? "" : plain;
}

std::vector<Walked> walk(Filesystem& filesystem, const std::string& start,
                         std::vector<WalkFailure>& failures) {
  const std::string first = plain_path(start);
  const Inode inode = filesystem.find(first);
  std::vector<Walked> all;
  std::vector<Walked> left{{first, inode, filesystem.kind(inode)}};
  while (!left.empty()) {
    all.push_back(std::move(left.back()));
    left.pop_back();
    if (all.back().kind != FileKind::directory) continue;
    const Walked folder = all.back();
    std::vector<Walked> inside;
    try {
      const ListingPtr listing = filesystem.list(folder.inode);
      for (const Listing::Entry& entry : listing->entries) {
        const std::string path = folder.path.empty() ? entry.name : folder.path + "/" + entry.name;
        inside.push_back({path, entry.inode, filesystem.kind(entry.inode)});
      }
    } catch (const Error& error) {
      failures.push_back({folder.path, error});
    }
    std::sort(inside.begin(), inside.end(), [](const Walked& a, const Walked& b) { return a.path > b.path; });
    std::move(inside.begin(), inside.end(), std::back_inserter(left));
  }
  return all;
}

}  // namespace plainfs
