// obs and var of anndata 0.5 and 0.6 as text.
#include <algorithm>
#include <utility>

#include "cache/lazy.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/element.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/schemas/anndata/legacy.h"

namespace plainfs::anndata {
namespace {

constexpr uint64_t kRowsAtOnce = 64 * 1024;

bool is_whole(const DType& type) {
  return type.kind == Kind::integer || type.kind == Kind::unsigned_integer;
}

// A scalar as a list of one element.
class ListOfOne : public DerivedArray {
 public:
  explicit ListOfOne(ArrayPtr scalar) : DerivedArray(scalar, scalar->dtype(), {1}, false) {}
  Shape chunk_shape() const override { return {1}; }

 private:
  Box stored_box(const Box&) const override { return {{}, {}}; }
};

// Returns the labels of the column as a list; null if it has none. A single label may be stored as a scalar.
ArrayPtr label_list(const Group& labels, const std::string& column) {
  const std::string path[] = {column + "_categories"};
  const std::optional<Node> node = find_path(labels, path);
  ArrayPtr list = node ? frames::plain_values_of(*node) : nullptr;
  if (list && list->shape().empty()) return std::make_shared<ListOfOne>(std::move(list));
  return list && list->shape().size() == 1 ? list : nullptr;
}

// A column of codes that may have labels. Like anndata (its _clean_uns), uses them if every code is below
// their number: another column of the same name may have overwritten the list.
class CodedColumn {
 public:
  CodedColumn(ArrayPtr codes, ArrayPtr list, const std::string& place, Context& context)
      : codes_(codes),
        list_(list),
        labels_(frames::categorical(std::move(codes), std::move(list), place, context)) {}

  // Returns the text of the column in the box: labels, or the codes if the labels do not fit.
  Elements read(const Box& box) const {
    if (has_labels()) return labels_->read(box);
    const Elements codes = codes_->read(box);
    TextBuilder text(codes.count);
    std::string digits;
    for (uint64_t i = 0; i < codes.count; ++i) {
      digits.clear();
      append_plain(codes_->dtype(), codes, i, digits);
      text.add(digits);
    }
    return text.finish();
  }

  // Returns the labels of the column, or its codes if the labels do not fit.
  ArrayPtr values() const { return has_labels() ? labels_ : codes_; }

 private:
  // Reads all codes on first use.
  bool has_labels() const {
    return fits_.get([this] { return look(); });
  }
  bool look() const {
    const uint64_t rows = codes_->count();
    for (uint64_t first = 0; first < rows; first += kRowsAtOnce)
      if (!have_labels(codes_->read(range(first, std::min(kRowsAtOnce, rows - first))))) return false;
    return true;
  }
  bool have_labels(const Elements& codes) const {
    return visit_number(codes_->dtype(), [&](auto number) {
      using T = decltype(number);
      if constexpr (!std::is_integral_v<T>) {
        return false;
      } else {
        const std::span<const T> values = codes.values<T>();
        return std::all_of(values.begin(), values.end(), [count = list_->count()](T code) {
          return std::cmp_equal(code, -1) || (std::cmp_greater_equal(code, 0) && std::cmp_less(code, count));
        });
      }
    });
  }

  const ArrayPtr codes_;
  const ArrayPtr list_;
  const ArrayPtr labels_;
  Lazy<bool> fits_;
};

// The compounds without their index, with text in the columns that have labels.
class LegacyColumns : public DerivedArray {
 public:
  using Coded = std::vector<std::unique_ptr<CodedColumn>>;  // one for each field, null = as stored

  LegacyColumns(ArrayPtr compounds, Coded coded)
      : DerivedArray(compounds, shown_type(compounds->dtype(), coded)), coded_(std::move(coded)) {}
  std::optional<Elements> repeated(const Box&) const override { return std::nullopt; }
  // Returns the labels of field f of the compounds; null if it is shown as stored.
  const CodedColumn* coded(size_t f) const { return coded_[f].get(); }

 private:
  static DType shown_type(const DType& stored, const Coded& coded) {
    std::vector<Field> fields(stored.fields.begin() + 1, stored.fields.end());
    for (size_t f = 0; f < fields.size(); ++f)
      if (coded[f + 1]) fields[f].type = text_type();
    return packed_compound_type(std::move(fields));
  }
  Elements derived(Elements compounds, const Box& box) const override {
    compounds.children.erase(compounds.children.begin());
    for (size_t f = 0; f < compounds.children.size(); ++f)
      if (coded_[f + 1]) compounds.children[f] = coded_[f + 1]->read(box);
    return compounds;
  }

  const Coded coded_;
};

}  // namespace

LabelledArray legacy_frame(const Node& node, const GroupPtr& labels, Context& context) {
  LabelledArray frame = std::get<LabelledArray>(node.content);
  if (frame.values->shape().size() != 1) return frame;
  const std::vector<Field>& fields = frame.values->dtype().fields;
  LegacyColumns::Coded coded(fields.size());
  for (size_t f = 1; labels && f < fields.size(); ++f) {
    if (!is_whole(fields[f].type)) continue;
    if (ArrayPtr list = label_list(*labels, fields[f].name))
      coded[f] = std::make_unique<CodedColumn>(frames::field_of(frame.values, f), std::move(list),
                                               fields[f].name, context);
  }
  frame.row_names = frames::field_of(frame.values, 0);
  frame.labels = std::make_shared<LegacyColumns>(frame.values, std::move(coded));
  return frame;
}

std::optional<Table> legacy_table(const LabelledArray& frame) {
  const auto* columns = dynamic_cast<const LegacyColumns*>(frame.labels.get());
  if (!columns) return std::nullopt;
  const std::vector<Field>& fields = frame.values->dtype().fields;
  Table table{frame.values->count(), frame.row_names, {}};
  for (size_t f = 1; f < fields.size(); ++f) {
    const CodedColumn* coded = columns->coded(f);
    table.columns.push_back({fields[f].name, coded ? coded->values() : frames::field_of(frame.values, f)});
  }
  return table;
}

}  // namespace plainfs::anndata
