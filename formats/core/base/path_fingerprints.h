// What each path of a store looked like when it was first used: 12 bytes a path, because a Zarr store may
// have millions of chunk files, and no more paths than it is told, because one may have thousands of millions
// that are not there. Where it is full it begins anew. Not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace plainfs {

class PathFingerprints {
 public:
  // most_paths: about how many are remembered.
  explicit PathFingerprints(size_t most_paths = size_t{1} << 20) : most_paths_(most_paths) {}

  // Remembers fingerprint for a path that is new. False where the path is known by another fingerprint.
  // Paths are told apart by 64 bits of hash, fingerprints by 32.
  bool matches(std::string_view path, uint64_t fingerprint);
  bool knows(std::string_view path) const;
  void clear();

 private:
  size_t slot_of(uint64_t key) const;
  void make_room();

  const size_t most_paths_;
  // Open addressing with linear probing; a key of 0 is a free slot.
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> fingerprints_;
  size_t used_ = 0;
};

}  // namespace plainfs
