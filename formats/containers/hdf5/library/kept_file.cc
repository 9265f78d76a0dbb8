#include "formats/containers/hdf5/library/kept_file.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace plainfs::hdf5 {

void KeptFile::write_at(uint64_t offset, std::span<const char> bytes) {
  if (bytes.empty()) return;
  const uint64_t end = offset + bytes.size();
  size_ = std::max(size_, end);
  // The first extent that reaches offset or begins after it.
  auto at = extents_.upper_bound(offset);
  if (at != extents_.begin() && std::prev(at)->first + std::prev(at)->second.size() >= offset) --at;
  if (at != extents_.end() && at->first <= offset && at->first + at->second.size() >= end) {
    std::copy(bytes.begin(), bytes.end(), at->second.begin() + static_cast<ptrdiff_t>(offset - at->first));
    return;
  }
  // Joins all extents that touch the new bytes.
  uint64_t start = offset;
  std::string joined;
  if (at != extents_.end() && at->first < offset) {
    start = at->first;
    joined = std::move(at->second);
    joined.resize(offset - start);
    at = extents_.erase(at);
  }
  joined.append(bytes.data(), bytes.size());
  while (at != extents_.end() && at->first <= end) {
    if (at->first + at->second.size() > end) joined.append(at->second, end - at->first);
    at = extents_.erase(at);
  }
  extents_[start] = std::move(joined);
}

void KeptFile::read_at(uint64_t offset, std::span<char> bytes) {
  std::memset(bytes.data(), 0, bytes.size());
  const uint64_t end = offset + bytes.size();
  auto at = extents_.upper_bound(offset);
  if (at != extents_.begin()) --at;
  for (; at != extents_.end() && at->first < end; ++at) {
    const uint64_t from = std::max(offset, at->first), to = std::min(end, at->first + at->second.size());
    if (from < to)
      std::memcpy(bytes.data() + (from - offset), at->second.data() + (from - at->first), to - from);
  }
}

}  // namespace plainfs::hdf5
