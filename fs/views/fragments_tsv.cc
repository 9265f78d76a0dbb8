#include "fs/views/fragments_tsv.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/base/checked.h"
#include "formats/text/digits.h"
#include "fs/text/field_text.h"
#include "fs/text/index_run.h"

namespace plainfs {

namespace {

constexpr uint64_t kTypicalFragment = 48;

// The end of a line for each cell: tab, its name, tab, read support, line feed.
struct CellEndings {
  std::string text;
  std::vector<uint64_t> offsets{0};
  size_t allocated_bytes() const { return text.capacity() + offsets.capacity() * sizeof(uint64_t); }
  std::string_view operator[](uint64_t cell) const {
    return std::string_view(text).substr(offsets[cell], offsets[cell + 1] - offsets[cell]);
  }
};

// Counts the bytes of lines, and gives each to their index.
class LineSink : public CountingSink {
 public:
  explicit LineSink(FragmentLines& lines) : lines_(lines) {}
  void line(uint64_t start, uint64_t end, uint64_t bytes) {
    skip(bytes);
    lines_.add(start, end, bytes);
  }

 private:
  FragmentLines& lines_;
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
  void format(uint64_t block, ByteSink& out) const override { emit(block, out); }

  std::string index() const;

 private:
  struct Chromosome {
    std::string line_start;  // its name and a tab
    uint64_t first;          // fragments
    uint64_t end;
    uint64_t end_block;  // one past the last block, counted over all chromosomes
  };
  std::shared_ptr<const CellEndings> cell_endings() const;
  const Chromosome& chromosome_of(uint64_t block) const;
  template <class Sink>
  void emit(uint64_t block, Sink& sink) const;
  template <class Position, class Sink>
  void put_lines(const Chromosome& chromosome, uint64_t first, uint64_t count, Sink& sink) const;

