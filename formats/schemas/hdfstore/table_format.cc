#include <algorithm>
#include <map>

#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/element.h"
#include "formats/core/frames/parts.h"
#include "formats/schemas/hdfstore/formats.h"
#include "formats/schemas/hdfstore/stored.h"

namespace plainfs::hdfstore {
namespace {

class CompoundTable {
 public:
  // is_of_categories: whether the table holds the categories of a column, which cannot have categories
  // themselves.
  CompoundTable(const Group& group, const Attributes& attributes, Context& context,
                bool is_of_categories = false)
      : group_(group), attributes_(attributes), context_(context), is_of_categories_(is_of_categories) {
    compounds_ = frames::part_of(group, "table");
    if (!compounds_) throw damaged("table is missing");
    compounds_->check();
    if (compounds_->dtype().kind != Kind::compound || compounds_->shape().size() != 1)
      throw damaged("table is not a list of compounds");
    of_table_ = compounds_->attributes();
    const Json nan_text = attribute_of(attributes, "nan_rep");
    if (nan_text.text()) nan_text_ = *nan_text.text();
    info_ = attribute_of(attributes, "info");
  }

  Table table() const {
    std::vector<std::string> order = names_in_order();
    std::map<std::string, ArrayPtr> values;
    for (const std::string& field : names_of(attribute_of(attributes_, "values_cols")))
      add_field(field, values);
    if (order.empty())
      for (const auto& [name, column] : values) order.push_back(name);
    std::vector<Column> columns;
    for (const std::string& name : order) {
      if (!values.count(name)) throw damaged("the values of column {} are missing", name);
      columns.push_back({shown_name(name, order.size()), values[name]});
    }
    const bool has_levels = attribute_of(attributes_, "levels").list() != nullptr;  // levels are columns
    return frames::table_of(compounds_->count(), has_levels ? nullptr : row_names(), std::move(columns),
                            group_.path(), context_);
  }

 private:
  ArrayPtr field(const std::string& name) const {
    const std::vector<Field>& fields = compounds_->dtype().fields;
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const Field& each) { return each.name == name; });
    if (found == fields.end()) throw damaged("table has no member {}", name);
    return frames::field_of(compounds_, static_cast<size_t>(found - fields.begin()));
  }

  // Returns the columns in the frame's order; empty if only the values name them. Throws unsupported for a
  // frame that is stored by columns.
  std::vector<std::string> names_in_order() const {
    const Json axes = attribute_of(attributes_, "non_index_axes");
    if (!axes.list() || axes.list()->empty()) return {};
    const Json::List* axis = axes.list()->front().list();
    if (!axis || axis->size() != 2) throw damaged("invalid non_index_axes: {}", to_json_text(axes));
    if (axis->front().as_int64() != 1) throw unsupported("a frame stored by columns");
    return names_of(axis->back());
  }

  // Returns the name of a column. A series has one column, with the series' name or without one.
  std::string shown_name(const std::string& name, size_t columns) const {
    const Json type = attribute_of(attributes_, "pandas_type");
    return columns == 1 && type.text() && *type.text() == "series_table" && name == "values" ? "value" : name;
  }

  ArrayPtr row_names() const {
    const Json columns = attribute_of(attributes_, "index_cols");
    const Json::List* const index =
        columns.list() && columns.list()->size() == 1 ? columns.list()->front().list() : nullptr;
    if (!index || index->empty()) throw unsupported("a table with the index {}", to_json_text(columns));
    const Json& name = index->back();
    if (!name.text()) throw damaged("invalid index_cols: {}", to_json_text(columns));
    const Json kind = attribute_of(of_table_, *name.text() + "_kind");
    return frames::as_written(as_kind(field(*name.text()), {kind.text() ? *kind.text() : "", "nan"}));
  }

  // Returns the entry `what` in the stored details of a member.
  Json detail(const std::string& name, const char* what) const {
    const Json* of = info_.find(name);
    const Json* value = of ? of->find(what) : nullptr;
    return value ? *value : Json();
  }

  // Adds the columns of a member, which holds one column or several of one type.
  void add_field(const std::string& name, std::map<std::string, ArrayPtr>& values) const {
    const ArrayPtr stored = field(name);
    const std::vector<std::string> columns = names_of(attribute_of(of_table_, name + "_kind"));
    const Json dtype = attribute_of(of_table_, name + "_dtype"),
               meta = attribute_of(of_table_, name + "_meta");
    const Json zone = detail(name, "tz");
    for (size_t j = 0; j < columns.size(); ++j) {
      if (!zone.is_null())
        context_.notice(fmt::format("{}: the times of {} are shown in UTC; in the store they are in {}",
                                    group_.path(), columns[j], name_of(zone)));
      const ArrayPtr column = column_of(stored, j, false);
      values[columns[j]] = meta.text() && *meta.text() == "category"
                               ? labels(column, name)
                               : as_kind(column, {dtype.text() ? *dtype.text() : "", nan_text_});
    }
  }

  // Returns the labels of codes. The categories are stored as a series.
  ArrayPtr labels(const ArrayPtr& codes, const std::string& name) const {
    const std::string place = fmt::format("{}/meta/{}/meta", group_.path(), name);
    if (is_of_categories_) throw damaged("{}: the categories are themselves categorical", place);
    const std::vector<std::string> path{"meta", name, "meta"};
    const std::optional<Node> node = find_path(group_, path);
    if (!node || !node->parts) return frames::categorical(codes, text_array({}), place, context_);
    const Attributes attributes = node->parts->attributes();
    const Table series = CompoundTable(*node->parts, attributes, context_, true).table();
    if (series.columns.size() != 1) throw damaged("{}: {} columns, expected 1", place, series.columns.size());
    const Json ordered = detail(name, "ordered");
    return frames::categorical(codes, series.columns[0].values, place, context_,
                               ordered.boolean() && *ordered.boolean());
  }

  const Group& group_;
  const Attributes& attributes_;
  Context& context_;
  const bool is_of_categories_;
  ArrayPtr compounds_;
  Attributes of_table_;
  std::string nan_text_ = "nan";
  Json info_;
};

}  // namespace

Table compound_table(const Group& group, const Attributes& attributes, Context& context) {
  return CompoundTable(group, attributes, context).table();
}

}  // namespace plainfs::hdfstore
