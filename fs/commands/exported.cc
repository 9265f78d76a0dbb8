#include "fs/commands/exported.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <unordered_set>

#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "fs/commands/part_file.h"
#include "fs/session.h"

namespace plainfs {

std::vector<std::string> Exported::paths() const {
  std::vector<std::string> all = folders;
  for (const ExportedLink& link : links) all.push_back(link.path);
  for (const Copy& file : files) all.push_back(file.path);
  return all;
}

WholeFolders Exported::whole_folders() const {
  std::vector<std::string> all = failed;
  for (const Copy& file : files) all.push_back(file.path);
  return WholeFolders(all, failed);
}

Exported find_exported(Filesystem& filesystem, const std::vector<std::string>& paths, const Options& options,
                       Failures& failures) {
  Exported found;
  std::vector<WalkFailure> not_listed;
  std::unordered_set<std::string> known;  // two of the paths may lead to one file
  std::vector<Walked> repeated;
  const bool is_each_once = options.views.empty();
  for (const Walked& walked : walk_given(filesystem, paths, not_listed, is_each_once ? &repeated : nullptr)) {
    try {
      if (walked.kind == FileKind::directory) found.folders.push_back(walked.path);
      if (walked.kind == FileKind::link)
        found.links.push_back({walked.path, filesystem.read_link(walked.inode)});
      if (walked.kind == FileKind::file && known.insert(walked.path).second)
        found.files.push_back({walked.inode, walked.path, 0});
    } catch (const Error& error) {
      failures.add(walked.path, error);
    }
  }
  for (const WalkFailure& failure : not_listed) {
    failures.add(failure.path, failure.error);
    found.failed.push_back(failure.path);
  }
  for (const Walked& walked : repeated) {
    const std::string name(last_name(walked.path));
    found.left_out.insert(walked.kind == FileKind::directory
                              ? name + "/"
                              : name.substr(std::min(name.rfind('.'), name.size())));
  }
  return found;
}

std::string left_out_text(const Exported& found) {
  std::string names;
  for (const std::string& name : found.left_out) names += (names.empty() ? "" : " ") + name;
  return names.empty()
             ? names
             : fmt::format(
                   "views that repeat the same values ({}) are left out; --views=listed writes them too",
                   names);
}

void measure(Filesystem& filesystem, Workers& workers, Exported& found, Progress& progress,
             Failures& failures) {
  std::vector<Copy>& files = found.files;
  progress.begin("measuring", Progress::Unit::files, files.size());
  std::vector<char> is_whole(files.size());
  workers.parallel_for(files.size(), [&](size_t i) {
    try {
      if (is_part_name(last_name(files[i].path)))
        throw unsupported("the name is reserved for unfinished files of an export");
      files[i].size = static_cast<uint64_t>(filesystem.status(files[i].inode).st_size);
      is_whole[i] = 1;
    } catch (const Error& error) {
      failures.add(filesystem.path(files[i].inode), error);
    } catch (const std::bad_alloc&) {
      failures.add(filesystem.path(files[i].inode), out_of_memory());
    }
    progress.add(1);
  });
  for (size_t i = 0; i < files.size(); ++i)
    if (!is_whole[i]) found.failed.push_back(files[i].path);
  const WholeFolders folders = found.whole_folders();
  std::vector<Copy> whole;
  for (size_t i = 0; i < files.size(); ++i)
    if (is_whole[i] && !folders.is_broken(files[i].path)) whole.push_back(std::move(files[i]));
  files = std::move(whole);
  for (const std::string& folder : folders.broken())
    progress.print_line(fmt::format("{}: not written, because a part of it cannot be written",
                                    folder.empty() ? "." : folder));
}

void print_notices(const Session& session, const std::string& store) {
  constexpr size_t kMax = 100;
  const std::vector<std::string> notices = session.notices().lines();
  for (size_t i = 0; i < std::min(notices.size(), kMax); ++i)
    std::fprintf(stderr, "plainfs: notice: %s\n", printable(notices[i]).c_str());
  if (notices.size() > kMax)
    std::fprintf(stderr, "plainfs: %zu more notices: plainfs check %s\n", notices.size() - kMax,
                 printable(store).c_str());
}

}  // namespace plainfs
