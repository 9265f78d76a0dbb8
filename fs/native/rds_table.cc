// data.frame and matrix.
#include <algorithm>
#include <optional>

#include "formats/core/model/derived_array.h"
#include "formats/core/model/turned_array.h"
#include "fs/native/array_segment.h"
#include "fs/native/factor_codes.h"
#include "fs/native/flat_columns.h"
#include "fs/native/rds.h"
#include "fs/native/rds_writer.h"

namespace plainfs {

namespace {

constexpr int32_t kMissingInteger = INT32_MIN;

// Compact row names say how many rows there are, as data.frame() writes them.
void put_row_names(const Table& table, RdsWriter& out) {
  if (table.row_names) return out.texts(table.row_names);
  out.vector(RVector::integer, table.rows == 0 ? 0 : 2);
  if (table.rows == 0) return;
  out.integer(kMissingInteger);
  out.integer(-static_cast<int32_t>(table.rows));
}

// A list of the names of each dimension, in R's order.
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
                    RdsWriter& out) {
  out.vector(RVector::list, columns.size(), true, true);
  std::vector<std::string> names;
  for (const Column& column : columns) {
    if (const std::optional<NativeFactor> factor = native_factor(*column.values)) {
      put_factor(*factor, out);
      out.end_attributes();
    } else {
      out.numbers(column.values, false, false);
    }
    names.push_back(column.name);
  }
  out.attribute("names");
  out.texts(names);
  out.class_attribute({"data.frame"});
  out.attribute("row.names");
  put_row_names();
  out.end_attributes();
}

ByteLayout table_rds(const Table& table, Context& context) {
  if (table.rows > INT32_MAX) throw unsupported("{} rows are more than R's tables can hold", table.rows);
  checked_row_names(table);
  const std::vector<Column> columns = held_by_r(flat_columns(table), ".rds", context);
  RdsWriter out(context);
  put_data_frame(
      columns, [&] { put_row_names(table, out); }, out);
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
    if (axis > INT32_MAX) throw unsupported("{} rows or columns are more than R's arrays can have", axis);
  RdsWriter out(context);
  out.numbers(in_column_order(array.values), false, true);
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
