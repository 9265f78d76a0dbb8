#include "fs/commands/walk.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace plainfs {

namespace {

// How many letters have to be put in, left out or changed to make b of a.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

// The name in the directory that is meant by name, or empty where none is near.
std::string nearest_name(const Listing& listing, const std::string& name) {
  size_t least = std::max<size_t>(2, name.size() / 4) + 1;
  std::string nearest;
  for (const Listing::Entry& entry : listing.entries) {
    const size_t distance = edit_distance(name, entry.name);
    if (distance < least) {
      least = distance;
      nearest = entry.name;
    }
  }
  return nearest;
}

}  // namespace

Inode resolve_path(Filesystem& filesystem, const std::string& path) try {
  return filesystem.resolve(path);
} catch (const Error& error) {
  if (error.code() != Errc::not_found) throw;
  Inode folder = kRootInode;
  for (size_t end = 0; end < path.size();) {
    const size_t start = path.find_first_not_of('/', end);
    if (start == std::string::npos) break;
    end = std::min(path.find('/', start), path.size());
    const std::string name = path.substr(start, end - start);
    try {
      folder = filesystem.resolve(path.substr(0, end));
    } catch (const Error&) {
      const std::string nearest = nearest_name(*filesystem.list(folder), name);
      throw not_found("{}{}", error.what(), nearest.empty() ? "" : fmt::format("; there is {}", nearest));
    }
  }
  throw;
}

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
        try {
          inside.push_back({path, entry.inode, filesystem.kind(entry.inode)});
        } catch (const Error& error) {
          failures.push_back({path, error});
        }
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
