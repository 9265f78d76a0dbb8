#include "formats/annotated/selection.h"

#include <algorithm>
#include <numeric>

#include "cache/workers.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/gathered.h"

namespace plainfs {

namespace {

constexpr uint64_t kBlock = 1 << 16;  // fragments that are examined together

// Calls take(value) for each of count whole numbers, starting at first.
template <class Take>
void for_each_number(const Array& array, uint64_t first, uint64_t count, const Take& take) {
  const Elements elements = array.read(range(first, count));
  visit_number(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      for (const T value : elements.values<T>()) take(static_cast<uint64_t>(value));
    } else {
      throw damaged("numbers are {}, expected integers", array.dtype().name());
    }
  });
}

// The fragments of the chosen cells among all fragments.
class Choice {
 public:
  Choice(ArrayPtr cell, std::vector<uint8_t> cells, Context& context)
      : cell_(std::move(cell)), cells_(std::move(cells)) {
    const uint64_t blocks = divide_up(cell_->count(), kBlock);
    std::vector<uint64_t> counts(blocks);
    context.workers.parallel_for(blocks,
                                 [&](size_t block) { counts[block] = chosen_in(block, kBlock).size(); });
    before_.assign(blocks + 1, 0);
    std::partial_sum(counts.begin(), counts.end(), before_.begin() + 1);
  }

  uint64_t count() const { return before_.back(); }
  // Returns the number of chosen ones among the first fragments.
  uint64_t among(uint64_t fragments) const {
    const uint64_t block = fragments / kBlock, rest = fragments % kBlock;
    return before_[block] + (rest == 0 ? 0 : chosen_in(block, rest).size());
  }
  // Calls visit(first fragment of the block, its number of fragments, chosen places in it) for each block,
  // until the chosen fragments [first, first + count) are visited.
  template <class Visit>
  void for_each_block(uint64_t first, uint64_t count, const Visit& visit) const {
    const uint64_t end = first + count;
    auto block =
        static_cast<uint64_t>(std::upper_bound(before_.begin(), before_.end(), first) - before_.begin()) - 1;
    for (uint64_t at = first; at < end; ++block) {
      const uint64_t here = std::min(end, before_[block + 1]) - at;
      if (here == 0) continue;
      std::vector<uint64_t> chosen = chosen_in(block, kBlock);
      if (chosen.size() != before_[block + 1] - before_[block])
        throw damaged("{} fragments, expected {} as counted before", chosen.size(),
                      before_[block + 1] - before_[block]);
      const auto begin = chosen.begin() + static_cast<ptrdiff_t>(at - before_[block]);
      visit(block * kBlock, length_of(block),
            std::vector<uint64_t>(begin, begin + static_cast<ptrdiff_t>(here)));
      at += here;
    }
  }

 private:
  uint64_t length_of(uint64_t block) const { return std::min(kBlock, cell_->count() - block * kBlock); }

  // Returns the chosen places in the block below `most`.
  std::vector<uint64_t> chosen_in(uint64_t block, uint64_t most) const {
    std::vector<uint64_t> chosen;
    uint64_t place = 0;
    for_each_number(*cell_, block * kBlock, std::min(most, length_of(block)), [&](uint64_t cell) {
      if (cell >= cells_.size()) throw damaged("cell {} is not below {}", cell, cells_.size());
      if (cells_[cell]) chosen.push_back(place);
      ++place;
    });
    return chosen;
  }

  const ArrayPtr cell_;
  const std::vector<uint8_t> cells_;
  std::vector<uint64_t> before_;  // chosen fragments before each block, and in total
};

class ChosenList : public Array {
 public:
  ChosenList(ArrayPtr values, std::shared_ptr<const Choice> choice)
      : Array(values->dtype(), {choice->count()}), values_(std::move(values)), choice_(std::move(choice)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements all = zero_elements(dtype(), 0);
    choice_->for_each_block(box.origin[0], box.extent[0],
                            [&](uint64_t first, uint64_t count, const std::vector<uint64_t>& places) {
                              const Elements some =
                                  gather(dtype(), values_->read(range(first, count)), places);
                              append(dtype(), all, some, 0, some.count);
                            });
    return all;
  }
  void check() const override { values_->check(); }

 private:
  const ArrayPtr values_;
  const std::shared_ptr<const Choice> choice_;
};

ArrayPtr chosen_pointer(const Array& pointer, uint64_t fragments, const Choice& choice) {
  const DType whole = number_type(Kind::unsigned_integer, 8);
  Elements chosen = zero_elements(whole, pointer.count());
  uint64_t i = 0, begin = 0, shown = 0;
  for_each_number(pointer, 0, pointer.count(), [&](uint64_t at) {
    if (at > fragments || (i % 2 == 1 && at < begin))
      throw damaged("chromosome {} has fragments {} to {}, but there are {}", i / 2, begin, at, fragments);
    if (i % 2 == 1) shown = checked_add(shown, at - begin);
    begin = at;
    chosen.mutable_values<uint64_t>()[i++] = choice.among(at);
  });
  if (shown > fragments) throw damaged("the chromosomes overlap: {} of {} fragments", shown, fragments);
  return std::make_shared<MemoryArray>(whole, Shape{pointer.count()}, std::move(chosen));
}

}  // namespace

Fragments selected_fragments(const Fragments& fragments, std::vector<uint8_t> cells, Context& context) {
  Fragments some = fragments;
  some.evaluate = [fragments, cells = std::move(cells), &context] {
    for (const ArrayPtr& part : {fragments.cell, fragments.start, fragments.end, fragments.chr_pointer})
      part->check();
    const uint64_t count = fragments.cell->count();
    if (fragments.start->count() != count || fragments.end->count() != count)
      throw damaged("fragments have {} cells, {} starts and {} ends", count, fragments.start->count(),
                    fragments.end->count());
    const auto choice = std::make_shared<const Choice>(fragments.cell, cells, context);
    Fragments chosen = fragments;
    chosen.cell = std::make_shared<ChosenList>(fragments.cell, choice);
    chosen.start = std::make_shared<ChosenList>(fragments.start, choice);
    chosen.end = std::make_shared<ChosenList>(fragments.end, choice);
    chosen.chr_pointer = chosen_pointer(*fragments.chr_pointer, count, *choice);
    return chosen;
  };
  return some;
}

}  // namespace plainfs
