#include <algorithm>
#include <cmath>

#include "formats/containers/rds/vectors.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/r_missing.h"
#include "formats/schemas/robject/arrays.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

constexpr uint64_t kMaxColumns = uint64_t{1} << 20;

bool is_data_frame(const Value& value) {
  return value.type == RType::list && value.is_a("data.frame");
}

// Returns the number of rows if row names are automatic: c(NA, n) or c(NA, -n).
std::optional<uint64_t> counted_rows(const Value& row_names) {
  if (row_names.length() != 2) return std::nullopt;
  const Elements elements = read_all(*row_names.vector);
  if (row_names.type == RType::integer) {
    const auto values = elements.values<int32_t>();
    if (values[0] != kRMissingInteger || values[1] == kRMissingInteger) return std::nullopt;
    return static_cast<uint64_t>(std::abs(values[1]));
  }
  if (row_names.type != RType::real) return std::nullopt;
  const auto values = elements.values<double>();
  if (!std::isnan(values[0]) || !(std::fabs(values[1]) <= 0x1p52)) return std::nullopt;
  return static_cast<uint64_t>(std::fabs(values[1]));
}

// A builder of a table's columns. One item of a frame may become several columns, each with its whole name.
class Columns {
 public:
  Columns(uint64_t rows, const View& view) : rows_(rows), view_(view) {}

  void add(const std::string& name, const ValuePtr& item) {
    if (columns_.size() > kMaxColumns) throw unsupported("a table of more than {} columns", kMaxColumns);
    if (is_frame(*item)) return add_frame(name, item);
    if (const ValuePtr expanded = expanded_rle(*item)) return add(name, expanded);
    if (const ValuePtr dense = dense_matrix(*item)) return add(name, dense);
    if (is_broken_down(*item)) return add_broken_down(name, *item);
    if (item->type == RType::null) return;
    if (!item->is_vector()) return leave_out(name, "it does not have one value for each row");
    if (const std::string fault = fault_of_text(*item); !fault.empty()) return leave_out(name, fault);
    const std::optional<Shape> dimensions = dimensions_of(*item);
    const View inside{view_.scope, view_.place.inside(name, view_.place.parent)};
    const ArrayPtr values = meaning_of(*item, inside).as_text();
    if (!dimensions || dimensions->size() == 1)
      columns_.push_back({name, values});
    else if (dimensions->size() == 2 && (*dimensions)[0] == rows_)
      add_matrix(name, *item, values, (*dimensions)[1]);
    else
      leave_out(name, "it does not have one value for each row");
  }
  std::vector<Column> finish() { return std::move(columns_); }

 private:
  void add_frame(const std::string& name, const ValuePtr& frame) {
    const View inside{view_.scope, view_.place.inside(name, view_.place.parent)};
    for (Column& column : columns_of(*frame, frame_rows(*frame), inside)) {
      column.name = name + "." + column.name;
      columns_.push_back(std::move(column));
    }
  }

  void add_broken_down(const std::string& name, const Value& item) {
    BrokenDown times = broken_down(item);
    if (!times.instants) return leave_out(name, times.why);
    columns_.push_back({name, std::move(times.instants)});
  }

  // Returns why a text, or the levels of a factor, cannot be read at all; empty if they can. Such a fault
  // affects no other column.
  static std::string fault_of_text(const Value& item) {
    const ValuePtr levels = is_factor(item) ? item.attribute("levels") : nullptr;
    const Value& texts = levels ? *levels : item;
    if (texts.type != RType::text) return {};
    try {
      texts.vector->check();
      return {};
    } catch (const Error& error) {
      if (!is_unsupported(error)) throw;
      return error.what();
    }
  }

  void leave_out(const std::string& name, const std::string& why) const {
    view_.scope->context.notice(
        fmt::format("{}: {} is left out of the table: {}", view_.place.path, name, why));
  }

  void add_matrix(const std::string& name, const Value& item, const ArrayPtr& values, uint64_t width) {
    if (width > kMaxColumns) throw unsupported("a table of more than {} columns", kMaxColumns);
    const ArrayPtr matrix = reshaped(values, {width, rows_});
    const ArrayPtr names = side_names(item, "dimnames", 1, width, view_);
    const Elements texts = names ? read_all(*names) : Elements();
    for (uint64_t i = 0; i < width; ++i) {
      const std::string own =
          names && !texts.is_missing(i) ? std::string(texts.text(i)) : std::to_string(i + 1);
      columns_.push_back({name + "." + own, column_of(matrix, i)});
    }
  }

