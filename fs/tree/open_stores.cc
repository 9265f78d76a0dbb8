#include "fs/tree/open_stores.h"

#include <algorithm>
#include <optional>

#include "cache/cancellable_lock.h"
#include "cache/mutex.h"
#include "formats/open_store.h"

namespace plainfs {

struct OpenStores::Slot {
  Mutex opening;
  Context* context GUARDED_BY(opening) = nullptr;  // null until it is created
  StorePtr store GUARDED_BY(opening);
  std::optional<Error> error GUARDED_BY(opening);
};

OpenStores::OpenStores(Context& context, size_t max_open, std::function<void(const std::string&)> let_go)
    : context_(context), let_go_(std::move(let_go)), recent_(max_open) {}

OpenStores::~OpenStores() {
  for (const auto& [path, slot] : slots_)
    if (slot->context) slot->context->files.clear();
}

StorePtr OpenStores::open(const std::string& path) {
  std::shared_ptr<Slot> slot;
  {
    const MutexLock lock(mutex_);
    auto known = slots_.find(path);
    if (known == slots_.end()) known = slots_.emplace(path, std::make_shared<Slot>()).first;
    slot = known->second;
  }
  const CancellableLock opening(slot->opening);
  if (slot->error) throw *slot->error;
  if (!slot->store) {
    try {
      if (!slot->context) slot->context = &context_.of_store(path);
      slot->store = std::make_shared<const Store>(open_store(path, *slot->context));
    } catch (const Error& error) {
      if (!is_transient(error)) slot->error = error;
      throw;
    }
  }
  StorePtr store = slot->store;
  std::list<std::pair<std::string, std::shared_ptr<Slot>>> dropped;  // freed without the lock: closes files
  {
    const MutexLock lock(mutex_);
    dropped = recent_.keep(path, slot);
    for (const auto& [gone, its_slot] : dropped) slots_.erase(gone);
  }
  for (const auto& [gone, its_slot] : dropped) let_go_(gone);
  return store;
}

}  // namespace plainfs
