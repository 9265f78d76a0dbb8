#include <algorithm>
#include <map>

#include "formats/containers/hdf5/container.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/element.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/schemas/hdfstore/formats.h"
#include "formats/schemas/hdfstore/stored.h"

namespace plainfs::hdfstore {
namespace {

// Returns the shape of an array without elements, which is stored as one element with its shape as an
// attribute.
std::optional<Json> empty_shape(const Attributes& attributes) {
  Json shape = attribute_of(attributes, "shape");
  return shape.is_null() ? std::nullopt : std::optional(std::move(shape));
}

ArrayPtr no_values() {
  return std::make_shared<MemoryArray>(text_type(), Shape{0}, zero_elements(text_type(), 0));
}

ArrayPtr part(const Group& group, const std::string& name) {
  const ArrayPtr array = frames::part_of(group, name);
  if (!array) throw damaged("{} is missing", name);
  return array;
}

std::string text_in(const Attributes& attributes, std::string_view name) {
  const Json value = attribute_of(attributes, name);
  return value.text() ? *value.text() : "";
}

// Returns the names on an axis, or the values of one level of them.
ArrayPtr labels_in(const Group& group, const std::string& name) {
  const ArrayPtr array = part(group, name);
  const Attributes attributes = array->attributes();
  if (empty_shape(attributes)) return no_values();
  if (array->dtype().kind == Kind::sequence) {
    const Json values = pickled_values(*array);
    if (!values.list()) throw damaged("{} does not contain a list", name);
    return pickled_column(array, values.list()->size(), 0);
  }
  return as_kind(array, {text_in(attributes, "kind")});
}

std::vector<std::string> texts_of_labels(const Array& labels) {
  const Elements elements = read_all(labels);
  std::vector<std::string> names(elements.count);
  for (uint64_t i = 0; i < elements.count; ++i) append_plain(labels.dtype(), elements, i, names[i]);
  return names;
}

uint64_t count_in(const Attributes& attributes, const std::string& name) {
  const Json* count = attributes.find(name);
  if (!count || !count->as_uint64()) throw damaged("{} is not a number", name);
  return *count->as_uint64();
}

bool has_levels(const Attributes& attributes, const std::string& axis) {
  const std::string variety = text_in(attributes, axis + "_variety");
  if (variety != "multi" && variety != "regular") throw unsupported("an index of variety \"{}\"", variety);
  return variety == "multi";
}

// Returns the levels of an axis as columns, with a label for each place.
std::vector<Column> levels_of(const Group& group, const Attributes& attributes, const std::string& axis,
                              Context& context) {
  std::vector<Column> levels;
  const uint64_t count = count_in(attributes, axis + "_nlevels");
  for (uint64_t i = 0; i < count; ++i) {
    const std::string level = fmt::format("{}_level{}", axis, i);
    const Json name = attribute_of(part(group, level)->attributes(), "name");
    const ArrayPtr codes = part(group, fmt::format("{}_label{}", axis, i));
    const std::string place = group.path() + "/" + level;
    levels.push_back({name.is_null() ? fmt::format("level_{}", i) : name_of(name),
                      frames::categorical(codes, labels_in(group, level), place, context)});
  }
  return levels;
}

// Returns the names of columns on an axis. Several levels are joined with dots.
std::vector<std::string> column_names(const Group& group, const Attributes& attributes,
                                      const std::string& axis, Context& context) {
  if (!has_levels(attributes, axis)) return texts_of_labels(*labels_in(group, axis));
  std::vector<std::string> names;
  for (const Column& level : levels_of(group, attributes, axis, context)) {
    const std::vector<std::string> parts = texts_of_labels(*level.values);
    names.resize(std::max(names.size(), parts.size()));
    for (size_t i = 0; i < parts.size(); ++i) names[i] += (names[i].empty() ? "" : ".") + parts[i];
  }
  return names;
}

// The names of rows. If there are several levels, they are columns instead.
struct Rows {
  uint64_t count = 0;
  ArrayPtr names;
  std::vector<Column> levels;
};

Rows rows_of(const Group& group, const Attributes& attributes, const std::string& axis, Context& context) {
  Rows rows;
  if (has_levels(attributes, axis)) {
    rows.levels = levels_of(group, attributes, axis, context);
    rows.count = rows.levels.empty() ? 0 : rows.levels[0].values->count();
  } else {
    const ArrayPtr labels = labels_in(group, axis);
    rows.count = labels->count();
    rows.names = frames::as_written(labels);
  }
  return rows;
}

// Adds the values of one type: a column for each of `names`.
void add_columns(const ArrayPtr& values, const std::vector<std::string>& names, uint64_t rows,
                 const std::string& place, Context& context, std::map<std::string, ArrayPtr>& columns) {
  const Attributes attributes = values->attributes();
  const std::string zone = text_in(attributes, "tz");
  for (size_t j = 0; j < names.size(); ++j) {
    if (!zone.empty())
      context.notice(fmt::format("{}: the times of {} are shown in UTC; in the store they are in {}", place,
                                 names[j], zone));
    if (empty_shape(attributes)) {
      columns[names[j]] = no_values();
    } else if (values->dtype().kind == Kind::sequence) {
      columns[names[j]] = pickled_column(values, rows, j);
    } else {
      const bool is_transposed = !attribute_of(attributes, "transposed").as_uint64().value_or(0);
      const bool is_truth = hdf5::is_bit_field(*values);
      columns[names[j]] = as_kind(column_of(values, j, is_transposed),
                                  {is_truth ? "bool" : text_in(attributes, "value_type")});
    }
  }
}

}  // namespace

Table fixed_table(const Group& group, const Attributes& attributes, Context& context) {
  const bool is_series = text_in(attributes, "pandas_type") == "series";
  Rows rows = rows_of(group, attributes, is_series ? "index" : "axis1", context);
  std::vector<std::string> order;
  std::map<std::string, ArrayPtr> values;
  const std::string place = group.path();
  if (is_series) {
    const Json name = attribute_of(attributes, "name");
    order.push_back(name.is_null() ? "value" : name_of(name));
    add_columns(part(group, "values"), order, rows.count, place, context, values);
  } else {
    order = column_names(group, attributes, "axis0", context);
    const uint64_t blocks = count_in(attributes, "nblocks");
    for (uint64_t i = 0; i < blocks; ++i)
      add_columns(part(group, fmt::format("block{}_values", i)),
                  column_names(group, attributes, fmt::format("block{}_items", i), context), rows.count,
                  place, context, values);
  }
  std::vector<Column> columns = std::move(rows.levels);
  for (const std::string& name : order) {
    if (!values.count(name)) throw damaged("the values of column {} are missing", name);
    columns.push_back({name, values[name]});
  }
  return frames::table_of(rows.count, rows.names, std::move(columns), place, context);
}

}  // namespace plainfs::hdfstore
