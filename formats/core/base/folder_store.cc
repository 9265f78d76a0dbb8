#include "formats/core/base/folder_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>

#include "formats/core/base/error.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/local_file.h"
#include "formats/core/base/modified_time.h"

namespace plainfs {
namespace {

namespace fs = boost::filesystem;

class FileValue : public Value {
 public:
  explicit FileValue(FilePtr file) : file_(std::move(file)) {}
  uint64_t size() const override { return file_->size(); }
  Bytes read(uint64_t offset, uint64_t size) const override { return file_->read_at(offset, size); }
  Bytes read_all() const override { return read(0, size()); }

 private:
  FilePtr file_;
};

EntryKind kind_of(fs::file_type type) {
  if (type == fs::regular_file) return EntryKind::file;
  return type == fs::directory_file ? EntryKind::folder : EntryKind::other;
}

// A symbolic link that leads nowhere is nothing.
fs::file_type type_of(const fs::directory_entry& entry) {
  boost::system::error_code error;
  const fs::file_type type = entry.status(error).type();
  if (type != fs::status_error) return type;
  if (is_absence(error.value())) return fs::file_not_found;
  throw unreadable("{}: {}", entry.path().string(), error.message());
}

bool is_link(const fs::directory_entry& entry) {
  boost::system::error_code error;
  const fs::file_type type = entry.symlink_status(error).type();
  if (type == fs::status_error) throw unreadable("{}: {}", entry.path().string(), error.message());
  return type == fs::symlink_file;
}

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
    for_each_entry(folder, [&](std::string name, EntryKind kind) {
      entries.push_back({std::move(name), kind});
    });
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
  }

  std::vector<std::string> folders(const std::string& folder) const override {
    std::vector<std::string> names;
    for_each_entry(folder, [&](std::string name, EntryKind kind) {
      if (kind == EntryKind::folder) names.push_back(std::move(name));
    });
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  template <class Visit>
  void for_each_entry(const std::string& folder, Visit&& visit) const {
    const std::string root = files_.place_of(location());
    const fs::path place = folder.empty() ? root : root + "/" + folder;
    boost::system::error_code error;
    for (fs::directory_iterator at = open_folder(place, error), end; !error && at != end;
         at.increment(error)) {
      const fs::file_type type = type_of(*at);
      if (type == fs::file_not_found) continue;
      if (type == fs::directory_file && is_link(*at) && leads_back(at->path().string(), root)) continue;
      visit(at->path().filename().string(), kind_of(type));
    }
    if (error) throw unreadable("{}: {}", place.string(), error.message());
  }

  // Whether the link is a folder that it lies in: to go down into it would never end.
  static bool leads_back(const std::string& link, const std::string& root) {
    for (std::string folder = link; folder.size() > root.size();) {
      folder.resize(folder.rfind('/'));
      if (is_same_on_host(folder, link)) return true;
    }
    return false;
  }

  void check_not_replaced() const {
    struct stat status {};  // what is gone is another device's inode 0
    if (!files_.look(location(), status) && !is_absence(errno)) throw system_error(location(), errno);
    if (status.st_dev != folder_.st_dev || status.st_ino != folder_.st_ino) throw changed(location());
  }

  // What was removed has changed the folder that it was in.
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
