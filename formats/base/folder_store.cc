#include "formats/base/folder_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>

#include "formats/base/error.h"
#include "formats/base/file_time.h"
#include "formats/base/local_file.h"
#include "formats/base/modified_time.h"

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

class FolderStore : public KeyStore {
 public:
  FolderStore(std::string path, Sources& files) : KeyStore(std::move(path)), files_(files) {
    ::stat(location().c_str(), &folder_);
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
    boost::system::error_code unknown;
    return fs::is_directory(location() + "/" + folder, unknown);
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
    const fs::path place = folder.empty() ? location() : location() + "/" + folder;
    boost::system::error_code error;
    for (fs::directory_iterator at(place, error), end; !error && at != end; at.increment(error)) {
      boost::system::error_code unknown;  // a dangling symbolic link is nothing
      const fs::file_type type = at->status(unknown).type();
      if (type == fs::file_not_found) continue;
      const bool is_folder = type == fs::directory_file;
      if (is_folder && at->symlink_status(unknown).type() == fs::symlink_file &&
          leads_back(at->path().string()))
        continue;
      visit(at->path().filename().string(), kind_of(type));
    }
    if (error) throw unreadable("{}: {}", place.string(), error.message());
  }

  // Whether the link is a folder that it lies in: to go down into it would never end.
  bool leads_back(const std::string& link) const {
    struct stat target {};
    if (::stat(link.c_str(), &target) != 0) return false;
    for (std::string folder = link; folder.size() > location().size();) {
      folder.resize(folder.rfind('/'));
      struct stat above {};
      if (::stat(folder.c_str(), &above) == 0 && above.st_dev == target.st_dev &&
          above.st_ino == target.st_ino)
        return true;
    }
    return false;
  }

  void check_not_replaced() const {
    struct stat status {};
    const bool is_there =
        ::stat(location().c_str(), &status) == 0;  // what is gone is another device's inode 0
    if (!is_there && errno != ENOENT) throw system_error(location(), errno);
    if (status.st_dev != folder_.st_dev || status.st_ino != folder_.st_ino) throw changed(location());
  }

  // What was removed has changed the folder that it was in.
  void check_nothing_gone(std::string file_path) const {
    struct stat status {};
    do {
      file_path.resize(file_path.rfind('/'));
      if (::stat(file_path.c_str(), &status) == 0) {
        if (is_modified_since(modified_time(status), opened_)) throw changed(file_path);
        return;
      }
    } while (errno == ENOENT && file_path.size() > location().size());
    if (errno != ENOENT) throw system_error(file_path, errno);
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