  const uint64_t rows_;
  const View& view_;
  std::vector<Column> columns_;
};

Content table_content(const Value& frame, const ArrayPtr& row_names, const View& view) {
  try {
    const Value& list = frame_columns(frame);
    if (!list.items.empty() && !list.attribute("names"))
      throw damaged("{}: the {} columns of a data frame have no names", view.place.path, list.items.size());
    if (!list.item_names())
      throw damaged("{}: a data frame has {} columns and {} names", view.place.path, list.items.size(),
                    list.attribute("names")->length());
    const uint64_t rows = frame_rows(frame);
    ArrayPtr names = frame_row_names(frame);
    if (!names) names = row_names;
    if (names && names->count() != rows)
      throw damaged("{}: a data frame has {} rows and {} row names", view.place.path, rows, names->count());
    return frames::table_of(rows, std::move(names), columns_of(frame, rows, view), view.place.path,
                            view.scope->context);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return error;
  }
}

// Returns the columns one by one, without names of their own.
std::vector<Member> column_members(const Value& frame, const View& view) {
  const Value& list = frame_columns(frame);
  const std::optional<std::vector<std::string>> names = list.item_names();
  std::vector<Member> members;
  MemberNames given;
  for (size_t i = 0; i < list.items.size(); ++i) {
    const RType type = list.items[i]->type;
    if (type == RType::null || type == RType::symbol || type == RType::other) continue;
    add_member(members, given.take(names ? (*names)[i] : "", i), list.items[i], view);
  }
  return members;
}

}  // namespace

bool is_frame(const Value& value) {
  if (is_data_frame(value)) return true;
  if (value.type != RType::s4 || !value.attribute("nrows")) return false;
  const ValuePtr list = value.attribute("listData");
  return list && list->type == RType::list;
}

const Value& frame_columns(const Value& frame) {
  return frame.type == RType::s4 ? *frame.attribute("listData") : frame;
}

uint64_t frame_rows(const Value& frame) {
  if (frame.type == RType::s4) {
    const auto rows = frame.attribute("nrows")->whole_numbers();
    if (!rows || rows->size() != 1 || (*rows)[0] < 0) throw damaged("nrows of a DataFrame is not a number");
    return static_cast<uint64_t>((*rows)[0]);
  }
  if (const ValuePtr row_names = frame.attribute("row.names"); row_names && row_names->is_vector()) {
    const std::optional<uint64_t> counted = counted_rows(*row_names);
    return counted ? *counted : row_names->length();
  }
  for (const ValuePtr& item : frame.items)
    if (item->is_vector() && !item->attribute("dim")) return item->length();
  return 0;
}

ArrayPtr frame_row_names(const Value& frame) {
  const ValuePtr names = frame.attribute(frame.type == RType::s4 ? "rownames" : "row.names");
  if (!names || !names->is_vector()) return nullptr;
  if (names->type == RType::text) return names->vector;
  if (frame.type == RType::s4 || counted_rows(*names)) return nullptr;
  if (names->type != RType::integer && names->type != RType::real) return nullptr;
  if (names->length() == 0) return nullptr;  // integer(0): the automatic row names of a frame without rows
  return rds::text_of_numbers(names->type, names->vector);
}

std::vector<Column> columns_of(const Value& frame, uint64_t rows, const View& view) {
  const Value& list = frame_columns(frame);
  const std::optional<std::vector<std::string>> names = list.item_names();
  Columns columns(rows, view);
  for (size_t i = 0; i < list.items.size(); ++i) columns.add(names ? (*names)[i] : "", list.items[i]);
  return columns.finish();
}

Node frame_node(const ValuePtr& frame, const View& view, const ArrayPtr& row_names) {
  Node node;
  node.content = table_content(*frame, row_names, view);
  node.attributes = [frame] { return attributes_of(*frame); };
  node.parts = directory_at(
      view,
      [frame](View inside) {
        inside.without_names = true;
        return column_members(*frame, inside);
      },
      [frame] { return attributes_of(*frame); });
  return node;
}

}  // namespace plainfs::robject
