#include "fs/views/genomics/genomic_files.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/text/digits.h"
#include "formats/core/text/number_loops.h"
#include "fs/text/field_text.h"
#include "fs/views/genomics/position_index.h"

namespace plainfs {

namespace {

constexpr uint64_t kTypicalFragment = 48;

// The end of a line for each cell: tab, cell name, tab, read support, line feed. Each is in a slot of fixed
// size, so that a fragment of any cell costs one line of the processor's cache and a copy of known length.
class CellEndings {
 public:
  CellEndings(DType type, const Elements& names) {
    std::vector<std::string> texts;
    size_t longest = 0;
    for (uint64_t i = 0; i < names.count; ++i) {
      std::string text = "\t";
      append_tsv_field(type, names, i, text);
      text += "\t1\n";
      longest = std::max(longest, text.size());
      texts.push_back(std::move(text));
    }
    slot_ = longest < kShortSlot ? kShortSlot : kLongSlot;
    lines_.resize(1 + texts.size() * slot_ / sizeof(CacheLine));
    for (uint64_t cell = 0; cell < texts.size(); ++cell) {
      const std::string& text = texts[cell];
      char* const slot = reinterpret_cast<char*>(lines_.data()) + cell * slot_;
      const bool fits = text.size() < slot_;
      slot[slot_ - 1] = static_cast<char>(fits ? text.size() : kLongEnding);
      if (fits)
        text.copy(slot, text.size());
      else
        long_endings_.emplace(cell, text);
    }
    count_ = texts.size();
  }

  uint64_t count() const { return count_; }
  size_t allocated_bytes() const {
    size_t bytes = lines_.capacity() * sizeof(CacheLine);
    for (const auto& [cell, text] : long_endings_) bytes += text.capacity() + 2 * sizeof(CacheLine);
    return bytes;
  }

  // Calls visit(slots) with slots of a size known at compile time.
  template <class Visit>
  void visit(const Visit& visit) const {
    if (slot_ == kShortSlot)
      visit(Slots<kShortSlot>(*this));
    else
      visit(Slots<kLongSlot>(*this));
  }

  template <size_t size>
  class Slots {
   public:
    explicit Slots(const CellEndings& endings)
        : endings_(endings), slots_(reinterpret_cast<const char*>(endings.lines_.data())) {}
    void will_need(uint64_t cell) const { __builtin_prefetch(slots_ + cell * size); }
    size_t length(uint64_t cell) const {
      const uint8_t length = stored_length(cell);
      return length == kLongEnding ? endings_.long_endings_.at(cell).size() : length;
    }
    // Writes the ending at `end`, the end of the text before it.
    void put(uint64_t cell, char* end, ByteSink& out) const {
      const uint8_t length = stored_length(cell);
      if (length == kLongEnding) {
        out.set_end(end);
        out.put(endings_.long_endings_.at(cell));
      } else {
        std::memcpy(end, slots_ + cell * size, size);
        out.set_end(end + length);
      }
    }

   private:
    uint8_t stored_length(uint64_t cell) const {
      return static_cast<uint8_t>(slots_[cell * size + size - 1]);
    }
    const CellEndings& endings_;
    const char* const slots_;
  };

  static constexpr size_t kShortSlot = 32, kLongSlot = 64;

 private:
  static constexpr uint8_t kLongEnding = 255;
  struct alignas(64) CacheLine {
    char bytes[64];
  };

  size_t slot_;
  uint64_t count_;
  std::vector<CacheLine> lines_;
  std::map<uint64_t, std::string> long_endings_;  // endings too long for a slot
};

class FragmentsTsv : public TextSource {
 public:
  FragmentsTsv(Fragments fragments, Context& context)
      : fragments_(std::move(fragments)), context_(context), cache_owner_(context.cache.new_owner()) {}
  ~FragmentsTsv() override { context_.cache.drop(cache_owner_, cache_owner_ + 1); }

  void prepare() override;
  std::string version() const override { return "fragments tsv 1"; }
  uint64_t block_count() const override { return chromosomes_.empty() ? 0 : chromosomes_.back().end_block; }
  uint64_t measure(uint64_t block) const override;
  void format(uint64_t block, ByteSink& out) const override;

