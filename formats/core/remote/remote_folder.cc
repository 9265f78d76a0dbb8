#include "formats/core/remote/remote_folder.h"

#include "formats/core/base/error.h"

namespace plainfs::remote {
namespace {

class RemoteValue : public Value {
 public:
  explicit RemoteValue(FilePtr file) : file_(std::move(file)) {}
  uint64_t size() const override { return file_->size(); }
  Bytes read(uint64_t offset, uint64_t size) const override { return file_->read_at(offset, size); }
  Bytes read_all() const override { return read(0, size()); }

 private:
  FilePtr file_;
};

class RemoteFolder : public KeyStore {
 public:
  RemoteFolder(const std::string& location, Sources& sources, Listing* listing)
      : KeyStore(location), sources_(sources), listing_(listing) {}

  bool is_remote() const override { return true; }
  bool is_listable() const override { return listing_ != nullptr; }

  ValuePtr open(const std::string& key) const override {
    FilePtr file = sources_.open_if_exists(place_of(key));
    if (!file) return nullptr;
    return std::make_shared<RemoteValue>(std::move(file));
  }

  bool has_folder(const std::string& folder) const override {
    return listing_ && !listing_->list(place_of(folder)).empty();
  }

  std::vector<Entry> list(const std::string& folder) const override {
    if (!listing_)
      throw unsupported("{}: a server of plain HTTP does not tell what is in a folder", place_of(folder));
    return listing_->list(place_of(folder));
  }

  std::vector<std::string> folders(const std::string& folder) const override {
    std::vector<std::string> names;
    for (Entry& entry : list(folder))
      if (entry.kind == EntryKind::folder) names.push_back(std::move(entry.name));
    return names;
  }

 private:
  std::string place_of(const std::string& key) const {
    return key.empty() ? location() : location() + "/" + key;
  }

  Sources& sources_;
  Listing* const listing_;
};

}  // namespace

KeyStorePtr open_remote_folder(const std::string& location, Sources& sources, Listing* listing) {
  return std::make_shared<const RemoteFolder>(location, sources, listing);
}

}  // namespace plainfs::remote
