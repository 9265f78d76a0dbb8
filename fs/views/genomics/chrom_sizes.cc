#include "fs/views/genomics/genomic_files.h"

#include "formats/core/base/checked.h"
#include "fs/text/field_text.h"
#include "fs/views/table/row_text.h"

namespace plainfs {

namespace {

constexpr uint64_t kTypicalSize = 20;

class ChromSizes : public RowText<ChromSizes> {
 public:
  ChromSizes(SequenceLengths sequences, Context& context)
      : sequences_(std::move(sequences)), context_(context) {}

  void prepare() override {
    if (sequences_.error) throw *sequences_.error;
    sequences_.names->check();
    sequences_.lengths->check();
    const uint64_t count = sequences_.names->count();
    if (sequences_.lengths->count() != count)
      throw damaged("{} sequences, but another list has {}", count, sequences_.lengths->count());
    show_rows(count, {sequences_.names, sequences_.lengths}, kTypicalSize, context_);
  }
  std::string version() const override { return "chrom sizes 1"; }

  template <class Sink>
  void put_rows(const ShownRows& rows, Sink& sink) const {
    const Elements& names = rows.parts[0];
    const Elements& lengths = rows.parts[1];
    std::string text;
    for (uint64_t row = rows.first; row < rows.first + rows.count; ++row) {
      if (lengths.is_missing(row)) continue;
      text.clear();
      append_tsv_field(sequences_.names->dtype(), names, row, text);
      text += '\t';
      append_tsv_field(sequences_.lengths->dtype(), lengths, row, text);
      sink.put(std::string_view(text));
      sink.put('\n');
    }
  }

 private:
  const SequenceLengths sequences_;
  Context& context_;
};

}  // namespace

std::unique_ptr<TextSource> chrom_sizes(SequenceLengths sequences, Context& context) {
  return std::make_unique<ChromSizes>(std::move(sequences), context);
}

}  // namespace plainfs
