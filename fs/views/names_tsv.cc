#include "fs/views/names_tsv.h"

#include <algorithm>

#include "formats/base/checked.h"
#include "fs/text/array_runs.h"
#include "fs/text/field_text.h"

namespace plainfs {

namespace {

class NamesTsv : public EmittingSource<NamesTsv> {
 public:
  NamesTsv(ArrayPtr names, bool twice) : names_(std::move(names)), twice_(twice) {}

  void prepare() override {
    names_->check();
    names_in_block_ = std::max<uint64_t>(1, kBlockText / (sampled_width(*names_) + 1) / (twice_ ? 2 : 1));
  }
  uint64_t block_count() const override { return divide_up(names_->count(), names_in_block_); }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const {
    const uint64_t first = block * names_in_block_;
    const uint64_t count = std::min(names_in_block_, names_->count() - first);
    const Elements names = read_run(*names_, first, count);
    std::string name;
    for (uint64_t i = 0; i < count; ++i) {
      name.clear();
      append_tsv_field(names_->dtype(), names, i, name);
      sink.put(std::string_view(name));
      if (twice_) {
        sink.put('\t');
        sink.put(std::string_view(name));
      }
      sink.put('\n');
    }
  }

 private:
  const ArrayPtr names_;
  const bool twice_;
  uint64_t names_in_block_ = 1;
};

}  // namespace

std::unique_ptr<TextSource> names_tsv(ArrayPtr names, bool twice, Context&) {
  return std::make_unique<NamesTsv>(std::move(names), twice);
}

}  // namespace plainfs
