#include "fs/native/binning_index.h"

#include <algorithm>
#include <optional>

namespace plainfs {

namespace {

constexpr uint64_t kNowhere = ~uint64_t{0};

// Returns the offset of the compressed member in a virtual offset.
uint64_t member_of(uint64_t offset) {
  return offset >> 16;
}

unsigned level_of(uint64_t bin) {
  unsigned level = 0;
  for (uint64_t above = bin; above > 0; above = (above - 1) >> 3) ++level;
  return level;
}

}  // namespace

uint64_t Binning::bin_of(uint64_t start, uint64_t end) const {
  unsigned bits = kLeafBits;
  for (unsigned level = depth; level > 0; --level, bits += 3)
    if (start >> bits == (end - 1) >> bits) return first_bin(level) + (start >> bits);
  return 0;
}

uint64_t Binning::first_leaf(uint64_t bin) const {
  const unsigned level = level_of(bin);
  return (bin - first_bin(level)) << (3 * (depth - level));
}

uint64_t Binning::without_root(uint64_t bin) {
  const unsigned level = level_of(bin);
  return bin - first_bin(level) + first_bin(level - 1);
}

void ChromosomeIndex::add(uint64_t start, uint64_t end, uint64_t offset) {
  const uint64_t bin = binning_.bin_of(start, end);
  if (lines_ == 0) begin_ = offset;
  if (runs_.empty() || bin != runs_.back().bin) runs_.push_back({bin, offset});
  const uint64_t last_window = (end - 1) >> Binning::kLeafBits;
  if (windows_.size() <= last_window) windows_.resize(last_window + 1, kNowhere);
  for (uint64_t w = start >> Binning::kLeafBits; w <= last_window; ++w)
    if (windows_[w] == kNowhere) windows_[w] = offset;
  ++lines_;
}

void ChromosomeIndex::finish(uint64_t offset) {
  end_ = offset;
  fill_windows();
  fill_bins();
  runs_ = {};
}

void ChromosomeIndex::fill_windows() {
  for (size_t w = windows_.size(); w-- > 1;)
    if (windows_[w - 1] == kNowhere) windows_[w - 1] = windows_[w];
}

// The bins of a chromosome with a given number of windows, each at its own place, in the order of their
// numbers.
class ChromosomeIndex::Tree {
 public:
  Tree(Binning binning, uint64_t windows) : binning_(binning) {
    for (unsigned level = 0; level <= binning.depth; ++level) {
      const unsigned bits = 3 * (binning.depth - level);  // of a window's number, below this level
      firsts_.push_back(firsts_.back() + (windows == 0 ? 0 : ((windows - 1) >> bits) + 1));
    }
    bins_.resize(firsts_.back());
  }

  size_t place_of(uint64_t bin) const {
    unsigned level = 0;
    while (bin >= Binning::first_bin(level + 1)) ++level;
    return firsts_[level] + (bin - Binning::first_bin(level));
  }

  // Adds lines in the order of the file.
  void add(size_t place, uint64_t begin, uint64_t end) {
    Bin& bin = bins_[place];
    bin.begin = std::min(bin.begin, begin);
    bin.end = end;
  }

  // Joins a bin with lines within 64 KiB of the file to the one above it, if that has lines too.
  void join_small_bins() {
    constexpr uint64_t kFarApart = 0x10000;
    for (unsigned level = binning_.depth; level > 0; --level) {
      for (size_t i = firsts_[level]; i < firsts_[level + 1]; ++i) {
        Bin& bin = bins_[i];
        const size_t place_above = firsts_[level - 1] + ((i - firsts_[level]) >> 3);
        Bin& above = bins_[place_above];
        if (!bin.has_lines() || !above.has_lines()) continue;
        if (member_of(bin.end) - member_of(bin.begin) >= kFarApart) continue;
        bin.joined = place_above;
        above.begin = std::min(above.begin, bin.begin);
        above.end = std::max(above.end, bin.end);
      }
    }
  }

  // Returns the bins that are left. Afterwards which() returns the index of the bin that received the lines
  // of a place.
  std::vector<IndexBin> left() {
    std::vector<IndexBin> left;
    unsigned level = 0;
    for (size_t i = 0; i < bins_.size(); ++i) {
      while (i >= firsts_[level + 1]) ++level;
      if (bins_[i].joined) {
        bins_[i].which = bins_[*bins_[i].joined].which;
      } else if (bins_[i].has_lines()) {
        bins_[i].which = left.size();
        left.push_back({Binning::first_bin(level) + (i - firsts_[level]), {}});
      }
    }
    return left;
  }
  size_t which(size_t place) const { return bins_[place].which; }

 private:
  struct Bin {
    bool has_lines() const { return begin != kNowhere; }
    uint64_t begin = kNowhere;
    uint64_t end = 0;
    std::optional<size_t> joined;  // the place of the bin above
    size_t which = 0;
  };
  const Binning binning_;
  std::vector<size_t> firsts_{0};  // of each level
  std::vector<Bin> bins_;
};

void ChromosomeIndex::fill_bins() {
  Tree tree(binning_, windows_.size());
  std::vector<size_t> places(runs_.size());
  const auto end_of = [&](size_t run) { return run + 1 < runs_.size() ? runs_[run + 1].begin : end_; };
  for (size_t i = 0; i < runs_.size(); ++i) {
    places[i] = tree.place_of(runs_[i].bin);
    tree.add(places[i], runs_[i].begin, end_of(i));
  }
  tree.join_small_bins();
  bins_ = tree.left();
  for (size_t i = 0; i < runs_.size(); ++i) {
    std::vector<IndexChunk>& chunks = bins_[tree.which(places[i])].chunks;
    // Chunks that meet in one member of the file are merged.
    if (!chunks.empty() && member_of(chunks.back().end) >= member_of(runs_[i].begin))
      chunks.back().end = end_of(i);
    else
      chunks.push_back({runs_[i].begin, end_of(i)});
  }
}

}  // namespace plainfs
