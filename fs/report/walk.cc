#include "fs/report/walk.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "formats/core/text/ascii.h"
#include "formats/core/text/path_names.h"
#include "fs/command_line/exit_code.h"
#include "fs/report/edit_distance.h"

namespace plainfs {

namespace {

// Returns the name in the directory nearest to `name`, or empty if none is near. A name that differs only in
// case comes first.
std::string nearest_name(const Listing& listing, const std::string& name) {
  for (size_t i = 0; i < listing.size(); ++i)
    if (std::string other = listing.at(i).name; lower_case(other) == lower_case(name)) return other;
  size_t least = std::max<size_t>(2, name.size() / 4) + 1;
  std::string nearest;
  for (size_t i = 0; i < listing.size(); ++i) {
    const Listing::Entry entry = listing.at(i);
    const size_t distance = edit_distance(name, entry.name);
    if (distance < least) {
      least = distance;
      nearest = entry.name;
    }
  }
  return nearest;
}

// Returns whether a walk over the store reaches the path. Requires: it exists.
bool is_walked(Filesystem& filesystem, const std::string& path) {
  for (size_t start = 0; start < path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const ListingPtr listing = filesystem.list(filesystem.find(path.substr(0, start)));
    const std::optional<size_t> place = listing->find(std::string_view(path).substr(start, end - start));
    if (!place || *place >= listing->once()) return false;
    start = end + 1;
  }
  return true;
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
      throw not_found("{}{}", error.what(),
                      nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
    }
  }
  throw;
}

Inode resolve_given(Filesystem& filesystem, const std::string& store, const std::string& path) try {
  return resolve_path(filesystem, path);
} catch (const Error& error) {
  throw Failure(exit_code_of(error.code()), fmt::format("{}: {}", store, reason(error)));
}

std::string plain_path(const std::string& path) {
  std::string plain;
  for (const char c : path) {
    if (c != '/' || (!plain.empty() && plain.back() != '/')) plain += c;
  }
  if (!plain.empty() && plain.back() == '/') plain.pop_back();
  return plain == "." ? "" : plain;
}

std::vector<Walked> walk(Filesystem& filesystem, const std::string& start, std::vector<WalkFailure>& failures,
                         std::vector<Walked>* repeated) {
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
      for (size_t i = 0; i < listing->once(); ++i) {
        const Listing::Entry entry = listing->at(i);
        const std::string path = joined_path(folder.path, entry.name);
        try {
          const bool is_left = entry.shows_again && repeated;
          (is_left ? *repeated : inside).push_back({path, entry.inode, filesystem.kind(entry.inode)});
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

std::vector<Walked> walk_given(Filesystem& filesystem, const std::vector<std::string>& paths,
                               std::vector<WalkFailure>& failures, std::vector<Walked>* repeated) {
  if (paths.empty()) return walk(filesystem, "", failures, repeated);
  std::vector<Walked> all;
  for (const std::string& path : paths) {
    const bool is_part = repeated && !is_walked(filesystem, plain_path(path));
    std::vector<Walked> below = walk(filesystem, path, failures, is_part ? nullptr : repeated);
    std::move(below.begin(), below.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace plainfs