  const Fragments fragments_;
  Context& context_;
  const uint64_t cache_owner_;
  std::vector<Chromosome> chromosomes_;
  std::unique_ptr<FragmentsIndexer> indexer_;  // of the blocks that were measured; null before prepare()
  static constexpr uint64_t kLinesInBlock = kBlockText / kTypicalFragment;
};

void FragmentsTsv::prepare() {
  if (fragments_.error) throw *fragments_.error;
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
      throw damaged("chromosome {} is [{}, {}) of {} fragments", c, first, end, count);
    shown = checked_add(shown, end - first);
    blocks += divide_up(end - first, kLinesInBlock);
    std::string name;
    append_tsv_field(f.chr_names->dtype(), chr_names, c, name);
    chromosomes.push_back({name + '\t', first, end, blocks});
  }
  if (shown > count) throw damaged("the chromosomes overlap: {} of {} fragments", shown, count);
  chromosomes_ = std::move(chromosomes);
  indexer_ = std::make_unique<FragmentsIndexer>(index_kind(fragments_, context_));
}

std::shared_ptr<const CellEndings> FragmentsTsv::cell_endings() const {
  return context_.cache.get<CellEndings>({cache_owner_, 0}, [&] {
    const Elements names = read_all(*fragments_.cell_names);
    CellEndings endings;
    for (uint64_t i = 0; i < names.count; ++i) {
      endings.text += '\t';
      append_tsv_field(fragments_.cell_names->dtype(), names, i, endings.text);
      endings.text += "\t1\n";
      endings.offsets.push_back(endings.text.size());
    }
    return endings;
  });
}

template <class Position>
void put_line(std::string_view start, Position from, Position to, std::string_view ending, LineSink& sink) {
  sink.line(from, to, start.size() + digit_count(from) + 1 + digit_count(to) + ending.size());
}

template <class Position>
void put_line(std::string_view start, Position from, Position to, std::string_view ending, ByteSink& sink) {
  char* at = sink.reserve(start.size());
  std::memcpy(at, start.data(), start.size());
  at = put_digits(at + start.size(), from);
  *at++ = '\t';
  sink.set_end(put_digits(at, to));
  sink.put(ending);
}

template <class Position, class Sink>
void FragmentsTsv::put_lines(const Chromosome& chromosome, uint64_t first, uint64_t count, Sink& sink) const {
  constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();
  const std::shared_ptr<const CellEndings> endings = cell_endings();
  const IndexRun<uint32_t> cell(*fragments_.cell, first, count,
                                std::min<uint64_t>(endings->offsets.size() - 1, UINT32_MAX), "cell");
  const IndexRun<Position> start(*fragments_.start, first, count, kAny, "start");
  const IndexRun<Position> end(*fragments_.end, first, count, kAny, "end");
  for (uint64_t i = 0; i < count; ++i) {
    // The end of 10x's files counts one less (BPCells' write_fragments_10x; open_fragments_10x adds it back).
    if (end.values()[i] == 0)
      throw damaged("fragment {} ends at 0, for which a 10x file has no number", first + i);
    put_line<Position>(chromosome.line_start, start.values()[i], end.values()[i] - 1,
                       (*endings)[cell.values()[i]], sink);
  }
}

const FragmentsTsv::Chromosome& FragmentsTsv::chromosome_of(uint64_t block) const {
  return *std::upper_bound(chromosomes_.begin(), chromosomes_.end(), block,
                           [](uint64_t b, const Chromosome& c) { return b < c.end_block; });
}

template <class Sink>
void FragmentsTsv::emit(uint64_t block, Sink& sink) const {
  const Chromosome& chromosome = chromosome_of(block);
  const uint64_t blocks_after = chromosome.end_block - block;
  const uint64_t blocks = divide_up(chromosome.end - chromosome.first, kLinesInBlock);
  const uint64_t first = chromosome.first + (blocks - blocks_after) * kLinesInBlock;
  const uint64_t count = std::min(kLinesInBlock, chromosome.end - first);
  if (fragments_.start->dtype().size <= 4 && fragments_.end->dtype().size <= 4)
    put_lines<uint32_t>(chromosome, first, count, sink);
  else
    put_lines<uint64_t>(chromosome, first, count, sink);
}

uint64_t FragmentsTsv::measure(uint64_t block) const {
  std::string chromosome = chromosome_of(block).line_start;
  chromosome.pop_back();  // the tab
  FragmentLines lines(std::move(chromosome));
  LineSink sink(lines);
  emit(block, sink);
  indexer_->add(block, std::move(lines));
  return sink.size();
}

// Goes through the blocks that nobody has measured, because their sizes were known already.
std::string FragmentsTsv::index() const {
  context_.workers.parallel_for(block_count(), [&](size_t block) {
    if (!indexer_->has(block)) measure(block);
  });
  return indexer_->finish();
}

}  // namespace

std::unique_ptr<TextSource> fragments_tsv(Fragments fragments, Context& context) {
  return std::make_unique<FragmentsTsv>(std::move(fragments), context);
}

FragmentsIndex index_kind(const Fragments& fragments, Context& context) try {
  constexpr uint64_t kReach = uint64_t{1} << 29;
  if (fragments.error || !fragments.chr_names || !fragments.chr_pointer || !fragments.end)
    return FragmentsIndex::tbi;
  const uint64_t chromosomes = fragments.chr_names->count();
  const IndexRun<uint64_t> pointers(*fragments.chr_pointer, 0, 2 * chromosomes, UINT64_MAX, "pointer");
  std::atomic<bool> needs{false};
  context.workers.parallel_for(chromosomes, [&](size_t c) {
    const uint64_t first = pointers.values()[2 * c], end = pointers.values()[2 * c + 1];
    if (first >= end || needs) return;
    const Elements last = fragments.end->peek(range(end - 1, 1));
    visit_number(fragments.end->dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>) {
        if (std::cmp_greater(last.values<T>()[0], kReach)) needs = true;
      }
    });
  });
  return needs ? FragmentsIndex::csi : FragmentsIndex::tbi;
} catch (const Error&) {
  return FragmentsIndex::tbi;
}

std::string fragments_index(TextFile& text) {
  text.size();
  text.read(0, 0);  // where the size was known before, what it is made of is not
  return dynamic_cast<const FragmentsTsv&>(text.source()).index();
}

}  // namespace plainfs
