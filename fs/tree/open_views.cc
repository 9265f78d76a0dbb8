#include "fs/tree/open_views.h"

#include <utility>

namespace plainfs {
namespace {

constexpr size_t kMostKept = 1024;

}  // namespace

std::shared_ptr<ViewFile> OpenViews::find(Inode file) {
  const ReaderLock lock(mutex_);
  const auto found = known_.find(file);
  if (found == known_.end()) return nullptr;
  found->second.is_used.store(true, std::memory_order_relaxed);
  return found->second.view;
}

std::shared_ptr<ViewFile> OpenViews::keep(Inode file, std::shared_ptr<ViewFile> view) {
  std::vector<std::shared_ptr<ViewFile>> closed;  // freed behind the lock
  const WriterLock lock(mutex_);
  Known& known = known_[file];
  if (known.view) return known.view;
  if (known.measured) view->adopt(known.measured);
  kept_.push_back(file);
  known.view = view;
  closed = close_some();
  return view;
}

// Those that are neither open nor were asked for since they were last looked at, to be freed without the
// mutex.
std::vector<std::shared_ptr<ViewFile>> OpenViews::close_some() {
  std::vector<std::shared_ptr<ViewFile>> closed;
  for (size_t tries = 2 * kept_.size(); kept_.size() > kMostKept && tries > 0; --tries) {
    const Inode file = kept_.front();
    kept_.pop_front();
    Known& known = known_[file];
    if (known.view.use_count() > 1 || known.is_used.exchange(false, std::memory_order_relaxed)) {
      kept_.push_back(file);
    } else {
      closed.push_back(std::move(known.view));
      if (!known.size) known_.erase(file);
    }
  }
  return closed;
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

std::optional<uint64_t> OpenViews::size(Inode file) const {
  const ReaderLock lock(mutex_);
  const auto found = known_.find(file);
  return found == known_.end() ? std::nullopt : found->second.size;
}

std::vector<std::pair<Inode, MeasuredPtr>> OpenViews::measured() const {
  std::vector<std::pair<Inode, MeasuredPtr>> all;
  const ReaderLock lock(mutex_);
  for (const auto& [file, known] : known_) {
    MeasuredPtr measured = known.view ? known.view->measured() : nullptr;
    if (!measured) measured = known.measured;
    if (measured) all.emplace_back(file, std::move(measured));
  }
  return all;
}

void OpenViews::remember_size(Inode file, uint64_t size, const ViewFile& view) {
  const WriterLock lock(mutex_);
  Known& known = known_[file];
  known.size = size;
  if (MeasuredPtr measured = view.measured()) known.measured = std::move(measured);
}

}  // namespace plainfs
