#include "formats/core/base/folder_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>

#include "cache/request.h"
#include "formats/core/base/containment.h"
#include "formats/core/base/error.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/local_file.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/base/open_folder.h"

namespace plainfs {
namespace {

class FolderStore : public KeyStore {
 public:
  FolderStore(std::string path, Sources& files) : KeyStore(std::move(path)), files_(files) {
    if (!files_.look(location(), folder_) && !is_absence(errno)) throw system_error(location(), errno);
  }

  ValuePtr open(const std::string& key) const override {
    FilePtr file = files_.open_if_exists(location() + "/" + key);
    if (!file) return nullptr;
    return std::make_shared<FileValue>(std::move(file));
  }

  ValuePtr open_unchanged(const std::string& key) const override {
    check_not_replaced();
    const std::string file_path = location() + "/" + key;
    FilePtr file = files_.open_if_exists(file_path);
    if (!file) {
      check_nothing_gone(file_path);
      return nullptr;
    }
    file->check_unmodified_since(opened_);
    return std::make_shared<FileValue>(std::move(file));
  }

  bool has_folder(const std::string& folder) const override {
    return is_folder_on_host(files_.place_of(location()) + "/" + folder);
  }

  std::vector<Entry> list(const std::string& folder) const override {
    std::vector<Entry> entries;
    visit(folder, [&](Entry entry) {
      entries.push_back(std::move(entry));
      return true;
    });
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
  }

  void visit(const std::string& folder, const std::function<bool(Entry)>& visit) const override {
    const std::string root = files_.place_of(location());
    const std::string place = folder.empty() ? root : root + "/" + folder;
    const bool has_other_root = root != location() && files_.bounds().is_bounded();
    const Containment bounds = has_other_root ? Containment::of_store(root) : files_.bounds();
    const OpenFolder directory = open(place, bounds);
    while (const dirent* const entry = next_entry(directory)) {
      const std::string_view name = entry->d_name;
      const std::optional<EntryKind> kind = kind_of(*entry, place + "/" + std::string(name), root, bounds);
      if (kind && !visit({std::string(name), *kind})) return;
    }
    if (errno != 0) throw system_error(place, errno);
  }

 private:
  // Waits up to ten seconds if no descriptor is left.
  static OpenFolder open(const std::string& place, const Containment& bounds) {
    constexpr timespec kPause{0, 2'000'000};
    constexpr int kMaxTries = 5'000;
    for (int tries = 0;; ++tries) {
      const int descriptor = bounds.open(place, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
      if (descriptor >= 0) {
        if (DIR* const directory = ::fdopendir(descriptor)) return OpenFolder(directory);
        const int error = errno;
        ::close(descriptor);
        throw system_error(place, error);
      }
      if (errno == EXDEV) throw outside_error(place);
      if ((errno != EMFILE && errno != ENFILE) || tries == kMaxTries) throw system_error(place, errno);
      check_cancelled();
      ::nanosleep(&kPause, nullptr);
    }
  }

  // Returns nullopt for a link to a folder that contains it, and for an entry that has vanished. Asks the
  // system only about links, and if readdir does not return the type.
  static std::optional<EntryKind> kind_of(const dirent& entry, const std::string& path,
                                          const std::string& root, const Containment& bounds) {
    if (entry.d_type == DT_REG) return EntryKind::file;
    if (entry.d_type == DT_DIR) return EntryKind::folder;
    if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return EntryKind::other;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
      if (is_absence(errno)) return std::nullopt;
      throw system_error(path, errno);
    }
    // The target of a link may be absent, circular, or forbidden for this store: opening it reports the
    // reason.
    const bool is_link = S_ISLNK(status.st_mode);
    if (is_link && (!bounds.contains(path) || ::stat(path.c_str(), &status) != 0)) return EntryKind::nothing;
    if (S_ISREG(status.st_mode)) return EntryKind::file;
    if (!S_ISDIR(status.st_mode)) return EntryKind::other;
    return is_link && leads_back(path, root) ? std::nullopt : std::optional(EntryKind::folder);
  }

  // Returns whether the link leads to a folder that contains it: descending into it would never end.
  static bool leads_back(const std::string& link, const std::string& root) {
    for (std::string folder = link; folder.size() > root.size();) {
      folder.resize(folder.rfind('/'));
      if (is_same_on_host(folder, link)) return true;
    }
    return false;
  }

  void check_not_replaced() const {
    struct stat status {};  // a missing folder has device 0, inode 0
    if (!files_.look(location(), status) && !is_absence(errno)) throw system_error(location(), errno);
    if (status.st_dev != folder_.st_dev || status.st_ino != folder_.st_ino) throw changed(location());
  }

  // A removal changes the folder that contained the entry.
  void check_nothing_gone(std::string file_path) const {
    struct stat status {};
    do {
      file_path.resize(file_path.rfind('/'));
      if (files_.look(file_path, status)) {
        if (is_modified_since(modified_time(status), opened_)) throw changed(file_path);
        return;
      }
      if (!is_absence(errno)) throw system_error(file_path, errno);
    } while (file_path.size() > location().size());
    throw changed(location());
  }

  Sources& files_;
  const timespec opened_ = file_time();
  struct stat folder_ {};  // when it was opened
};

}  // namespace

KeyStorePtr open_folder_store(const std::string& path, Sources& files) {
  return std::make_shared<const FolderStore>(path, files);
}

}  // namespace plainfs
