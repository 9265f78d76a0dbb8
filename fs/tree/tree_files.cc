// The tree's functions for the content of files.
#include <chrono>
#include <limits>

#include "formats/core/base/location.h"
#include "fs/index/housekeeping.h"
#include "fs/text/block_sizes.h"
#include "fs/text/side_by_side.h"
#include "fs/tree/tree.h"

namespace plainfs {
namespace {

using Clock = std::chrono::steady_clock;

void check_shown_size(uint64_t size) {
  constexpr uint64_t kLargestFile = std::numeric_limits<off_t>::max();
  if (size > kLargestFile) throw unsupported("a file of {} bytes is too large", size);
}

}  // namespace

bool Tree::changes(Inode file) {
  const ReaderLock lock(mutex_);
  const EntryPtr known = met(file);
  return known && known->changes;
}

// Returns the file's place in an index; null if it cannot be determined.
IndexPlacePtr Tree::index_place(Inode file) noexcept {
  IndexPlacePtr found;
  keep_house("the size of a file is not kept", notice(), [&] {
    IndexPlace place{top_.store->path, true, name(file)};
    const ReaderLock lock(mutex_);
    Inode at = inodes_->parent(file);
    for (; at != kRootInode && !inner_roots_.contains(at); at = inodes_->parent(at))
      place.path.insert(0, inodes_->name(at) + "/");
    if (const auto root = inner_roots_.find(at); root != inner_roots_.end()) {
      place.store = root->second;
      place.is_named = false;
    } else {
      for (auto name = top_.above.rbegin(); name != top_.above.rend(); ++name)
        place.path.insert(0, *name + "/");
    }
    found = std::make_shared<const IndexPlace>(std::move(place));
  });
  return found;
}

// Returns the measurement of an earlier session; null if it is missing.
MeasuredPtr Tree::measured_before(const IndexPlace& place) noexcept {
  MeasuredPtr measured;
  keep_house("the index of sizes is not used", notice(),
             [&] { measured = indexes_.of(place).measured(place.path); });
  return measured;
}

// Returns whether this session or an earlier one has measured the file's size.
bool Tree::is_known_size(Inode file) {
  if (open_views_.size(file)) return true;
  const IndexPlacePtr place = indexes_.are_kept() ? index_place(file) : nullptr;
  const MeasuredPtr measured = place ? measured_before(*place) : nullptr;
  return measured && !is_in_part(*measured);
}

std::shared_ptr<ViewFile> Tree::view(Inode file) {
  if (std::shared_ptr<ViewFile> known = open_views_.find(file)) return known;
  if (kind(file) != FileKind::file) throw not_found("{}: not a file", inodes_->path(file));
  std::shared_ptr<ViewFile> view = shown(file)->open();
  if (changes(file)) return view;
  IndexPlacePtr place = index_place(file);
  if (place && indexes_.are_kept() && !open_views_.size(file)) view->adopt(measured_before(*place));
  return open_views_.keep(file, std::move(view), std::move(place));
}

// Clients that list a folder of a remote store ask for one size after the other. Sizes that take a pass are
// therefore computed together, so that data shown in several files are fetched once.
void Tree::measure_with_listed(Inode file, const std::shared_ptr<ViewFile>& view) {
  if (!is_remote(*top_.store) || view->parts_to_measure() == 1) return;
  ListingPtr listing;
  {
    const ReaderLock lock(mutex_);
    const EntryPtr known = met(inodes_->parent(file));
    if (known && known->directory && known->directory->contents)
      listing = known->directory->contents->listing;
  }
  if (!listing) return;
  std::vector<std::shared_ptr<ViewFile>> together;
  bool is_listed = false;
  for (const Listing::Entry& entry : listing->entries()) {
    if (entry.kind != FileKind::file) continue;
    is_listed = is_listed || entry.inode == file;
    try {
      if (!known_size(entry.inode)) together.push_back(this->view(entry.inode));
    } catch (const Error&) {
      // size() reports the error
    }
  }
  if (is_listed && together.size() > 1) measure_side_by_side(std::move(together), listing_.context.workers);
}

uint64_t Tree::size(Inode file) {
  if (const std::optional<uint64_t> known = known_size(file)) return *known;
  const std::shared_ptr<ViewFile> of = view(file);
  const Clock::time_point start = Clock::now();
  measure_with_listed(file, of);
  const uint64_t size = remembered_size(file, of->size(), *of);
  const bool is_kept = indexes_.are_kept() && !changes(file);
  const IndexPlacePtr place = is_kept ? index_place(file) : nullptr;
  if (place) save_if_due(*place, Clock::now() - start);
  return size;
}

void Tree::save_if_due(const IndexPlace& place, Clock::duration pass) noexcept {
  keep_house("the index of sizes is not saved", notice(), [&] {
    StoreIndex& index = indexes_.of(place);
    index.count(pass);
    if (index.is_due()) save_index(false);
  });
}

std::optional<uint64_t> Tree::known_size(Inode file) {
  if (const std::optional<uint64_t> known = open_views_.size(file)) return known;
  std::shared_ptr<ViewFile> of = open_views_.find(file);
  if (!of) {
    if (kind(file) != FileKind::file) throw not_found("{}: not a file", inodes_->path(file));
    // A lookup does not wait for the check of all files of the store that reading the index requires.
    const bool is_kept = indexes_.are_kept() && !changes(file);
    const IndexPlacePtr place = is_kept ? index_place(file) : nullptr;
    of = !place || indexes_.of(*place).is_read() ? view(file) : shown(file)->open();
  }
  const std::optional<uint64_t> size = of->known_size();
  if (!size) return std::nullopt;
  return remembered_size(file, *size, *of);
}

std::optional<uint64_t> Tree::listed_size(const Listing::Entry& part) {
  const FoundFilesPtr found = found_in(inodes_->parent(part.inode));
  if (!found) return known_size(part.inode);
  const std::optional<uint64_t> size = found->listed_size(part.name);
  if (size) check_shown_size(*size);
  return size;
}

// Parts, of which there may be millions, derive their sizes from a common measurement.
uint64_t Tree::remembered_size(Inode file, uint64_t size, const ViewFile& view) {
  check_shown_size(size);
  if (!changes(file) && !inodes_->listed_part(file)) open_views_.remember_size(file, size, view);
  return size;
}

bool Tree::discard_index(Inode file) noexcept {
  const bool is_kept = indexes_.are_kept() && !changes(file);
  const IndexPlacePtr place = is_kept ? index_place(file) : nullptr;
  bool existed = false;
  if (place)
    keep_house("a wrong size is not discarded from the index", notice(),
               [&] { existed = indexes_.of(*place).discard(place->path); });
  return existed;
}

void Tree::save_index(bool is_wanted) {
  if (!indexes_.are_kept()) return;
  add_measured(indexes_, true);
  indexes_.save(is_wanted);
}

void Tree::save_index_in(IndexFolderPtr folder) {
  Indexes indexes(std::move(folder), indexes_);
  add_measured(indexes, false);
  indexes.save(true);
}

void Tree::add_measured(Indexes& indexes, bool forgets_released) {
  for (const auto& [place, measured] : open_views_.measured(forgets_released))
    indexes.of(*place).add(place->path, measured);
}

}  // namespace plainfs
