// The most recently used few values by their keys. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <utility>

namespace plainfs {

// A search takes a time proportional to the number of values.
template <class Key, class Value>
class Recent {
 public:
  // most: at least 1.
  explicit Recent(size_t most) : max_(most) {}

  // Returns the value of a key, which becomes the most recently used; null if the key is unknown.
  const Value* find(const Key& key) {
    const auto kept =
        std::find_if(kept_.begin(), kept_.end(), [&](const auto& each) { return each.first == key; });
    if (kept == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, kept);
    return &kept_.front().second;
  }

  // Adds a value, in place of that of the same key. Returns the least recently used pair if there are too
  // many, in a list so that the caller chooses when to free it.
  std::list<std::pair<Key, Value>> keep(Key key, Value value) {
    std::list<std::pair<Key, Value>> dropped;
    if (find(key)) kept_.pop_front();
    kept_.emplace_front(std::move(key), std::move(value));
    if (kept_.size() > max_) dropped.splice(dropped.end(), kept_, std::prev(kept_.end()));
    return dropped;
  }

  template <class IsUnwanted>
  void erase_if(IsUnwanted&& is_unwanted) {
    std::erase_if(kept_, [&](const auto& each) { return is_unwanted(each.first); });
  }

 private:
  const size_t max_;
  std::list<std::pair<Key, Value>> kept_;  // the most recently used first
};

}  // namespace plainfs
