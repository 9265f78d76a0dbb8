// The order of a matrix's entries, found out when it is first needed: what a file holds before and after the
// entries can be read without it.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "cache/cancellable_lock.h"
#include "fs/native/entry_order.h"

namespace plainfs {

class LaterOrder {
 public:
  explicit LaterOrder(std::function<std::unique_ptr<const EntryOrder>()> make) : make_(std::move(make)) {}
  // One that is there already.
  explicit LaterOrder(std::unique_ptr<const EntryOrder> order) : order_(std::move(order)) {}

  // Throws what making it throws, and the next one tries again.
  const EntryOrder& get() const {
    if (!make_) return *order_;
    once_.call([this] { order_ = make_(); });
    return *order_;
  }

 private:
  const std::function<std::unique_ptr<const EntryOrder>()> make_;  // empty: order_ is set from the beginning
  mutable Once once_;
  mutable std::unique_ptr<const EntryOrder> order_;  // written once, by once_
};

}  // namespace plainfs
