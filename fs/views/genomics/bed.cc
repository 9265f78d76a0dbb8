#include "fs/views/genomics/genomic_files.h"

#include <algorithm>
#include <vector>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/index_run.h"
#include "fs/text/field_text.h"
#include "fs/views/table/row_text.h"

namespace plainfs {

namespace {

constexpr uint64_t kTypicalRange = 40;

// Returns elements [first, first + count) of integers of any type. Throws damaged if a number exceeds
// int64_t.
std::vector<int64_t> signed_run(const DType& type, const Elements& elements, uint64_t first, uint64_t count,
                                const char* what) {
  std::vector<int64_t> numbers;
  numbers.reserve(count);
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      for (const T value : elements.values<T>().subspan(first, count)) {
        if (!std::in_range<int64_t>(value)) throw damaged("{} {} is too large", what, value);
        numbers.push_back(static_cast<int64_t>(value));
      }
    } else {
      throw damaged("{} is {}, expected integers", what, type.name());
    }
  });
  return numbers;
}

class Bed : public RowText<Bed> {
 public:
  Bed(GenomicRanges ranges, Context& context) : ranges_(std::move(ranges)), context_(context) {}

  void prepare() override {
    if (ranges_.error) throw *ranges_.error;
    const uint64_t count = ranges_.sequence->count();
    std::vector<ArrayPtr> parts{ranges_.sequence, ranges_.start, ranges_.width, ranges_.strand};
    if (ranges_.names) parts.push_back(ranges_.names);
    for (const ArrayPtr& part : parts) {
      part->check();
      if (part->count() != count) throw damaged("{} ranges, but another list has {}", count, part->count());
    }
    ranges_.sequence_names->check();
    const DType& type = ranges_.sequence_names->dtype();
    const Elements names = read_all(*ranges_.sequence_names);
    std::vector<std::string> sequences(names.count);
    for (uint64_t i = 0; i < names.count; ++i) append_tsv_field(type, names, i, sequences[i]);
    sequences_ = std::move(sequences);
    show_rows(count, std::move(parts), kTypicalRange, context_);
  }
  std::string version() const override { return "bed 1"; }

  template <class Sink>
  void put_rows(const ShownRows& rows, Sink& sink) const {
    const uint64_t first = rows.first, count = rows.count;
    const std::vector<Elements>& parts = rows.parts;
    const IndexRun<uint64_t> sequence(ranges_.sequence->dtype(), parts[0], first, count, sequences_.size(),
                                      "sequence");
    const std::vector<int64_t> start = signed_run(ranges_.start->dtype(), parts[1], first, count, "start");
    const IndexRun<uint64_t> width(ranges_.width->dtype(), parts[2], first, count, UINT64_MAX, "width");
    const std::vector<int64_t> strand = signed_run(ranges_.strand->dtype(), parts[3], first, count, "strand");
    std::string name;
    for (uint64_t i = 0; i < count; ++i) {
      if (start[i] < 1)
        throw inexpressible("range {} starts at {}, but ranges in a BED file start at 1 or later",
                            rows.first_of_all + i, start[i]);
      const uint64_t from = static_cast<uint64_t>(start[i]) - 1;
      sink.put(std::string_view(sequences_[sequence.values()[i]]));
      sink.put('\t');
      sink.put_number(from);
      sink.put('\t');
      sink.put_number(checked_add(from, width.values()[i]));
      name.clear();
      if (ranges_.names && !parts[4].is_missing(first + i))
        append_tsv_field(ranges_.names->dtype(), parts[4], first + i, name);
      sink.put('\t');
      sink.put(name.empty() ? std::string_view(".") : std::string_view(name));
      sink.put(ending(strand[i]));
    }
  }

 private:
  // Returns the score, which no store has, and the strand.
  static std::string_view ending(int64_t strand) {
    if (strand == 1) return "\t0\t+\n";
    if (strand == -1) return "\t0\t-\n";
    if (strand == 0) return "\t0\t.\n";
    throw damaged("strand is {}, expected -1, 0 or 1", strand);
  }

  const GenomicRanges ranges_;
  Context& context_;
  std::vector<std::string> sequences_;  // the sequences' names
};

}  // namespace

std::unique_ptr<TextSource> bed(GenomicRanges ranges, Context& context) {
  return std::make_unique<Bed>(std::move(ranges), context);
}

}  // namespace plainfs
