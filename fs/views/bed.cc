#include "fs/views/bed.h"

#include <algorithm>
#include <vector>

#include "formats/core/base/checked.h"
#include "fs/text/array_runs.h"
#include "fs/text/field_text.h"
#include "fs/text/index_run.h"

namespace plainfs {

namespace {

constexpr uint64_t kTypicalRange = 40;

// Elements [first, first + count) of integers of any type. A number beyond int64_t is damaged.
std::vector<int64_t> signed_run(const Array& array, uint64_t first, uint64_t count, const char* what) {
  const Elements elements = read_run(array, first, count);
  std::vector<int64_t> numbers;
  numbers.reserve(count);
  visit_number(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      for (const T value : elements.values<T>()) {
        if (!std::in_range<int64_t>(value)) throw damaged("{} {} is too large", what, value);
        numbers.push_back(static_cast<int64_t>(value));
      }
    } else {
      throw damaged("{} is {}, not a whole number", what, array.dtype().name());
    }
  });
  return numbers;
}

class Bed : public EmittingSource<Bed> {
 public:
  explicit Bed(GenomicRanges ranges) : ranges_(std::move(ranges)) {}

  void prepare() override {
    if (ranges_.error) throw *ranges_.error;
    for (const ArrayPtr& part : {ranges_.start, ranges_.width, ranges_.strand, ranges_.names}) {
      if (!part) continue;
      part->check();
      if (part->count() != count()) throw damaged("{} ranges beside a list of {}", count(), part->count());
    }
    ranges_.sequence_names->check();
    const DType& type = ranges_.sequence_names->dtype();
    const Elements names = read_all(*ranges_.sequence_names);
    std::vector<std::string> sequences(names.count);
    for (uint64_t i = 0; i < names.count; ++i) append_tsv_field(type, names, i, sequences[i]);
    sequences_ = std::move(sequences);
  }
  std::string version() const override { return "bed 1"; }
  uint64_t block_count() const override { return divide_up(count(), kLinesInBlock); }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const {
    const uint64_t first = block * kLinesInBlock;
    const uint64_t some = std::min(kLinesInBlock, count() - first);
    const IndexRun<uint64_t> sequence(*ranges_.sequence, first, some, sequences_.size(), "sequence");
    const std::vector<int64_t> start = signed_run(*ranges_.start, first, some, "start");
    const IndexRun<uint64_t> width(*ranges_.width, first, some, UINT64_MAX, "width");
    const std::vector<int64_t> strand = signed_run(*ranges_.strand, first, some, "strand");
    const Elements names = ranges_.names ? read_run(*ranges_.names, first, some) : Elements{};
    std::string name;
    for (uint64_t i = 0; i < some; ++i) {
      if (start[i] < 1)
        throw damaged("range {} starts at {}, for which BED has no number", first + i, start[i]);
      const uint64_t from = static_cast<uint64_t>(start[i]) - 1;
      sink.put(std::string_view(sequences_[sequence.values()[i]]));
      sink.put('\t');
      sink.put_number(from);
      sink.put('\t');
      sink.put_number(checked_add(from, width.values()[i]));
      name.clear();
      if (ranges_.names && !names.is_missing(i)) append_tsv_field(ranges_.names->dtype(), names, i, name);
      sink.put('\t');
      sink.put(name.empty() ? std::string_view(".") : std::string_view(name));
      sink.put(ending(strand[i]));
    }
  }

 private:
  static constexpr uint64_t kLinesInBlock = kBlockText / kTypicalRange;

  uint64_t count() const { return ranges_.sequence ? ranges_.sequence->count() : 0; }

  // The score, for which no store has a number, and the strand.
  static std::string_view ending(int64_t strand) {
    if (strand == 1) return "\t0\t+\n";
    if (strand == -1) return "\t0\t-\n";
    if (strand == 0) return "\t0\t.\n";
    throw damaged("strand {} is none of -1, 0 and 1", strand);
  }

  const GenomicRanges ranges_;
  std::vector<std::string> sequences_;  // their names
};

}  // namespace

std::unique_ptr<TextSource> bed(GenomicRanges ranges, Context&) {
  return std::make_unique<Bed>(std::move(ranges));
}

}  // namespace plainfs