  std::string position_index(IndexKind kind) const override;

 private:
  struct Chromosome {
    std::string line_start;  // the chromosome's name and a tab
    uint64_t first;          // index of the first fragment
    uint64_t end;
    uint64_t end_block;  // one past the last block, counted over all chromosomes
  };
  std::shared_ptr<const CellEndings> cell_endings() const;
  const Chromosome& chromosome_of(uint64_t block) const;
  template <class Visit>
  void visit_block(uint64_t block, const Visit& visit) const;
  template <class Position, class Visit>
  void visit_lines(uint64_t first, uint64_t count, const Visit& visit) const;

  Fragments fragments_;  // prepare() evaluates it
  Context& context_;
  const uint64_t cache_owner_;
  std::vector<Chromosome> chromosomes_;
  std::unique_ptr<PositionIndexer> indexer_;  // for the measured blocks; null before prepare()
  static constexpr uint64_t kLinesInBlock = kBlockText / kTypicalFragment;
};

void FragmentsTsv::prepare() {
  if (fragments_.error) throw *fragments_.error;
  if (fragments_.evaluate) fragments_ = fragments_.evaluate();
  const Fragments& f = fragments_;
  for (const ArrayPtr& part : {f.cell, f.start, f.end, f.chr_pointer, f.cell_names, f.chr_names})
    part->check();
  const uint64_t count = f.cell->count();
  if (f.start->count() != count || f.end->count() != count)
    throw damaged("fragments have {} cells, {} starts and {} ends", count, f.start->count(), f.end->count());
  const uint64_t names = f.chr_names->count();
  if (f.chr_pointer->count() != checked_multiply(names, 2))
    throw damaged("fragments have {} pointers for {} chromosomes", f.chr_pointer->count(), names);
  const IndexRun<uint64_t> pointers(*f.chr_pointer, 0, 2 * names, UINT64_MAX, "chromosome pointer");
  const Elements chr_names = read_all(*f.chr_names);
  std::vector<Chromosome> chromosomes;
  uint64_t blocks = 0, shown = 0;
  for (uint64_t c = 0; c < names; ++c) {
    const uint64_t first = pointers.values()[2 * c], end = pointers.values()[2 * c + 1];
    if (first > end || end > count)
      throw damaged("chromosome {} has fragments {} to {}, but there are {}", c, first, end, count);
    shown = checked_add(shown, end - first);
    blocks += divide_up(end - first, kLinesInBlock);
    std::string name;
    append_tsv_field(f.chr_names->dtype(), chr_names, c, name);
    chromosomes.push_back({name + '\t', first, end, blocks});
  }
  if (shown > count) throw damaged("the chromosomes overlap: {} of {} fragments", shown, count);
  chromosomes_ = std::move(chromosomes);
  indexer_ = std::make_unique<PositionIndexer>(kFragmentLines);
}

std::shared_ptr<const CellEndings> FragmentsTsv::cell_endings() const {
  return context_.cache.get<CellEndings>({cache_owner_, 0}, [&] {
    const Elements names = read_all(*fragments_.cell_names);
    return CellEndings(fragments_.cell_names->dtype(), names);
  });
}

const FragmentsTsv::Chromosome& FragmentsTsv::chromosome_of(uint64_t block) const {
  return *std::upper_bound(chromosomes_.begin(), chromosomes_.end(), block,
                           [](uint64_t b, const Chromosome& c) { return b < c.end_block; });
}

// Calls visit(slots of cell endings, cells, starts, ends) with fragments [first, first + count). The ends are
// as stored: one more than in 10x's files (BPCells' write_fragments_10x; open_fragments_10x adds it back).
template <class Position, class Visit>
void FragmentsTsv::visit_lines(uint64_t first, uint64_t count, const Visit& visit) const {
  constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();
  const std::shared_ptr<const CellEndings> endings = cell_endings();
  const IndexRun<uint32_t> cells(*fragments_.cell, first, count,
                                 std::min<uint64_t>(endings->count(), UINT32_MAX), "cell");
  const IndexRun<Position> starts(*fragments_.start, first, count, kAny, "start");
  const IndexRun<Position> ends(*fragments_.end, first, count, kAny, "end");
  if (!all_hold(ends.values(), [](Position end) { return end != 0; })) {
    const auto bad = std::find(ends.values().begin(), ends.values().end(), Position{0});
    throw damaged("fragment {} ends at 0, which a 10x file cannot represent",
                  first + static_cast<uint64_t>(bad - ends.values().begin()));
  }
  endings->visit([&](auto slots) { visit(slots, cells.values(), starts.values(), ends.values()); });
}

template <class Visit>
void FragmentsTsv::visit_block(uint64_t block, const Visit& visit) const {
  const Chromosome& chromosome = chromosome_of(block);
  const uint64_t blocks_after = chromosome.end_block - block;
  const uint64_t blocks = divide_up(chromosome.end - chromosome.first, kLinesInBlock);
  const uint64_t first = chromosome.first + (blocks - blocks_after) * kLinesInBlock;
  const uint64_t count = std::min(kLinesInBlock, chromosome.end - first);
  if (fragments_.start->dtype().size <= 4 && fragments_.end->dtype().size <= 4)
    visit_lines<uint32_t>(first, count, visit);
  else
    visit_lines<uint64_t>(first, count, visit);
}

void FragmentsTsv::format(uint64_t block, ByteSink& out) const {
  constexpr size_t kShortName = 16, kAhead = 16;
  static_assert(kShortName + 2 * 20 + 2 + CellEndings::kLongSlot <= ByteSink::kMargin);
  const std::string& line_start = chromosome_of(block).line_start;
  visit_block(block, [&](auto endings, auto cells, auto starts, auto ends) {
    const size_t name_length = line_start.size();
    char name[kShortName] = {};
    const bool is_short = line_start.copy(name, kShortName) == name_length;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i + kAhead < cells.size()) endings.will_need(cells[i + kAhead]);
      char* at = out.reserve(name_length);
      if (is_short)
        std::memcpy(at, name, kShortName);
      else
        std::memcpy(at, line_start.data(), name_length);
      at = put_digits(at + name_length, starts[i]);
      *at++ = '\t';
      endings.put(cells[i], put_digits(at, ends[i] - 1), out);
    }
  });
}

