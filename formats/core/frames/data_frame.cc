#include "formats/core/frames/data_frame.h"

#include <algorithm>

#include "formats/core/frames/element.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/assembly.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/path_names.h"

namespace plainfs::frames {

Table table_of(uint64_t rows, ArrayPtr row_names, std::vector<Column> columns, const std::string& place,
               Context& context) {
  Table table{rows, std::move(row_names), {}};
  const bool is_length_known = !table.row_names || is_readable(*table.row_names);
  for (Column& column : columns) {
    if (!column.values || column.values->shape().size() != 1) {
      context.notice(
          fmt::format("{}: {} does not have one value for each row and is left out", place, column.name));
      continue;
    }
    const uint64_t length = column.values->count();
    if (is_length_known && length != rows && is_readable(*column.values))
      column.values = std::make_shared<BrokenArray>(
          column.values->dtype(),
          damaged("{}: column {} has {} values for {} rows", place, column.name, length, rows));
    table.columns.push_back(std::move(column));
  }
  return table;
}

namespace {

const DType& field_type(const Array& compounds, size_t f) {
  return compounds.dtype().fields[f].type;
}

DType item_type(const DType& type) {
  return type.kind == Kind::array ? *type.item : type;
}

Shape with_item_axes(Shape shape, const DType& type) {
  if (type.kind == Kind::array) shape.insert(shape.end(), type.dims.begin(), type.dims.end());
  return shape;
}

class FieldArray : public DerivedArray {
 public:
  FieldArray(ArrayPtr compounds, size_t f)
      : DerivedArray(compounds, item_type(field_type(*compounds, f)),
                     with_item_axes(compounds->shape(), field_type(*compounds, f)),
                     compounds->column_major()),
        field_(f) {}

  Shape chunk_shape() const override {
    return with_item_axes(values().chunk_shape(), field_type(values(), field_));
  }
  // A single compound that stands for all does not describe the items in it.
  std::optional<Elements> repeated(const Box& box) const override {
    return shape() == values().shape() ? DerivedArray::repeated(box) : std::nullopt;
  }
  Attributes attributes() const override { return {}; }

 private:
  Box stored_box(const Box& box) const override {
    const auto axes = static_cast<ptrdiff_t>(values().shape().size());
    return {Shape(box.origin.begin(), box.origin.begin() + axes),
            Shape(box.extent.begin(), box.extent.begin() + axes)};
  }
  Elements derived(Elements compounds, const Box& box) const override {
    Elements field = std::move(compounds.children[field_]);
    const size_t axes = values().shape().size();
    if (shape().size() == axes) return field;
    Shape all(box.extent.begin(), box.extent.begin() + static_cast<ptrdiff_t>(axes));
    all.insert(all.end(), shape().begin() + static_cast<ptrdiff_t>(axes), shape().end());
    Box inside = box;
    std::fill_n(inside.origin.begin(), axes, 0);
    return cut(dtype(), field.children[0], all, inside);
  }

