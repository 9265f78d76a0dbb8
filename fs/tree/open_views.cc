#include "fs/tree/open_views.h"

#include <algorithm>
#include <utility>

namespace plainfs {
namespace {

constexpr size_t kMaxKept = 1024;

}  // namespace

std::shared_ptr<ViewFile> OpenViews::find(Inode file) {
  const ReaderLock lock(mutex_);
  const auto found = known_.find(file);
  if (found == known_.end()) return nullptr;
  found->second.is_used.store(true, std::memory_order_relaxed);
  return found->second.view;
}

std::shared_ptr<ViewFile> OpenViews::keep(Inode file, std::shared_ptr<ViewFile> view, IndexPlacePtr place) {
  std::vector<std::shared_ptr<ViewFile>> closed;  // freed after the lock
  const WriterLock lock(mutex_);
  Known& known = known_[file];
  if (known.view) return known.view;
  if (known.measured) view->adopt(known.measured);
  kept_.push_back(file);
  known.view = view;
  known.place = std::move(place);
  close_some(closed);
  forget_lost_names(closed);
  return view;
}

// Drops views that are neither open nor were used since the last check. closed: to be freed without the
// mutex.
void OpenViews::close_some(std::vector<std::shared_ptr<ViewFile>>& closed) {
  for (size_t tries = 2 * kept_.size(); kept_.size() > kMaxKept && tries > 0; --tries) {
    const Inode file = kept_.front();
    kept_.pop_front();
    Known& known = known_[file];
    if (known.view.use_count() > 1 || known.is_used.exchange(false, std::memory_order_relaxed)) {
      kept_.push_back(file);
    } else {
      if (!known.measured && known.place) known.measured = known.view->measured();  // of a pass that stopped
      closed.push_back(std::move(known.view));
      if (!known.measured) known.place = nullptr;
      if (!known.size && !known.measured) known_.erase(file);
    }
  }
}

// Forgets files with released names: no request can refer to their inodes.
void OpenViews::forget_lost_names(std::vector<std::shared_ptr<ViewFile>>& closed) {
  if (!inodes_ || known_.size() < known_before_look_) return;
  for (auto known = known_.begin(); known != known_.end();) {
    std::shared_ptr<ViewFile>& view = known->second.view;
    if (view.use_count() > 1 || inodes_->knows(known->first)) {
      ++known;
      continue;
    }
    if (std::optional<Measurement> measurement = measurement_of(known->second))
      of_released_.push_back(*std::move(measurement));
    if (view) closed.push_back(std::move(view));
    known = known_.erase(known);
  }
  std::erase_if(kept_, [this](Inode file) REQUIRES(mutex_) { return !known_.contains(file); });
  known_before_look_ = std::max(kFewKnown, 2 * known_.size());
}

std::shared_ptr<ViewFile> OpenViews::let_go(Inode file) {
  const WriterLock lock(mutex_);
  const auto found = known_.find(file);
  if (found == known_.end() || found->second.view.use_count() != 1) return nullptr;
  std::shared_ptr<ViewFile> view = std::move(found->second.view);
  std::erase(kept_, file);
  if (!found->second.size) known_.erase(found);
  return view;
}

std::vector<std::shared_ptr<ViewFile>> OpenViews::let_go_if(const std::function<bool(Inode)>& is_one) {
  std::vector<Inode> kept;
  {
    const ReaderLock lock(mutex_);
    kept.assign(kept_.begin(), kept_.end());
  }
  std::vector<std::shared_ptr<ViewFile>> closed;
  for (const Inode file : kept)
    if (is_one(file))
      if (std::shared_ptr<ViewFile> view = let_go(file)) closed.push_back(std::move(view));
  return closed;
}

std::optional<uint64_t> OpenViews::size(Inode file) const {
  const ReaderLock lock(mutex_);
  const auto found = known_.find(file);
  return found == known_.end() ? std::nullopt : found->second.size;
}

std::vector<OpenViews::Measurement> OpenViews::measured(bool forgets_released) {
  const WriterLock lock(mutex_);
  std::vector<Measurement> all = of_released_;
  if (forgets_released) of_released_.clear();
  for (const auto& [file, known] : known_)
    if (std::optional<Measurement> measurement = measurement_of(known))
      all.push_back(*std::move(measurement));
  return all;
}

MeasuredPtr OpenViews::measured_of(const Known& known) {
  MeasuredPtr measured = known.view ? known.view->measured() : nullptr;
  return measured ? measured : known.measured;
}

std::optional<OpenViews::Measurement> OpenViews::measurement_of(const Known& known) {
  MeasuredPtr measured = known.place ? measured_of(known) : nullptr;
  return measured ? std::optional(Measurement{known.place, std::move(measured)}) : std::nullopt;
}

std::optional<OpenViews::Measurement> OpenViews::measurement(Inode file) const {
  const ReaderLock lock(mutex_);
  const auto found = known_.find(file);
  return found == known_.end() ? std::nullopt : measurement_of(found->second);
}

void OpenViews::remember_size(Inode file, uint64_t size, const ViewFile& view) {
  std::vector<std::shared_ptr<ViewFile>> closed;  // freed after the lock
  const WriterLock lock(mutex_);
  forget_lost_names(closed);
  Known& known = known_[file];
  known.size = size;
  if (MeasuredPtr measured = view.measured()) known.measured = std::move(measured);
}

}  // namespace plainfs
