#include "fs/views/table/table_files.h"

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "fs/text/field_text.h"
#include "fs/views/table/csv_nested.h"

namespace plainfs {

namespace {

constexpr uint64_t kIdsAtOnce = 4096;

// Returns the elements of a run of rows.
Span elements_of_rows(NestedCells& cells, size_t levels, Span lists) {
  for (size_t level = 0; level < levels; ++level) lists = cells.all_children(level, lists);
  return lists;
}

class RaggedTsv : public EmittingSource<RaggedTsv> {
 public:
  explicit RaggedTsv(RowElements elements) : elements_(std::move(elements)) {}

  void prepare() override;
  std::string version() const override { return "ragged tsv 1"; }
  uint64_t block_count() const override { return first_row_.size(); }
  bool should_cache(uint64_t) const override { return true; }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const;

 private:
  template <class Sink>
  void put_items(const Elements& leaves, uint64_t first, uint64_t count, std::string_view id_and_tab,
                 std::string& scratch, Sink& sink) const;
  void append_item(const Elements& leaves, size_t axis, uint64_t& leaf, std::string& out) const;
  // Returns the elements of a row.
  Span items(NestedCells& cells, uint64_t row) const;

  const RowElements elements_;
  uint64_t item_leaves_ = 1;  // leaves of one element of the column
  uint64_t rows_ = 0;
  uint64_t count_ = 0;  // elements that belong to rows
  uint64_t items_in_block_ = 1;
  std::vector<uint64_t> first_row_;  // for each block: the row of its first element
};

void RaggedTsv::prepare() {
  NestedCells cells(elements_);
  cells.check();
  rows_ = cells.rows();
  if (elements_.ids) {
    elements_.ids->check();
    if (elements_.ids->count() < rows_)
      throw damaged("the index has {} rows, expected {}", rows_, elements_.ids->count());
  }
  const Shape& shape = elements_.values->shape();
  item_leaves_ = element_count(Shape(shape.begin() + 1, shape.end()));
  uint64_t width;
  if (__builtin_mul_overflow(item_leaves_, json_width(*elements_.values), &width)) width = kCellBlockText;
  items_in_block_ = std::max<uint64_t>(1, kCellBlockText / (std::min(width, kCellBlockText) + 8));
  if (item_leaves_ == 1) items_in_block_ = step_along_chunks(*elements_.values, items_in_block_);
  std::vector<uint64_t> first_row;
  uint64_t end = 0;
  for (uint64_t row = 0; row < rows_; ++row) {
    end = items(cells, row).end;
    while (first_row.size() * items_in_block_ < end) first_row.push_back(row);
  }
  count_ = end;
  first_row_ = std::move(first_row);
}

Span RaggedTsv::items(NestedCells& cells, uint64_t row) const {
  return elements_of_rows(cells, elements_.ends.size(), {row, row + 1});
}

// Appends an element that is an array as JSON, and advances `leaf` past it.
void RaggedTsv::append_item(const Elements& leaves, size_t axis, uint64_t& leaf, std::string& out) const {
  const Shape& shape = elements_.values->shape();
  if (axis == shape.size()) return append_json(elements_.values->dtype(), leaves, leaf++, out);
  out += '[';
  for (uint64_t i = 0; i < shape[axis]; ++i) {
    if (i > 0) out += ',';
    append_item(leaves, axis + 1, leaf, out);
  }
  out += ']';
}

template <class Sink>
void RaggedTsv::put_items(const Elements& leaves, uint64_t first, uint64_t count, std::string_view id_and_tab,
                          std::string& scratch, Sink& sink) const {
  const DType& type = elements_.values->dtype();
  const bool is_list = elements_.values->shape().size() > 1;
  const auto put_all = [&](auto&& put) {
    for (uint64_t i = first; i < first + count; ++i) {
      sink.put(id_and_tab);
      put(i);
      sink.put('\n');
    }
  };
  if (type.is_integer_or_real() && !is_list && leaves.missing.empty())
    return visit_number(type, [&](auto zero) {
      if (count == 0) return;
      const auto values = leaves.values<decltype(zero)>().subspan(first, count);
      sink.put(id_and_tab);
      sink.put_number(values.front());
      const std::string between = '\n' + std::string(id_and_tab);
      sink.put_numbers(values.subspan(1), between);
      sink.put('\n');
    });
  put_all([&](uint64_t i) {
    scratch.clear();
    if (is_list || type.kind == Kind::compound) {
      uint64_t leaf = i * item_leaves_;
      append_item(leaves, 1, leaf, scratch);
    } else {
      append_tsv_field(type, leaves, i, scratch);
    }
    sink.put(std::string_view(scratch));
  });
}

template <class Sink>
void RaggedTsv::emit(uint64_t block, Sink& sink) const {
  const uint64_t first = block * items_in_block_, end = std::min(count_, first + items_in_block_);
  const Elements leaves = read_run(*elements_.values, first * item_leaves_, (end - first) * item_leaves_);
  NestedCells cells(elements_);
  Elements ids;
  uint64_t first_id = 0;
  std::string id, scratch;
  uint64_t at = first;
  for (uint64_t row = first_row_[block]; at < end; ++row) {
    const uint64_t row_end = std::min(items(cells, row).end, end);
    if (row_end <= at) continue;
    id.clear();
    if (elements_.ids) {
      if (row - first_id >= ids.count) {
        first_id = row;
        ids = read_run(*elements_.ids, row, std::min(kIdsAtOnce, rows_ - row));
      }
      append_tsv_field(elements_.ids->dtype(), ids, row - first_id, id);
    } else {
      id = std::to_string(row);
    }
    id += '\t';
    put_items(leaves, at - first, row_end - at, id, scratch, sink);
    at = row_end;
  }
}

// Returns the number of elements of each row.
ArrayPtr row_counts(const RowElements& elements) {
  const DType whole = number_type(Kind::unsigned_integer, 8);
  ArrayPtr counts = generated(whole, {row_count(elements)}, [whole, elements](const Box& box) {
    Elements counted = zero_elements(whole, box.extent[0]);
    const auto values = counted.mutable_values<uint64_t>();
    NestedCells cells(elements);
    for (uint64_t i = 0; i < box.extent[0]; ++i) {
      const uint64_t row = box.origin[0] + i;
      values[i] = elements_of_rows(cells, elements.ends.size(), {row, row + 1}).size();
    }
    return counted;
  });
  return checked(std::move(counts), [elements] { NestedCells(elements).check(); });
}

}  // namespace

Table with_counts(Table table) {
  for (Column& column : table.columns) {
    const auto* nested = dynamic_cast<const NestedArray*>(column.values.get());
    if (!nested || nested->elements().ends.empty()) continue;
    column = {column.name + "_count", row_counts(nested->elements())};
  }
  return table;
}

std::unique_ptr<TextSource> ragged_tsv(RowElements elements, Context&) {
  return std::make_unique<RaggedTsv>(std::move(elements));
}

}  // namespace plainfs
