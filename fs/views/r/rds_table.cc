// The writers for data.frame and matrix.
#include <algorithm>
#include <optional>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/elements/r_missing.h"
#include "fs/layout/array_segment.h"
#include "fs/views/r/rds.h"
#include "fs/views/r/rds_writer.h"
#include "fs/views/table/column_types.h"
#include "fs/views/table/factor_codes.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs {

namespace {

std::shared_ptr<const TextAttributes> r_class(TextAttributes attributes) {
  return std::make_shared<const TextAttributes>(std::move(attributes));
}

// Returns times as R's dates or date-times; null if R's numbers do not represent each of them.
ArrayPtr times_in_r(const ArrayPtr& times, Context& context) {
  const DType stored = times->dtype();
  const std::optional<TimeUnit> unit = counted_unit(stored);
  if (!unit || !are_exact_times(*times, context)) return nullptr;
  const DType counted = counted_time_type(
      *unit, *unit == TimeUnit::day ? r_class({{"class", {"Date"}}})
                                    : r_class({{"class", {"POSIXct", "POSIXt"}}, {"tzone", {"UTC"}}}));
  return mapped(with_missing_times(times), counted, [stored, counted](Elements elements, const Box&) {
    Elements generated = zero_elements(counted, elements.count);
    const auto counts = elements.values<int64_t>();
    const auto numbers = generated.mutable_values<double>();
    for (uint64_t i = 0; i < elements.count; ++i)
      if (!elements.is_missing(i)) numbers[i] = exact_number(stored, counts[i]).value();
    generated.missing = std::move(elements.missing);
    return generated;
  });
}

// Returns integers of 32 bits as integers of 64, which become doubles in R.
ArrayPtr widened_integers(const ArrayPtr& values) {
  const DType wide = number_type(Kind::integer, 8);
  return mapped(values, wide, [wide](Elements elements, const Box&) {
    Elements generated = zero_elements(wide, elements.count);
    const auto stored = elements.values<int32_t>();
    std::copy(stored.begin(), stored.end(), generated.mutable_values<int64_t>().begin());
    generated.missing = std::move(elements.missing);
    return generated;
  });
}

// Returns integers as the first of R's types that holds all of them: integer, double, or integer64 of the
// package bit64. Returns null if none does.
ArrayPtr integers_in_r(const Column& column, Context& context) {
  const ArrayPtr& values = column.values;
  const DType& type = values->dtype();
  if (type.size < 4 || type.r_class || (type.size == 4 && type.kind == Kind::unsigned_integer)) return values;
  const IntegerExtent extent = integer_extent(*values, context);
  if (type.size == 4) return extent.is_r_integer() ? values : widened_integers(values);
  if (extent.is_exact_real()) return with_missing_times(values);
  if (!extent.is_integer64()) return nullptr;
  context.notice(
      fmt::format("column {}: integers beyond 2^53, which require the R package bit64", column.name));
  DType integer64 = number_type(Kind::integer, 8);
  integer64.r_class = r_class({{"class", {"integer64"}}});
  return mapped(with_missing_times(values), integer64,
                [](Elements elements, const Box&) { return elements; });
}

void put_column(const Column& column, Context& context, RdsWriter& out) {
  if (const std::optional<NativeFactor> factor = native_factor(*column.values)) {
    put_factor(*factor, out);
    return out.end_attributes();
  }
  if (const ArrayPtr held = values_in_r(column, context))
    out.numbers(held, false);
  else
    out.texts(with_missing_times(column.values));
}

// Compact row names contain the number of rows, as data.frame() writes them.
void put_row_names(const Table& table, RdsWriter& out) {
  if (table.row_names) return out.texts(table.row_names);
  out.vector(RVector::integer, table.rows == 0 ? 0 : 2);
  if (table.rows == 0) return;
  out.integer(kRMissingInteger);
  out.integer(-static_cast<int32_t>(table.rows));
}

// Writes a list of the names of each dimension, in R's order.
void put_dimnames(const std::vector<ArrayPtr>& names, RdsWriter& out) {
  out.vector(RVector::list, names.size());
  for (const ArrayPtr& name : names) {
    if (name)
      out.texts(name);
    else
      out.null();
  }
}

}  // namespace

ArrayPtr values_in_r(const Column& column, Context& context) {
  switch (column.values->dtype().kind) {
    case Kind::time_point:
      return times_in_r(column.values, context);
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::time_span:
      return integers_in_r(column, context);
    default:
      return column.values;
  }
}

void put_factor(const NativeFactor& factor, RdsWriter& out) {
  out.vector(RVector::integer, factor.parts.codes->count(), true, true);
  out.data(r_codes(factor));
  out.attribute("levels");
  out.texts(factor.levels);
  if (factor.parts.is_ordered)
    out.class_attribute({"ordered", "factor"});
  else
    out.class_attribute({"factor"});
}

void put_data_frame(const std::vector<Column>& columns, const std::function<void()>& put_row_names,
                    Context& context, RdsWriter& out) {
  out.vector(RVector::list, columns.size(), true, true);
  std::vector<std::string> names;
  for (const Column& column : columns) {
    put_column(column, context, out);
    names.push_back(column.name);
  }
  out.attribute("names");
  out.texts(names);
  out.class_attribute({"data.frame"});
  out.attribute("row.names");
  put_row_names();
  out.end_attributes();
}

ByteLayout table_rds(const Table& table, Context& context, const std::string& place) {
  if (table.rows > INT32_MAX) throw unsupported("{} rows are too many for R's tables", table.rows);
  checked_row_names(table);
  const std::vector<Column> columns = held_by_r(flat_columns(table), place, context);
  RdsWriter out(context);
  put_data_frame(
      columns, [&] { put_row_names(table, out); }, context, out);
  return out.finish();
}

bool has_rds(const LabelledArray& array) {
  const Array& values = *array.values;
  if (values.shape().size() < 2 || values.is_null()) return false;
  switch (values.dtype().kind) {
    case Kind::boolean:
    case Kind::logical:
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::counted_time:
    case Kind::complex:
    case Kind::text:
    case Kind::fixed_text:
    case Kind::fixed_utf32:
    case Kind::enumeration:
      return true;
    default:
      return false;
  }
}

ByteLayout array_rds(const LabelledArray& array, Context& context) {
  array.values->check();
  Shape shape = array.values->shape();
  if (array.values->column_major()) std::reverse(shape.begin(), shape.end());
  for (const uint64_t axis : shape)
    if (axis > INT32_MAX) throw unsupported("{} rows or columns are too many for R's arrays", axis);
  RdsWriter out(context);
  out.numbers(in_column_order(array.values), true);
  out.attribute("dim");
  out.vector(RVector::integer, shape.size());
  for (const uint64_t axis : shape) out.integer(static_cast<int32_t>(axis));
  if (array.row_names || array.column_names) {
    std::vector<ArrayPtr> names{array.row_names, array.column_names};
    names.resize(shape.size());
    out.attribute("dimnames");
    put_dimnames(names, out);
  }
  out.end_attributes();
  return out.finish();
}

}  // namespace plainfs
