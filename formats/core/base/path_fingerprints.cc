#include "formats/core/base/path_fingerprints.h"

#include <algorithm>

namespace plainfs {

namespace {

// FNV-1a, with its high bits stirred into the low ones that choose the slot.
uint64_t key_of(std::string_view path) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : path) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  h ^= h >> 32;
  return h == 0 ? 1 : h;
}

}  // namespace

bool PathFingerprints::matches(std::string_view path, uint64_t fingerprint) {
  const auto folded = static_cast<uint32_t>(fingerprint ^ fingerprint >> 32);
  if (used_ * 8 >= keys_.size() * 7) make_room();
  const uint64_t key = key_of(path);
  const size_t slot = slot_of(key);
  if (keys_[slot] == key) return fingerprints_[slot] == folded;
  keys_[slot] = key;
  fingerprints_[slot] = folded;
  ++used_;
  return true;
}

bool PathFingerprints::knows(std::string_view path) const {
  const uint64_t key = key_of(path);
  return !keys_.empty() && keys_[slot_of(key)] == key;
}

void PathFingerprints::clear() {
  keys_ = {};
  fingerprints_ = {};
  used_ = 0;
}

// Where key stands, or the free slot it would take.
size_t PathFingerprints::slot_of(uint64_t key) const {
  const size_t mask = keys_.size() - 1;
  size_t slot = key & mask;
  while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & mask;
  return slot;
}

void PathFingerprints::make_room() {
  if (keys_.size() * 7 / 8 >= most_paths_) {
    std::fill(keys_.begin(), keys_.end(), 0);
    used_ = 0;
    return;
  }
  // Both, or neither where there is no memory.
  std::vector<uint64_t> keys(keys_.empty() ? 64 : keys_.size() * 2);
  std::vector<uint32_t> values(keys.size());
  keys.swap(keys_);
  values.swap(fingerprints_);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == 0) continue;
    const size_t slot = slot_of(keys[i]);
    keys_[slot] = keys[i];
    fingerprints_[slot] = values[i];
  }
}

}  // namespace plainfs
