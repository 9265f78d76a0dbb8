// A lazy value: its first user generates it, such as a list that takes a pass over a store.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "cache/cancellable_lock.h"

namespace plainfs {

// Thread-safe. The value does not change once it is made, and lives as long as this object. A user that waits
// for another thread to make it can be cancelled.
template <class T>
class Lazy {
 public:
  Lazy() = default;
  // Holds a value from the start.
  explicit Lazy(T value) : value_(std::move(value)), is_generated_(true) {}

  // Returns the value, made by make() unless an earlier call made it. Concurrent callers wait. Throws what
  // make throws, and Cancelled; after an exception the next call makes the value again.
  template <class Make>
  const T& get(Make&& make) const {
    if (const T* const generated = known()) return *generated;
    const CancellableLock lock(making_);
    return known() ? *value_ : keep(make());
  }

  // Returns the value like get(make), but keeps it only if may_keep(value). If not, the next call makes it
  // again.
  template <class Make, class MayKeep>
  T get(Make&& make, MayKeep&& may_keep) const {
    if (const T* const generated = known()) return *generated;
    const CancellableLock lock(making_);
    if (known()) return *value_;
    T value = make();
    if (may_keep(std::as_const(value))) return keep(std::move(value));
    return value;
  }

  // Returns the value if it was made, else null. Never waits.
  const T* known() const { return is_generated_.load(std::memory_order_acquire) ? &*value_ : nullptr; }

 private:
  const T& keep(T value) const REQUIRES(making_) {
    value_.emplace(std::move(value));
    is_generated_.store(true, std::memory_order_release);
    return *value_;
  }

  mutable Mutex making_;  // held while the value is made
  // Written once, under making_. Not GUARDED_BY, because it is read without a lock once is_generated_ is set.
  mutable std::optional<T> value_;
  mutable std::atomic<bool> is_generated_{false};
};

}  // namespace plainfs
