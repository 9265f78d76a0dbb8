#include "fs/views/genomics/position_index.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cache/mutex.h"
#include "formats/core/base/encode.h"
#include "fs/layout/bgzf.h"

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

// A run of the file between two virtual offsets.
struct IndexChunk {
  uint64_t begin;
  uint64_t end;
};

struct IndexBin {
  uint64_t number;
  std::vector<IndexChunk> chunks;
};

// The binning index of one chromosome, as htslib builds it while reading records in order.
class ChromosomeIndex {
 public:
  explicit ChromosomeIndex(Binning binning) : binning_(binning) {}

  // Adds the next line, at virtual offset `offset`. Requires: start < end <= binning.positions(); starts do
  // not decrease.
  void add(uint64_t start, uint64_t end, uint64_t offset);
  // Adds lines after the last one that lie in its bin and do not extend beyond earlier lines. Requires: there
  // is a last line.
  void add_like_it(uint64_t lines) { lines_ += lines; }
  // Ends the index; `offset` is the end of the last line. Nothing may be added afterwards.
  void finish(uint64_t offset);

  // Returns the bins that hold lines, in ascending order. Requires: finish() was called.
  const std::vector<IndexBin>& bins() const { return bins_; }
  // Returns for each window of 2^14 positions the offset of the first line that overlaps it.
  const std::vector<uint64_t>& windows() const { return windows_; }
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  uint64_t lines() const { return lines_; }

 private:
  // Consecutive lines in one bin, up to the next run.
  struct Run {
    uint64_t bin;
    uint64_t begin;
  };
  class Tree;

  void fill_windows();
  void fill_bins();

  const Binning binning_;
  std::vector<Run> runs_;  // until finish()
  std::vector<IndexBin> bins_;
  std::vector<uint64_t> windows_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint64_t lines_ = 0;
};

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

struct Interval {
  std::string_view name;
  uint64_t start;
  uint64_t end;
};

Error out_of_order(const LineLayout& layout, std::string_view name, uint64_t start, uint64_t last_start) {
  return unsupported("the {}s of {} are not sorted by their starts: {} after {}", layout.line, name, start,
                     last_start);
}
Error ends_before_start(const LineLayout& layout, std::string_view name, uint64_t start, uint64_t end) {
  return unsupported("a {} of {} ends at {}, before its start {}", layout.line, name, end, start);
}

Error too_large(uint64_t position, std::string_view name) {
  return unsupported("position {} of {} is too large for this kind of index", position, name);
}

// A builder for the index with the deeper hierarchy, which contains the other one.
class Indexer {
 public:
  explicit Indexer(const LineLayout& layout) : layout_(layout) {}

  void add(const Interval& interval, uint64_t offset) {
    const auto& [name, start, end] = interval;
    if (names_.empty() || name != names_.back())
      begin_chromosome(name, offset);
    else if (start < last_start_)
      throw out_of_order(layout_, name, start, last_start_);
    if (end < start) throw ends_before_start(layout_, name, start, end);
    // An empty interval is found at the position of its start.
    const uint64_t past = std::max(end, start + 1);
    if (past > Binning::of(IndexKind::csi).positions()) throw too_large(std::max(start, end), name);
    if (past > Binning::of(IndexKind::tbi).positions() && !too_large_for_tbi_)
      too_large_for_tbi_ = too_large(std::max(start, end), name);
    last_start_ = start;
    chromosomes_.back().add(start, past, offset);
  }

  // Adds lines after the last one that are equal to it for the index, and begin at or before last_start.
  void add_like_it(uint64_t lines, uint64_t last_start) {
    chromosomes_.back().add_like_it(lines);
    last_start_ = last_start;
  }

  void finish(uint64_t offset) {
    if (!chromosomes_.empty()) chromosomes_.back().finish(offset);
  }

