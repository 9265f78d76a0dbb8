#include "formats/zarr/store.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>

#include "formats/base/error.h"
#include "formats/base/modified_time.h"

namespace plainfs::zarr {
namespace {

namespace fs = boost::filesystem;

// The largest metadata documents are consolidated ones; those of 100,000 arrays have some 100 MB.
constexpr uint64_t kMostDocumentBytes = uint64_t{256} << 20;

class FileValue : public Value {
 public:
  explicit FileValue(FilePtr file) : file_(std::move(file)) {}
  uint64_t size() const override { return file_->size(); }
  Bytes read(uint64_t offset, uint64_t size) const override { return file_->read_at(offset, size); }
  Bytes read_all() const override { return read(0, size()); }

 private:
  FilePtr file_;
};

class DirectoryStore : public KeyStore {
 public:
  DirectoryStore(std::string path, Context& context) : KeyStore(std::move(path)), context_(context) {
    ::stat(this->path().c_str(), &folder_);
  }

  ValuePtr open(const std::string& key) const override {
    FilePtr file = context_.files.open_if_exists(path() + "/" + key);
    if (!file) return nullptr;
    return std::make_shared<FileValue>(std::move(file));
  }

  ValuePtr open_unchanged(const std::string& key) const override {
    check_not_replaced();
    const std::string file_path = path() + "/" + key;
    FilePtr file = context_.files.open_if_exists(file_path);
    if (!file) {
      check_nothing_gone(file_path);
      return nullptr;
    }
    file->check_unmodified_since(opened_);
    return std::make_shared<FileValue>(std::move(file));
  }

  bool has_folder(const std::string& folder) const override {
    boost::system::error_code unknown;
    return fs::is_directory(path() + "/" + folder, unknown);
  }

  std::vector<std::string> folders(const std::string& folder) const override {
    const fs::path place = folder.empty() ? path() : path() + "/" + folder;
    std::vector<std::string> names;
    boost::system::error_code error;
    for (fs::directory_iterator at(place, error), end; !error && at != end; at.increment(error)) {
      boost::system::error_code unknown;  // a dangling symbolic link is no folder
      if (at->status(unknown).type() != fs::directory_file) continue;
      if (at->symlink_status(unknown).type() == fs::symlink_file && leads_back(at->path().string())) continue;
      names.push_back(at->path().filename().string());
    }
    if (error) throw unreadable("{}: {}", place.string(), error.message());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  // Whether the link is a folder that it lies in: to go down into it would never end.
  bool leads_back(const std::string& link) const {
    struct stat target {};
    if (::stat(link.c_str(), &target) != 0) return false;
    for (std::string folder = link; folder.size() > path().size();) {
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
    ::stat(path().c_str(), &status);  // what is gone is another device's inode 0
    if (status.st_dev != folder_.st_dev || status.st_ino != folder_.st_ino) throw changed(path());
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
    } while (errno == ENOENT && file_path.size() > path().size());
    throw changed(path());
  }

  Context& context_;
  const timespec opened_ = file_time();
  struct stat folder_ {};  // when it was opened
};

}  // namespace

std::optional<Bytes> KeyStore::read_document(const std::string& key) const {
  const ValuePtr value = open(key);
  if (!value) return std::nullopt;
  if (value->size() > kMostDocumentBytes)
    throw damaged("{}: {} bytes are no metadata document", key, value->size());
  return value->read_all();
}

std::unique_ptr<const KeyStore> open_directory_store(const std::string& path, Context& context) {
  return std::make_unique<DirectoryStore>(path, context);
}

}  // namespace plainfs::zarr
