#include "fs/native/binning_index.h"

#include <algorithm>

namespace plainfs {

namespace {

constexpr uint64_t kNowhere = ~uint64_t{0};

// Where the compressed bytes stand, of a virtual offset.
uint64_t member_of(uint64_t offset) {
  return offset >> 16;
}

}  // namespace

uint64_t Binning::bin_of(uint64_t start, uint64_t end) const {
  unsigned bits = kLeafBits;
  for (unsigned level = depth; level > 0; --level, bits += 3)
    if (start >> bits == (end - 1) >> bits) return first_bin(level) + (start >> bits);
  return 0;
}

uint64_t Binning::first_leaf(uint64_t bin) const {
  unsigned level = 0;
  for (uint64_t above = bin; above > 0; above = (above - 1) >> 3) ++level;
  return (bin - first_bin(level)) << (3 * (depth - level));
}

void ChromosomeIndex::add(uint64_t start, uint64_t end, uint64_t offset) {
  const uint64_t bin = binning_.bin_of(start, end);
  if (lines_ == 0) begin_ = offset;
  if (lines_ == 0 || bin != last_bin_) {
    if (lines_ > 0) bins_[last_bin_].push_back({chunk_begin_, offset});
    chunk_begin_ = offset;
    last_bin_ = bin;
  }
  const uint64_t last_window = (end - 1) >> Binning::kLeafBits;
  if (windows_.size() <= last_window) windows_.resize(last_window + 1, kNowhere);
  for (uint64_t w = start >> Binning::kLeafBits; w <= last_window; ++w)
    if (windows_[w] == kNowhere) windows_[w] = offset;
  ++lines_;
}

void ChromosomeIndex::finish(uint64_t offset) {
  end_ = offset;
  if (lines_ > 0) bins_[last_bin_].push_back({chunk_begin_, offset});
  fill_windows();
  join_small_bins();
  join_chunks();
}

void ChromosomeIndex::fill_windows() {
  for (size_t w = windows_.size(); w-- > 1;)
    if (windows_[w - 1] == kNowhere) windows_[w - 1] = windows_[w];
}

// A bin whose lines lie within 64 KiB of the file joins the one above it, where that has lines too.
void ChromosomeIndex::join_small_bins() {
  constexpr uint64_t kFarApart = 0x10000;
  const auto by_begin = [](const IndexChunk& a, const IndexChunk& b) { return a.begin < b.begin; };
  for (unsigned level = binning_.depth; level > 0; --level) {
    const auto end = bins_.lower_bound(Binning::first_bin(level + 1));
    for (auto bin = bins_.lower_bound(Binning::first_bin(level)); bin != end;) {
      std::vector<IndexChunk>& chunks = bin->second;
      std::sort(chunks.begin(), chunks.end(), by_begin);
      const auto above = bins_.find((bin->first - 1) >> 3);
      const bool is_small = member_of(chunks.back().end) - member_of(chunks.front().begin) < kFarApart;
      if (!is_small || above == bins_.end()) {
        ++bin;
        continue;
      }
      above->second.insert(above->second.end(), chunks.begin(), chunks.end());
      bin = bins_.erase(bin);
    }
  }
  if (const auto root = bins_.find(0); root != bins_.end())
    std::sort(root->second.begin(), root->second.end(), by_begin);
}

// Chunks that meet in one member of the file become one.
void ChromosomeIndex::join_chunks() {
  for (auto& [bin, chunks] : bins_) {
    size_t last = 0;
    for (size_t i = 1; i < chunks.size(); ++i) {
      if (member_of(chunks[last].end) >= member_of(chunks[i].begin))
        chunks[last].end = std::max(chunks[last].end, chunks[i].end);
      else
        chunks[++last] = chunks[i];
    }
    chunks.resize(last + 1);
  }
}

}  // namespace plainfs