uint64_t FragmentsTsv::measure(uint64_t block) const {
  const std::string& line_start = chromosome_of(block).line_start;
  IndexedLines lines(line_start.substr(0, line_start.size() - 1), kFragmentLines);  // without the tab
  uint64_t size = 0;
  visit_block(block, [&](auto endings, auto cells, auto starts, auto ends) {
    const auto size_of = [&](size_t i) {
      return line_start.size() + digit_count(starts[i]) + 1 + digit_count(ends[i] - 1) +
             endings.length(cells[i]);
    };
    for (size_t first = 0, last = 0; first < cells.size(); first = last) {
      const uint64_t alike = lines.alike(cells.size() - first, [&](uint64_t i) {
        return std::pair(starts[first + i], ends[first + i] - 1);
      });
      last = first + std::max<uint64_t>(alike, 1);
      uint64_t bytes = 0;
      if (alike == 0) {
        bytes = size_of(first);
        lines.add(starts[first], ends[first] - 1, bytes);
      } else {
        // Positions ascend, so nearly always all have as many digits as the first.
        const uint64_t digits = digit_count(starts[first]);
        if (digits == digit_count(lines.alike_reach())) {
          bytes = alike * (line_start.size() + digits + 1 + digits);
          for (size_t i = first; i < last; ++i) bytes += endings.length(cells[i]);
        } else {
          for (size_t i = first; i < last; ++i) bytes += size_of(i);
        }
        lines.add_alike(alike, bytes, starts[last - 1]);
      }
      size += bytes;
    }
  });
  indexer_->add(block, {std::move(lines)});
  return size;
}

std::string FragmentsTsv::position_index(IndexKind kind) const {
  return indexer_->finish(
      kind, block_count(), [&](uint64_t block) { measure(block); }, context_.workers);
}

}  // namespace

std::unique_ptr<TextSource> fragments_tsv(Fragments fragments, Context& context) {
  return std::make_unique<FragmentsTsv>(std::move(fragments), context);
}

}  // namespace plainfs
