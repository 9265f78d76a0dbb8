#include "fs/index/store_index.h"

#include <algorithm>
#include <boost/filesystem/path.hpp>
#include <utility>
#include <vector>

#include "cache/cancellable_lock.h"
#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "formats/core/codecs/checksum.h"

namespace plainfs {
namespace {

using Clock = std::chrono::steady_clock;

// A store whose passes took less in all has no index: it would cost as much as it spares.
constexpr auto kWorthKeeping = std::chrono::milliseconds(10);
// While a session lasts: so long a pass is worth keeping at once, and saving takes at most one part in so
// many.
constexpr auto kWorthSaving = std::chrono::milliseconds(250);
constexpr int kSavingShare = 20;

bool is_held(const IndexFile::Place& place, ByteSpan measured) {
  return place.length == measured.size() && place.checksum == crc32c(measured);
}

}  // namespace

StoreIndex::StoreIndex(IndexFolderPtr folder, const std::string& store, const std::string& options,
                       Sources& sources, std::function<void(const std::string&)> tell)
    : folder_(std::move(folder)),
      name_(boost::filesystem::path(store).filename().string()),
      key_(store + '\0' + options),
      sources_(sources),
      tell_(std::move(tell)) {}

void StoreIndex::told(const char* what, const Error& error) const {
  tell_(fmt::format("the index of sizes is not {}: {}: {}", what, folder_->path(), error.what()));
}

// The index on disk, where everything that it was made of is what it was.
std::unique_ptr<const IndexFile> StoreIndex::open_valid() try {
  auto file = folder_->open(name_, key_);
  if (!file || file->sources().empty()) return nullptr;
  for (const SourceStamp& source : file->sources()) {
    const std::optional<std::string> now = sources_.stamp(source.name);
    if (!now || *now != source.stamp) return nullptr;
  }
  return file;
} catch (const Error& error) {
  told("read", error);
  return nullptr;
}

std::shared_ptr<const IndexFile> StoreIndex::known() {
  {
    const MutexLock lock(mutex_);
    if (is_read_) return known_;
  }
  const CancellableLock looking(looking_);
  {
    const MutexLock lock(mutex_);
    if (is_read_) return known_;
  }
  std::shared_ptr<const IndexFile> file = open_valid();
  const MutexLock lock(mutex_);
  is_read_ = true;
  return known_ = std::move(file);
}

bool StoreIndex::is_read() {
  const MutexLock lock(mutex_);
  return is_read_;
}

MeasuredPtr StoreIndex::measured(const std::string& path) {
  const std::shared_ptr<const IndexFile> file = known();
  try {
    {
      const MutexLock lock(mutex_);
      if (const auto added = added_.find(path); added != added_.end()) return decode_measured(added->second);
    }
    const IndexFile::Place* const place = file ? file->find(path) : nullptr;
    return place ? decode_measured(file->measured(*place)) : nullptr;
  } catch (const Error& error) {
    told("used", error);
    return nullptr;
  }
}

bool StoreIndex::discard(const std::string& path) {
  const std::shared_ptr<const IndexFile> file = known();
  {
    const MutexLock lock(mutex_);
    const bool is_known = added_.erase(path) > 0 || (known_ && known_->find(path));
    if (!is_known) return false;
    added_.clear();
    known_ = nullptr;
  }
  try {
    folder_->remove(name_, key_);
  } catch (const Error& error) {
    told("removed", error);
  }
  return true;
}

void StoreIndex::add(const std::string& path, const MeasuredPtr& measured) {
  if (measured->version.empty()) return;
  const std::shared_ptr<const IndexFile> file = known();
  Bytes encoded = encode_measured(*measured);
  const IndexFile::Place* const place = file ? file->find(path) : nullptr;
  if (place && is_held(*place, encoded)) return;
  const MutexLock lock(mutex_);
  added_.emplace(path, std::move(encoded));
}

void StoreIndex::count(Duration passes) {
  const MutexLock lock(mutex_);
  passes_ += passes;
}

bool StoreIndex::is_due() {
  const MutexLock lock(mutex_);
  return passes_ > kWorthSaving && passes_ > saving_ * kSavingShare;
}

void StoreIndex::save(bool is_wanted) {
  const CancellableLock looking(looking_);
  std::map<std::string, Bytes> added;
  {
    const MutexLock lock(mutex_);
    if (added_.empty() || (!is_wanted && passes_ < kWorthKeeping)) return;
    added = added_;
    passes_ = Duration(0);
  }
  const auto start = Clock::now();
  try {
    write(added);
  } catch (const Error& error) {
    if (is_wanted) throw error.at("the index of sizes is not written");
    if (error.code() != Errc::changed) told("written", error);
  }
  const MutexLock lock(mutex_);
  saving_ = Clock::now() - start;
}

void StoreIndex::write(const std::map<std::string, Bytes>& added) {
  const auto used = sources_.stamps();
  if (!used || used->empty())
    throw Error(Errc::changed, "the store was written to while it was read, or just before");
  std::map<std::string, std::string> sources;
  for (const SourceStamp& source : *used) sources.emplace(source.name, source.stamp);
  std::map<std::string, Bytes> entries = added;
  if (const auto file = open_valid()) {
    for (const SourceStamp& source : file->sources()) sources.emplace(source.name, source.stamp);
    for (const IndexFile::Place& place : file->places())
      if (!entries.contains(std::string(place.path))) entries.emplace(place.path, file->measured(place));
  }
  std::vector<SourceStamp> stamps;
  for (auto& [source, stamp] : sources) stamps.push_back({source, std::move(stamp)});
  std::vector<IndexEntry> files;
  for (auto& [path, measured] : entries) files.push_back({path, std::move(measured)});
  folder_->write(name_, key_, encode_index(key_, stamps, files));
  std::shared_ptr<const IndexFile> file = folder_->open(name_, key_);
  if (!file) return;
  const MutexLock lock(mutex_);
  known_ = std::move(file);
  is_read_ = true;
  std::erase_if(added_, [&](const auto& entry) { return added.contains(entry.first); });
}

}  // namespace plainfs
