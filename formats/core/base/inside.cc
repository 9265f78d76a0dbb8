#include "formats/core/base/inside.h"

#include <utility>

#include "formats/core/base/sources.h"

namespace plainfs {
namespace {

class FolderInside : public KeyStore {
 public:
  FolderInside(std::string location, InsideFiles::Place place, Sources& files)
      : KeyStore(std::move(location)), place_(std::move(place)), files_(files) {}

  ValuePtr open(const std::string& key) const override {
    FilePtr file = files_.open_if_exists(location() + "/" + key);
    return file ? std::make_shared<FileValue>(std::move(file)) : nullptr;
  }
  bool has_folder(const std::string& folder) const override {
    return place_.tree->kind_of(key_of(folder)) == EntryKind::folder;
  }
  std::vector<Entry> list(const std::string& folder) const override {
    return place_.tree->list(key_of(folder));
  }

 private:
  std::string key_of(const std::string& folder) const {
    if (place_.key.empty() || folder.empty()) return place_.key + folder;
    return place_.key + "/" + folder;
  }

  const InsideFiles::Place place_;
  Sources& files_;
};

}  // namespace

void InsideFiles::add(const std::string& outer, FileTreePtr tree) {
  const MutexLock lock(mutex_);
  trees_.insert_or_assign(outer, std::move(tree));
}

bool InsideFiles::has(const std::string& outer) const {
  const MutexLock lock(mutex_);
  return trees_.contains(outer);
}

std::optional<InsideFiles::Place> InsideFiles::find(const std::string& location) const {
  const MutexLock lock(mutex_);
  if (trees_.empty()) return std::nullopt;
  for (size_t slash = location.rfind('/'); slash != std::string::npos && slash > 0;
       slash = location.rfind('/', slash - 1)) {
    const auto found = trees_.find(location.substr(0, slash));
    if (found != trees_.end()) return Place{found->second, location.substr(slash + 1)};
  }
  return std::nullopt;
}

std::optional<InsideFiles::Place> InsideFiles::find_folder(const std::string& location) const {
  {
    const MutexLock lock(mutex_);
    if (const auto found = trees_.find(location); found != trees_.end()) return Place{found->second, ""};
  }
  std::optional<Place> place = find(location);
  if (place && place->tree->kind_of(place->key) != EntryKind::folder) return std::nullopt;
  return place;
}

std::optional<std::string> InsideFiles::host_of(const std::string& location) const {
  const MutexLock lock(mutex_);
  if (trees_.empty()) return std::nullopt;
  for (size_t slash = location.find('/', 1); slash != std::string::npos;
       slash = location.find('/', slash + 1)) {
    std::string outer = location.substr(0, slash);
    if (trees_.contains(outer)) return outer;
  }
  return std::nullopt;
}

KeyStorePtr open_folder_inside(const std::string& location, const InsideFiles::Place& place, Sources& files) {
  return std::make_shared<FolderInside>(location, place, files);
}

}  // namespace plainfs
