#include "fs/views/array/array_files.h"

#include <algorithm>
#include <optional>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "fs/text/field_text.h"
#include "fs/views/array/line_grid.h"

namespace plainfs {

namespace {

// The most columns of a header, which is kept in memory.
constexpr uint64_t kMaxColumns = uint64_t{1} << 26;

class CsvArray : public TextSource {
 public:
  CsvArray(LabelledArray array, Context& context)
      : array_(std::move(array)), context_(context), labelled_(array_.row_names || array_.column_names) {}

  void prepare() override;
  std::string head() const override;
  std::string version() const override { return "csv array 3"; }
  uint64_t division() const override { return units_ ? grid().number() : 0; }
  uint64_t block_count() const override { return units_ ? grid().block_count() : 0; }
  bool should_cache(uint64_t block) const override {
    return grid().width() > 0 && units_->should_cache(grid().block(block).unit);
  }

  uint64_t measure(uint64_t number) const override;
  void format(uint64_t number, ByteSink& sink) const override;

 private:
  // The names of the lines that begin in a block.
  struct LineNames {
    Elements elements;   // empty if names are numbers
    uint64_t first = 0;  // line
    uint64_t count = 0;
  };
  LineNames line_names(const LineGrid::Block& block) const;
  void put_line_name(const LineNames& names, uint64_t line, std::string& scratch, ByteSink& sink) const;
  template <class Put>
  void put_elements(const LineGrid::Block& block, const LineNames& names, ByteSink& sink, Put&& put) const;
  uint64_t length_of_names(const LineGrid::Block& block) const;
  const LineGrid& grid() const { return units_->grid(); }

  const LabelledArray array_;
  Context& context_;
  const bool labelled_;
  std::optional<GridUnits> units_;  // empty for a null dataspace
};

void CsvArray::prepare() {
  array_.values->check();
  if (array_.values->is_null()) return;
  units_.emplace(array_.values, sampled_width(*array_.values) + 1, context_);
  const auto check_names = [](const ArrayPtr& names, uint64_t count, std::string_view what) {
    if (!names) return;
    names->check();
    if (names->count() != count) throw damaged("{} names for {} {}", names->count(), count, what);
  };
  check_names(array_.row_names, grid().lines(), "rows");
  check_names(array_.column_names, grid().width(), "columns");
}

std::string CsvArray::head() const {
  if (!units_ || (!labelled_ && !context_.options.array_header)) return {};
  std::string text, scratch;
  StringSink sink(text);
  if (labelled_) put_csv_text(context_.options.row_name_header, sink);
  if (array_.values->shape().size() < 2) return text + (labelled_ ? ",value\n" : "value\n");
  if (grid().width() > kMaxColumns) throw unsupported("a header of {} columns is too large", grid().width());
  const ArrayPtr& names = array_.column_names;
  const Elements elements = names ? read_all(*names) : Elements();
  for (uint64_t column = 0; column < grid().width(); ++column) {
    if (labelled_ || column > 0) sink.put(',');
    if (names)
      put_csv_field(names->dtype(), elements, column, scratch, sink);
    else
      sink.put_number(column + 1);
  }
  return text += '\n';
}

CsvArray::LineNames CsvArray::line_names(const LineGrid::Block& block) const {
  if (!labelled_) return {};
  const uint64_t first = block.line + (block.column > 0);
  const uint64_t last_element = block.column + block.count - 1;
  const uint64_t end =
      grid().width() == 0 ? block.line + block.count : block.line + last_element / grid().width() + 1;
  const uint64_t count = first < end ? end - first : 0;
  const bool has_names = array_.row_names && count > 0;
  return {has_names ? read_run(*array_.row_names, first, count) : Elements(), first, count};
}

void CsvArray::put_line_name(const LineNames& names, uint64_t line, std::string& scratch,
                             ByteSink& sink) const {
  if (array_.row_names)
    put_csv_field(array_.row_names->dtype(), names.elements, line - names.first, scratch, sink);
  else
    sink.put_number(line + 1);
}

// Writes a block. put(first, end) writes elements of the unit, with commas between them.
template <class Put>
void CsvArray::put_elements(const LineGrid::Block& block, const LineNames& names, ByteSink& sink,
                            Put&& put) const {
  std::string scratch;
  uint64_t line = block.line, column = block.column;
  const uint64_t width = grid().width(), end = block.first_in_unit + block.count;
  for (uint64_t i = block.first_in_unit; i < end;) {
    if (labelled_ && column == 0) {
      put_line_name(names, line, scratch, sink);
      sink.put(',');
    }
    const uint64_t line_end = std::min(end, i + (width - column));
    put(i, line_end);
    sink.put(column + (line_end - i) == width ? '\n' : ',');
    i = line_end;
    column = 0;
    ++line;
  }
}

// Returns the size of the names of the lines that begin in a block, each with the comma or line feed behind
// it.
uint64_t CsvArray::length_of_names(const LineGrid::Block& block) const {
  const LineNames names = line_names(block);
  const uint64_t first = names.first + 1;  // as a number
  return names.count + (array_.row_names
                            ? csv_field_lengths(array_.row_names->dtype(), names.elements, 0, names.count)
                            : digits_of_range(first, first + names.count));
}

// The elements of absent chunks are not read. They are all as long as one, so that the size of huge empty
// arrays is quick to find.
uint64_t CsvArray::measure(uint64_t number) const {
  const LineGrid::Block block = grid().block(number);
  if (grid().width() == 0) return labelled_ ? length_of_names(block) : block.count;
  const DType& type = array_.values->dtype();
  const uint64_t around = length_of_names(block) + block.count;  // a comma or line feed after each element
  if (const std::optional<Elements> one = units_->repeated(block.unit))
    return checked_add(around, checked_multiply(block.count, csv_field_lengths(type, *one, 0, 1)));
  return around + csv_field_lengths(type, *units_->read(block.unit), block.first_in_unit, block.count);
}

void CsvArray::format(uint64_t number, ByteSink& sink) const {
  const LineGrid::Block block = grid().block(number);
  const LineNames names = line_names(block);
  if (grid().width() == 0) {
    std::string scratch;
    for (uint64_t i = 0; i < block.count; ++i) {
      if (labelled_) put_line_name(names, block.line + i, scratch, sink);
      sink.put('\n');
    }
    return;
  }
  const std::shared_ptr<const Elements> elements = units_->read(block.unit);
  const DType& type = array_.values->dtype();
  if (type.is_integer_or_real() && elements->missing.empty()) {
    visit_number(type, [&](auto zero) {
      const auto values = elements->values<decltype(zero)>();
      put_elements(block, names, sink, [&](uint64_t first, uint64_t last) {
        sink.put_number(values[first]);
        sink.put_numbers(values.subspan(first + 1, last - first - 1), ",");
      });
    });
    return;
  }
  std::string scratch;
  put_elements(block, names, sink, [&](uint64_t first, uint64_t last) {
    for (uint64_t i = first; i < last; ++i) {
      if (i > first) sink.put(',');
      put_csv_field(type, *elements, i, scratch, sink);
    }
  });
}

}  // namespace

std::unique_ptr<TextSource> csv_array(LabelledArray array, Context& context) {
  return std::make_unique<CsvArray>(std::move(array), context);
}

}  // namespace plainfs
