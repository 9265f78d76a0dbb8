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
  if (type == fs::file_not_found) return EntryKind::nothing;
  if (type == fs::regular_file) return EntryKind::file;
  return type == fs::directory_file ? EntryKind::folder : EntryKind::other;
}

bool is_link(const fs::directory_entry& entry) {
  boost::system::error_code error;
  const fs::file_type type = entry.symlink_status(error).type();
  if (type == fs::status_error) throw unreadable("{}: {}", entry.path().string(), error.message());
  return type == fs::symlink_file;
}

// A link that leads nowhere, or where the system does not let anyone look, is nothing.
fs::file_type type_of(const fs::directory_entry& entry) {
  boost::system::error_code error;
  const fs::file_type type = entry.status(error).type();
  if (type != fs::status_error) return type;
  if (is_absence(error.value()) || is_link(entry)) return fs::file_not_found;
  throw unreadable("{}: {}", entry.path().string(), error.message());
}

class FolderStore : public KeyStore {
 public:
  FolderStore(std::string path, Sources& files) : KeyStore(std::move(path)), files_(files) {
    if (::stat(location().c_str(), &folder_) != 0 && !is_absence(errno))
      throw system_error(location(), errno);
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
    return is_folder_on_host(location() + "/" + folder);
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

  std::vector<std::string> folders(const std::string& folder) const override {
    std::vector<std::string> names;
    visit(folder, [&](Entry entry) {
      if (entry.kind == EntryKind::folder) names.push_back(std::move(entry.name));
      return true;
    });
    std::sort(names.begin(), names.end());
    return names;
  }

  void visit(const std::string& folder, const std::function<bool(Entry)>& visit) const override {
    const fs::path place = folder.empty() ? location() : location() + "/" + folder;
    boost::system::error_code error;
    for (fs::directory_iterator at = open_folder(place, error), end; !error && at != end;
         at.increment(error)) {
      const fs::file_type type = type_of(*at);
      if (type == fs::directory_file && is_link(*at) && leads_back(at->path().string())) continue;
      if (type == fs::file_not_found && !is_link(*at)) continue;  // gone since the folder was opened
      if (!visit({at->path().filename().string(), kind_of(type)})) return;
    }
    if (error) throw unreadable("{}: {}", place.string(), error.message());
  }

 private:
  // Whether the link is a folder that it lies in: to go down into it would never end.
  bool leads_back(const std::string& link) const {
    for (std::string folder = link; folder.size() > location().size();) {
      folder.resize(folder.rfind('/'));
      if (is_same_on_host(folder, link)) return true;
    }
    return false;
  }

  void check_not_replaced() const {
    struct stat status {};  // what is gone is another device's inode 0
    if (::stat(location().c_str(), &status) != 0 && !is_absence(errno)) throw system_error(location(), errno);
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
