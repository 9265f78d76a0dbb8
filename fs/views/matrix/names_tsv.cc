#include "fs/views/matrix/matrix_files.h"

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "fs/text/field_text.h"
#include "fs/views/table/row_text.h"

namespace plainfs {

namespace {

class NamesTsv : public RowText<NamesTsv> {
 public:
  NamesTsv(std::vector<ArrayPtr> fields, Context& context) : fields_(std::move(fields)), context_(context) {}

  void prepare() override {
    const uint64_t count = fields_.front()->count();
    uint64_t width = 0;
    std::vector<ArrayPtr> lists;
    for (const ArrayPtr& field : fields_) {
      field->check();
      if (field->count() != count) throw damaged("{} names, but another list has {}", field->count(), count);
      width += sampled_width(*field) + 1;
      if (lists.empty() || field != lists.front()) lists.push_back(field);
    }
    show_rows(count, std::move(lists), width, context_);
  }
  std::string version() const override { return "names tsv 1"; }

  template <class Sink>
  void put_rows(const ShownRows& rows, Sink& sink) const {
    std::string text;
    for (uint64_t row = rows.first; row < rows.first + rows.count; ++row) {
      size_t list = 0;
      for (size_t f = 0; f < fields_.size(); ++f) {
        if (f > 0) sink.put('\t');
        text.clear();
        // The first list may be used for several fields; it is read once.
        const size_t part = f > 0 && fields_[f] != fields_.front() ? ++list : 0;
        append_tsv_field(fields_[f]->dtype(), rows.parts[part], row, text);
        sink.put(std::string_view(text));
      }
      sink.put('\n');
    }
  }

 private:
  const std::vector<ArrayPtr> fields_;
  Context& context_;
};

}  // namespace

std::unique_ptr<TextSource> names_tsv(std::vector<ArrayPtr> fields, Context& context) {
  return std::make_unique<NamesTsv>(std::move(fields), context);
}

}  // namespace plainfs
