#include "fs/views/chrom_sizes.h"

#include <algorithm>

#include "formats/core/base/checked.h"
#include "fs/text/array_runs.h"
#include "fs/text/field_text.h"

namespace plainfs {

namespace {

constexpr uint64_t kTypicalSize = 20;

class ChromSizes : public EmittingSource<ChromSizes> {
 public:
  explicit ChromSizes(SequenceLengths sequences) : sequences_(std::move(sequences)) {}

  void prepare() override {
    if (sequences_.error) throw *sequences_.error;
    sequences_.names->check();
    sequences_.lengths->check();
    if (sequences_.lengths->count() != count())
      throw damaged("{} sequences beside a list of {}", count(), sequences_.lengths->count());
  }
  std::string version() const override { return "chrom sizes 1"; }
  uint64_t block_count() const override { return divide_up(count(), kLinesInBlock); }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const {
    const uint64_t first = block * kLinesInBlock;
    const uint64_t some = std::min(kLinesInBlock, count() - first);
    const Elements names = read_run(*sequences_.names, first, some);
    const Elements lengths = read_run(*sequences_.lengths, first, some);
    std::string text;
    for (uint64_t i = 0; i < some; ++i) {
      if (lengths.is_missing(i)) continue;
      text.clear();
      append_tsv_field(sequences_.names->dtype(), names, i, text);
      text += '\t';
      append_tsv_field(sequences_.lengths->dtype(), lengths, i, text);
      sink.put(std::string_view(text));
      sink.put('\n');
    }
  }

 private:
  static constexpr uint64_t kLinesInBlock = kBlockText / kTypicalSize;

  uint64_t count() const { return sequences_.names ? sequences_.names->count() : 0; }

  const SequenceLengths sequences_;
};

}  // namespace

std::unique_ptr<TextSource> chrom_sizes(SequenceLengths sequences, Context&) {
  return std::make_unique<ChromSizes>(std::move(sequences));
}

}  // namespace plainfs
