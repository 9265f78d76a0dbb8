#include "fs/index/store_index.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem/path.hpp>
#include <utility>
#include <vector>

#include "cache/cancellable_lock.h"
#include "cache/mutex.h"
#include "cache/request.h"
#include "formats/core/base/error.h"
#include "formats/core/base/used_sources.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/model/contents/cell_table.h"
#include "formats/core/model/contents/genome.h"
#include "fs/text/block_sizes.h"

namespace plainfs {
namespace {

using Clock = std::chrono::steady_clock;

// A store with passes that took less in total has no index: it would cost as much as it saves. A pass that
// has not ended was long.
constexpr auto kWorthKeeping = std::chrono::milliseconds(10);
// While a session lasts: a pass of this duration is saved at once, and saving takes at most one part in
// kSavingShare of the time.
constexpr auto kWorthSaving = std::chrono::milliseconds(250);
constexpr int kSavingShare = 20;

// The path of an entry in this user's index: an index beside the store was found to be wrong. Files have
// other paths.
constexpr const char kNotBeside[] = "/beside";

// Returns the folder of a location, with its trailing slash.
std::string folder_of(const std::string& location) {
  return location.substr(0, location.rfind('/') + 1);
}

// Returns whether an index beside the store may be read: on this machine, not if it belongs to another user
// than the store's owner, this user or root.
bool is_trusted(const File& beside, const std::string& store) {
  if (beside.descriptor() < 0) return true;
  struct stat of_index {
  }, of_store{};
  if (::fstat(beside.descriptor(), &of_index) != 0 || ::stat(store.c_str(), &of_store) != 0) return false;
  return of_index.st_uid == of_store.st_uid || of_index.st_uid == ::geteuid() || of_index.st_uid == 0;
}

bool is_held(const IndexFile::Place& place, ByteSpan measured) {
  return place.length == measured.size() && place.checksum == crc32c(measured);
}

bool is_entry_in_part(const Bytes& entry) {
  return is_in_part(*decode_measured(entry));
}

// Returns whether a pass that has not ended measured one of the entries.
bool has_part(const std::map<std::string, Bytes>& entries) {
  return std::any_of(entries.begin(), entries.end(),
                     [](const auto& entry) { return is_entry_in_part(entry.second); });
}

// Returns the entry for both measurements of a file.
Bytes joined_entries(const Bytes& now, const Bytes& before) {
  return encode_measured(*joined(decode_measured(now), decode_measured(before)));
}

// Returns everything that affects which files exist or what they contain, including the version, as another
// version may write the same content differently.
std::string join_text(const ReadOptions& options) {
  if (!options.join) return {};
  std::string text = fmt::format(" join={:d} label={}", options.join->is_outer, options.join->column);
  for (const JoinOptions::Member& store : options.join->stores)
    text.append(1, '\0').append(store.location).append(1, '\0').append(store.label);
  return text;
}

std::string options_text(const std::string& views, const ReadOptions& options) {
  return fmt::format(
      "plainfs {} views={} missing={:d} forbidden={:d} plugins={:d} header={:d} outside={:d} rowname={} "
      "ragged={:d} orientation={} cells={} genome={}{}",
      PLAINFS_VERSION, views, options.absent_chunk_is_error, options.remote.forbidden_is_absent,
      options.hdf5_plugins, options.array_header, options.follow_outside, options.row_name_header,
      options.ragged_as_count,
      !options.genes_in_rows   ? "auto"
      : *options.genes_in_rows ? "genes"
                               : "cells",
      options.cells ? options.cells->digest : "", options.genome ? options.genome->digest : "",
      join_text(options));
}

}  // namespace

StoreIndex::StoreIndex(IndexFolderPtr folder, const std::string& store, const std::string& options,
                       Sources& sources, std::function<void(const std::string&)> notice, bool looks_beside)
    : folder_(std::move(folder)),
      store_(store),
      name_(boost::filesystem::path(store).filename().string()),
      key_(store + '\0' + options),
      key_beside_("beside" + ('\0' + options)),
      looks_beside_(looks_beside),
      sources_(sources),
      notice_(std::move(notice)) {}

void StoreIndex::log_failure(const char* what, const Error& error) const {
  notice_(fmt::format("the index of sizes cannot be {}: {}: {}", what, folder_->path(), error.what()));
}

bool StoreIndex::is_valid(const IndexFile& file) {
  sources_.will_stamp(file.sources());
  for (const SourceStamp& source : file.sources()) {
    const std::optional<std::string> now = sources_.stamp(source.name);
    if (!now || !is_same_source(source, *now)) return false;
  }
  return !file.sources().empty();
}

// Most stores have no index beside them, which some servers report with a refusal.
std::unique_ptr<const IndexFile> StoreIndex::open_beside() try {
  const FilePtr file = sources_.look_into(beside_location(store_));
  if (!file || !is_trusted(*file, store_)) return nullptr;
  auto index = IndexFile::beside(file, key_beside_, folder_of(store_));
  return index && is_valid(*index) ? std::move(index) : nullptr;
} catch (const Error& error) {
  if (error.code() == Errc::damaged) log_failure("read beside the store", error);
  return nullptr;
}

// Opens the index on disk if everything that it was built from is unchanged.
std::unique_ptr<const IndexFile> StoreIndex::open_valid() try {
  auto file = folder_->open(name_, key_);
  return file && is_valid(*file) ? std::move(file) : nullptr;
} catch (const Error& error) {
  log_failure("read", error);
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

std::shared_ptr<const IndexFile> StoreIndex::beside() {
  const auto read = [this]() -> std::optional<std::shared_ptr<const IndexFile>> {
    const MutexLock lock(mutex_);
    if (!looks_beside_ || (known_ && known_->find(kNotBeside))) return nullptr;
    if (is_beside_read_) return beside_;
    return std::nullopt;
  };
  if (const auto known = read()) return *known;
  const CancellableLock looking(looking_);
  if (const auto known = read()) return *known;
  std::shared_ptr<const IndexFile> file = open_beside();
  const MutexLock lock(mutex_);
  is_beside_read_ = true;
  return beside_ = std::move(file);
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
    if (const IndexFile::Place* const place = file ? file->find(path) : nullptr)
      return decode_measured(file->measured(*place));
    const std::shared_ptr<const IndexFile> others = beside();
    const IndexFile::Place* const place = others ? others->find(path) : nullptr;
    return place ? decode_measured(others->measured(*place)) : nullptr;
  } catch (const Error& error) {
    log_failure("used", error);
    return nullptr;
  }
}

bool StoreIndex::discard(const std::string& path) {
  known();
  std::shared_ptr<const IndexFile> others = beside();
  {
    const MutexLock lock(mutex_);
    const bool is_known = added_.erase(path) > 0 || (known_ && known_->find(path));
    if (!is_known && !(others && others->find(path))) return false;
  }
  discard();
  return true;
}

void StoreIndex::discard() {
  std::shared_ptr<const IndexFile> others = beside();
  {
    const MutexLock lock(mutex_);
    // The known entries may have come from there.
    if (!others && known_ && known_->find(kNotBeside)) others = known_;
    added_.clear();
    known_ = nullptr;
    beside_ = nullptr;
  }
  try {
    folder_->remove(name_, key_);
    if (others)
      folder_->write(name_, key_, encode_index(key_, others->sources(), {{kNotBeside, encode_measured({})}}));
  } catch (const Error& error) {
    log_failure("removed", error);
  }
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

Bytes StoreIndex::to_lie_beside() {
  const std::shared_ptr<const IndexFile> own = known(), others = beside();
  if (!own && !others) throw unreadable("no sizes of {} are known", store_);
  const std::string folder = folder_of(store_);
  std::vector<SourceStamp> sources = (own ? own : others)->sources();
  for (SourceStamp& source : sources) {
    if (source.name != store_)
      throw unsupported("the store is not one file: it is also read from {}", source.name);
    source.name.erase(0, folder.size());
  }
  std::map<std::string, Bytes> entries;
  for (const auto& file : {own, others}) {
    if (!file) continue;
    for (const IndexFile::Place& place : file->places())
      if (place.path != kNotBeside) entries.emplace(place.path, file->measured(place));
  }
  std::vector<IndexEntry> files;
  for (auto& [path, measured] : entries) files.push_back({path, std::move(measured)});
  return encode_index(key_beside_, sources, files);
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
  Duration passes{0};
  {
    const MutexLock lock(mutex_);
    if (added_.empty() || (!is_wanted && passes_ < kWorthKeeping && !has_part(added_))) return;
    added = added_;
    passes = std::exchange(passes_, Duration(0));
  }
  const auto start = Clock::now();
  try {
    write(added);
  } catch (const Error& error) {
    if (is_wanted) throw error.at("the index of sizes cannot be written");
    if (error.code() != Errc::changed && !is_unsupported(error)) log_failure("written", error);
  } catch (const Cancelled&) {
    count(passes);  // the next request saves it
    throw;
  }
  const MutexLock lock(mutex_);
  saving_ = Clock::now() - start;
}

void StoreIndex::write(const std::map<std::string, Bytes>& added) {
  // Several machines may measure the parts of one store at once.
  IndexFolder::Turn turn;
  if (has_part(added)) turn = folder_->wait_for_turn(name_, key_);
  const auto used = sources_.stamps();
  if (!used || used->empty()) throw without_stamps({store_});
  std::map<std::string, std::string> sources;
  for (const SourceStamp& source : *used) sources.emplace(source.name, source.stamp);
  std::map<std::string, Bytes> entries = added;
  if (const auto file = open_valid()) {
    for (const SourceStamp& source : file->sources()) sources.emplace(source.name, source.stamp);
    for (const IndexFile::Place& place : file->places()) {
      const auto [entry, is_new] = entries.try_emplace(std::string(place.path));
      if (is_new)
        entry->second = file->measured(place);
      else if (is_entry_in_part(entry->second))
        entry->second = joined_entries(entry->second, file->measured(place));
    }
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

Indexes::Indexes(IndexFolderPtr folder, std::string named, const std::string& views, Context& context)
    : folder_(std::move(folder)),
      named_(std::move(named)),
      options_(options_text(views, context.options)),
      context_(context) {}

StoreIndex& Indexes::of(const IndexPlace& place) {
  const MutexLock lock(mutex_);
  std::unique_ptr<StoreIndex>& index = indexes_[place.store];
  if (!index) {
    // A store in a mirrored folder may consist of more files than the same store by itself.
    const std::string options = options_ + (place.store == named_ ? "" : " in a folder");
    Context& context = place.is_named ? context_ : context_.of_store(place.store);
    index = std::make_unique<StoreIndex>(
        folder_, place.store, options, context.files,
        [&context](const std::string& message) { context.notice(message); }, place.store == named_);
  }
  return *index;
}

void Indexes::save(bool is_wanted) {
  std::vector<StoreIndex*> all;
  {
    const MutexLock lock(mutex_);
    for (const auto& [store, index] : indexes_) all.push_back(index.get());
  }
  std::optional<Error> first;
  for (StoreIndex* const index : all) {
    try {
      index->save(is_wanted);
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw *first;
}

}  // namespace plainfs