  const size_t field_;
};

}  // namespace

ArrayPtr field_of(ArrayPtr compounds, size_t f) {
  return std::make_shared<FieldArray>(std::move(compounds), f);
}

namespace {

ArrayPtr texts_of(ArrayPtr values, bool keeps_missing) {
  const DType dtype = values->dtype();
  return mapped(std::move(values), text_type(), [=](const Elements& elements, const Box&) {
    TextBuilder texts(elements.count);
    std::string text;
    for (uint64_t i = 0; i < elements.count; ++i) {
      text.clear();
      append_plain(dtype, elements, i, text);
      if (keeps_missing && elements.is_missing(i))
        texts.add_missing();
      else
        texts.add(text);
    }
    return texts.finish();
  });
}

}  // namespace

ArrayPtr as_written(ArrayPtr values) {
  return values->dtype().fixed_size() ? texts_of(std::move(values), true) : values;
}

ArrayPtr plain_texts(ArrayPtr values) {
  return texts_of(std::move(values), false);
}

namespace {

ArrayPtr broken(const Error& error) {
  return std::make_shared<BrokenArray>(text_type(), error);
}

const Group& root_of(const Group& group) {
  const Group* root = &group;
  while (const Group* parent = root->parent().get()) root = parent;  // kept alive by its child
  return *root;
}

// Returns the list to which the attribute categories of a column refers.
Node referred_list(const Group& frame, const Json& reference) {
  const std::string* path = reference.text();
  if (!path) throw damaged("invalid categories of a column: {}", to_json_text(reference));
  const std::vector<std::string> names = path_names(*path);
  auto node = find_path(path->starts_with('/') ? root_of(frame) : frame, names);
  const ArrayPtr list = node ? plain_values_of(*node) : nullptr;
  if (!list || list->shape().size() != 1)
    throw damaged("the categories of a column are not a list: {}", *path);
  return *std::move(node);
}

}  // namespace

DataFrame::DataFrame(GroupPtr group, Attributes attributes, bool refers_to_categories, Context& context)
    : group_(std::move(group)),
      attributes_(std::move(attributes)),
      refers_to_categories_(refers_to_categories),
      context_(&context) {}

std::optional<DataFrame> DataFrame::of(GroupPtr group, Context& context) {
  Attributes attributes = group->attributes();
  const std::optional<Encoding> encoding = encoding_of(attributes);
  if (!encoding || !encoding->is("dataframe", {"0.1.0", "0.2.0"})) return std::nullopt;
  return DataFrame(std::move(group), std::move(attributes), encoding->version == "0.1.0", context);
}

FrameIndex DataFrame::index() const try {
  const std::optional<std::string> name = attributes_.text("_index");
  if (!name) return {nullptr, "the attribute _index is missing"};
  const std::optional<Node> member = find(*name);
  if (!member) return {nullptr, fmt::format("_index refers to {}, which is missing", *name)};
  ArrayPtr names = frames::values_of(*member, *context_);
  if (!names || names->shape().size() != 1)
    return {nullptr, fmt::format("_index refers to {}, which is not a list of names", *name)};
  return {std::move(names), {}};
} catch (const Error& error) {
  return {broken(error), {}};
}

std::vector<std::string> DataFrame::column_names() const {
  const Json* order = attributes_.find("column-order");
  const Json::List* list = order ? order->list() : nullptr;
  if (!list) throw damaged("{}: column-order is not a list of names", group_->path());
  std::vector<std::string> names;
  for (const Json& name : *list) {
    if (!name.text()) throw damaged("{}: column-order contains {}", group_->path(), to_json_text(name));
    names.push_back(*name.text());
  }
  return names;
}

bool DataFrame::has_column(const std::string& name) const {
  const std::vector<std::string> names = attributes_.texts("column-order");
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<Node> DataFrame::find(const std::string& column) const {
  const std::vector<std::string> names = path_names(column);
  return names.empty() ? std::nullopt : find_path(*group_, names);
}

ArrayPtr DataFrame::values_of(const Node& member) const {
  if (ArrayPtr labels = referred_labels(member)) return labels;
  return frames::values_of(member, *context_);
}

ArrayPtr DataFrame::referred_labels(const Node& member) const {
  const auto* array = std::get_if<LabelledArray>(&member.content);
  if (!refers_to_categories_ || !array || !are_codes(*array->values)) return nullptr;
  const Attributes attributes = attributes_of(member);
  const Json* reference = attributes.find("categories");
  if (!reference) return nullptr;
  try {
    const Node list = referred_list(*group_, *reference);
    return categorical(array->values, plain_values_of(list), group_->path(), *context_,
                       are_ordered(attributes_of(list), group_->path(), *context_));
  } catch (const Error& error) {
    return broken(error.at(group_->path()));
  }
}

// Returns a column. One that is missing or cannot be read throws when it is used.
Column DataFrame::column(const std::string& name) const {
  try {
    const std::optional<Node> member = find(name);
    if (!member) throw damaged("{}: column {} is missing", group_->path(), name);
    return {name, values_of(*member)};
  } catch (const Error& error) {
    return {name, broken(error)};
  }
}

Table DataFrame::table() const {
  FrameIndex index = this->index();
  if (!index.names) index.names = broken(damaged("{}: {}", group_->path(), index.why));
  std::vector<Column> columns;
  try {
    for (const std::string& name : column_names()) columns.push_back(column(name));
  } catch (const Error& error) {
    return {0, broken(error), {}};
  }
  const uint64_t rows = index.names->count();
  Table table = table_of(rows, std::move(index.names), std::move(columns), group_->path(), *context_);
  table.index_name = attributes_.readable().text("_index");
  if (table.index_name == "_index") table.index_name.clear();
  return table;
}

}  // namespace plainfs::frames
