#include "formats/zarr/store.h"

#include <algorithm>
#include <boost/filesystem.hpp>

#include "formats/model/error.h"

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
  DirectoryStore(std::string path, Context& context) : KeyStore(std::move(path)), context_(context) {}

  ValuePtr open(const std::string& key) const override {
    FilePtr file = context_.files.open_if_exists(path() + "/" + key);
    if (!file) return nullptr;
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
      if (at->status(unknown).type() == fs::directory_file) names.push_back(at->path().filename().string());
    }
    if (error) throw unreadable("{}: {}", place.string(), error.message());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  Context& context_;
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
