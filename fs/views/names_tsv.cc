#include "fs/views/names_tsv.h"

#include <algorithm>

#include "formats/core/base/checked.h"
#include "fs/text/array_runs.h"
#include "fs/text/field_text.h"

namespace plainfs {

namespace {

class NamesTsv : public EmittingSource<NamesTsv> {
 public:
  explicit NamesTsv(std::vector<ArrayPtr> fields) : fields_(std::move(fields)) {}

  void prepare() override {
    uint64_t width = 0;
    for (const ArrayPtr& field : fields_) {
      field->check();
      if (field->count() != count()) throw damaged("{} names beside a list of {}", field->count(), count());
      width += sampled_width(*field) + 1;
    }
    names_in_block_ = std::max<uint64_t>(1, kBlockText / width);
  }
  std::string version() const override { return "names tsv 1"; }
  uint64_t block_count() const override { return divide_up(count(), names_in_block_); }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const {
    const uint64_t first = block * names_in_block_;
    const uint64_t some = std::min(names_in_block_, count() - first);
    std::vector<Elements> lists;
    for (size_t f = 0; f < fields_.size(); ++f)
      lists.push_back(list_of(f) == f ? read_run(*fields_[f], first, some) : Elements());
    std::string text;
    for (uint64_t i = 0; i < some; ++i) {
      for (size_t f = 0; f < fields_.size(); ++f) {
        if (f > 0) sink.put('\t');
        text.clear();
        append_tsv_field(fields_[f]->dtype(), lists[list_of(f)], i, text);
        sink.put(std::string_view(text));
      }
      sink.put('\n');
    }
  }

 private:
  uint64_t count() const { return fields_.front()->count(); }
  // The first field that is the same list.
  size_t list_of(size_t field) const { return fields_[field] == fields_.front() ? 0 : field; }

  const std::vector<ArrayPtr> fields_;
  uint64_t names_in_block_ = 1;
};

}  // namespace

std::unique_ptr<TextSource> names_tsv(std::vector<ArrayPtr> fields, Context&) {
  return std::make_unique<NamesTsv>(std::move(fields));
}

}  // namespace plainfs