  const std::optional<Error>& too_large_for_tbi() const { return too_large_for_tbi_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<ChromosomeIndex>& chromosomes() const { return chromosomes_; }

 private:
  void begin_chromosome(std::string_view name, uint64_t offset) {
    if (!known_.emplace(name).second)
      throw unsupported("the {}s of {} are not contiguous", layout_.line, name);
    finish(offset);
    names_.emplace_back(name);
    chromosomes_.emplace_back(Binning::of(IndexKind::csi));
  }

  const LineLayout& layout_;
  std::optional<Error> too_large_for_tbi_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> known_;
  std::vector<ChromosomeIndex> chromosomes_;
  uint64_t last_start_ = 0;
};

// A writer of little-endian numbers, as in htslib.
class Writer {
 public:
  void bytes(std::string_view text) { out_ += text; }
  void u32(uint64_t value) { append_little(out_, value, 4); }
  void u64(uint64_t value) { append_little(out_, value, 8); }
  std::string finish() { return std::move(out_); }

 private:
  std::string out_;
};

// Writes the columns in tabix's terms: preset, sequence, begin, end, comment sign, lines to skip.
void put_columns(const LineLayout& layout, const std::vector<std::string>& names, Writer& out) {
  for (const uint32_t column : {layout.preset, layout.sequence, layout.begin, layout.end, uint32_t{'#'}, 0u})
    out.u32(column);
  uint64_t length = 0;
  for (const std::string& name : names) length += name.size() + 1;
  out.u32(length);
  for (const std::string& name : names) out.bytes(std::string_view(name.c_str(), name.size() + 1));
}

void put_chunks(const std::vector<IndexChunk>& chunks, Writer& out) {
  out.u32(chunks.size());
  for (const IndexChunk& chunk : chunks) {
    out.u64(chunk.begin);
    out.u64(chunk.end);
  }
}

void put_bins(const ChromosomeIndex& chromosome, IndexKind kind, Writer& out) {
  const Binning binning = Binning::of(kind);
  const std::vector<uint64_t>& windows = chromosome.windows();
  out.u32(chromosome.bins().size() + 1);
  for (const auto& [bin, chunks] : chromosome.bins()) {
    if (kind == IndexKind::csi) {
      const uint64_t leaf = binning.first_leaf(bin);
      out.u32(bin);
      out.u64(leaf < windows.size() ? windows[leaf] : 0);
    } else {
      out.u32(Binning::without_root(bin));
    }
    put_chunks(chunks, out);
  }
  out.u32(binning.count_bin());
  if (kind == IndexKind::csi) out.u64(0);
  put_chunks({{chromosome.begin(), chromosome.end()}, {chromosome.lines(), 0}}, out);
  if (kind == IndexKind::csi) return;
  out.u32(windows.size());
  for (const uint64_t window : windows) out.u64(window);
}

std::string written(const Indexer& index, const LineLayout& layout, IndexKind kind) {
  Writer out;
  const std::vector<std::string>& names = index.names();
  if (kind == IndexKind::tbi) {
    out.bytes(std::string_view("TBI\1", 4));
    out.u32(names.size());
    put_columns(layout, names, out);
  } else {
    Writer columns;
    put_columns(layout, names, columns);
    const std::string text = columns.finish();
    out.bytes(std::string_view("CSI\1", 4));
    out.u32(Binning::kLeafBits);
    out.u32(Binning::of(kind).depth);
    out.u32(text.size());
    out.bytes(text);
    out.u32(names.size());
  }
  for (const ChromosomeIndex& chromosome : index.chromosomes()) put_bins(chromosome, kind, out);
  out.u64(0);  // lines without a position
  return out.finish();
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

void IndexedLines::add_distinct(uint64_t start, uint64_t end) {
  if (error_) return;
  if (count_ > 0 && start < last_start_) {
    error_ = out_of_order(*layout_, chromosome_, start, last_start_);
  } else if (end < start) {
    error_ = ends_before_start(*layout_, chromosome_, start, end);
  }
  const uint64_t past = std::max(end, start + 1);
  const uint64_t bin = Binning::of(IndexKind::csi).bin_of(start, past);
  const uint64_t window = (past - 1) >> Binning::kLeafBits;
  leaf_ = start >> Binning::kLeafBits == window ? window : kNone;
  if (bin == bin_ && window < reached_) return;
  distinct_.push_back({start, end, bytes_});
  bin_ = bin;
  reached_ = std::max(reached_, window + 1);
}

struct PositionIndexer::State {
  State(const LineLayout& its_layout, uint64_t head_bytes)
      : layout(its_layout), index(std::in_place, layout), bytes(head_bytes) {}

  void take(const IndexedLines& lines) REQUIRES(mutex);

  const LineLayout& layout;
  Mutex mutex;
  std::optional<Indexer> index GUARDED_BY(mutex);  // until it is finished
  std::string tbi GUARDED_BY(mutex), csi GUARDED_BY(mutex);
  uint64_t next GUARDED_BY(mutex) = 0;  // the first block that was not taken
  std::map<uint64_t, std::vector<IndexedLines>> waiting GUARDED_BY(mutex);  // for the blocks before them
  uint64_t bytes GUARDED_BY(mutex);              // of the head and the blocks taken
  std::optional<Error> error GUARDED_BY(mutex);  // of the first block that has one
  std::optional<Error> tbi_error GUARDED_BY(mutex);
};

void PositionIndexer::State::take(const IndexedLines& lines) try {
  if (error) return;
  if (lines.error_) throw *lines.error_;
  for (const auto& [start, end, offset] : lines.distinct_) {
    const uint64_t at = bytes + offset;
    index->add({lines.chromosome_, start, end}, bgzf_virtual_offset(at, at + 1));
  }
  if (lines.count_ > 0) index->add_like_it(lines.count_ - lines.distinct_.size(), lines.last_start_);
  bytes += lines.bytes_;
} catch (const Error& thrown) {
  error.emplace(thrown);
}

PositionIndexer::PositionIndexer(const LineLayout& layout, uint64_t head_bytes)
    : state_(std::make_unique<State>(layout, head_bytes)) {}
PositionIndexer::~PositionIndexer() = default;

void PositionIndexer::add(uint64_t block, std::vector<IndexedLines> lines) {
  const MutexLock lock(state_->mutex);
  if (block < state_->next) return;
  state_->waiting.emplace(block, std::move(lines));
  for (auto first = state_->waiting.begin(); first != state_->waiting.end() && first->first == state_->next;
       first = state_->waiting.erase(first), ++state_->next)
    for (const IndexedLines& one : first->second) state_->take(one);
}

bool PositionIndexer::has(uint64_t block) const {
  const MutexLock lock(state_->mutex);
  return block < state_->next || state_->waiting.contains(block);
}

std::string PositionIndexer::finish(IndexKind kind) {
  const MutexLock lock(state_->mutex);
  if (state_->index) {
    Indexer& index = *state_->index;
    state_->tbi_error = index.too_large_for_tbi() ? index.too_large_for_tbi() : state_->error;
    if (!state_->error) {
      index.finish(bgzf_virtual_offset(state_->bytes, state_->bytes));
      if (!state_->tbi_error) state_->tbi = written(index, state_->layout, IndexKind::tbi);
      state_->csi = written(index, state_->layout, IndexKind::csi);
    }
    state_->index.reset();
  }
  const std::optional<Error>& error = kind == IndexKind::tbi ? state_->tbi_error : state_->error;
  if (error) throw *error;
  return kind == IndexKind::tbi ? state_->tbi : state_->csi;
}

std::string PositionIndexer::finish(IndexKind kind, uint64_t blocks,
                                    const std::function<void(uint64_t block)>& measure, Workers& workers) {
  workers.parallel_for(blocks, [&](size_t block) {
    if (!has(block)) measure(block);
  });
  return finish(kind);
}

}  // namespace plainfs
