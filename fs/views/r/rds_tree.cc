#include "fs/views/r/rds_tree.h"

#include <algorithm>
#include <cmath>

#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/coordinate_source.h"
#include "formats/core/text/json.h"
#include "formats/registry.h"
#include "formats/schemas/robject/schema.h"
#include "fs/layout/text_segments.h"
#include "fs/views/r/rds.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs {

namespace {

using rds::RType;

constexpr const char kNoNull[] = "\001NULL\001";  // in place of NULL in a slot

bool is_list_of(const Json::List& list, bool (*is_wanted)(const Json&)) {
  return !list.empty() && std::all_of(list.begin(), list.end(), is_wanted);
}

bool is_r_integer(const Json& value) {
  const auto whole = value.as_int64();
  return whole && *whole > INT32_MIN && *whole <= INT32_MAX;
}

// Throws unsupported if R has no such elements, or text has a NUL.
void check_elements(const Array& array, Context& context) {
  const DType& type = array.dtype();
  switch (type.kind) {
    case Kind::opaque:
    case Kind::blob:
    case Kind::array:
    case Kind::sequence:
    case Kind::reference:
      throw unsupported("elements of type {}", type.name());
    case Kind::text:
    case Kind::fixed_text:
    case Kind::fixed_utf32:
    case Kind::enumeration:
      measure_texts(array, context);
      break;
    default:
      break;
  }
  for (const uint64_t axis : array.shape())
    if (axis > INT32_MAX) throw unsupported("{} rows or columns are too many for R's arrays", axis);
}

}  // namespace

void RTreeWriter::put(const RList& list, const std::string& path) {
  if (list.stored)
    put_value(*list.stored, path);
  else
    put_members(list.members, path);
}

bool RTreeWriter::is_held(const Node& node, const std::string& path) {
  const Content& content = node.content;
  if (const auto* error = std::get_if<Error>(&content)) throw *error;
  if (const auto* array = std::get_if<LabelledArray>(&content)) {
    const ArrayPtr values = labelled_values(*array).values;
    values->check();
    try {
      if (values->dtype().kind == Kind::compound) {
        for (size_t f = 0; f < values->dtype().fields.size(); ++f)
          check_elements(*frames::field_of(values, f), context_);
      } else {
        check_elements(*values, context_);
      }
      return true;
    } catch (const Error& error) {
      if (error.code() != Errc::unsupported) throw;
      refuse_(path, error.what());
      return false;
    }
  }
  const bool is_known = std::holds_alternative<Nothing>(content) || std::holds_alternative<Table>(content) ||
                        std::holds_alternative<SparseMatrix>(content) ||
                        std::holds_alternative<CoordinateMatrix>(content) || is_plain_group(node);
  if (!is_known) refuse_(path, "R has no such value");
  return is_known;
}

std::vector<Member> RTreeWriter::held_members(const std::vector<Member>& members, const std::string& path) {
  std::vector<Member> held;
  for (const Member& member : members) {
    Node node = refine(member.node, context_);
    if (is_held(node, path + "/" + member.name)) held.push_back({member.name, std::move(node)});
  }
  return held;
}

void RTreeWriter::put_members(const std::vector<Member>& members, const std::string& path) {
  const std::vector<Member> held = held_members(members, path);
  if (held.empty()) return out_.vector(RVector::list, 0);
  out_.vector(RVector::list, held.size(), false, true);
  std::vector<std::string> names;
  for (const Member& member : held) {
    put_node(member.node, path + "/" + member.name);
    names.push_back(member.name);
  }
  out_.attribute("names");
  out_.texts(names);
  out_.end_attributes();
}

void RTreeWriter::put_node(const Node& node, const std::string& path) {
  const Content& content = node.content;
  if (std::holds_alternative<Nothing>(content)) return out_.null();
  if (const auto* table = std::get_if<Table>(&content)) return put_table(*table, path);
  if (const auto* sparse = std::get_if<SparseMatrix>(&content)) return put_sparse(*sparse);
  if (const auto* entries = std::get_if<CoordinateMatrix>(&content))
    return put_sparse(by_columns(CoordinateMatrix(*entries), context_));
  if (const auto* array = std::get_if<LabelledArray>(&content))
    return put_array(labelled_values(*array), path);
  if (const rds::ValuePtr value = robject::value_of(*node.parts)) return put_value(*value, path);
  put_members(node.parts->members(), path);
}

void RTreeWriter::put_table(const Table& table, const std::string& path) {
  checked_row_names(table);
  const std::vector<Column> columns =
      columns_of_r(flat_columns({table.rows, nullptr, table.columns}), "seurat.rds: " + path, context_);
  const ArrayPtr names = table.row_names ? spelled(table.row_names, context_) : nullptr;
  const auto put_row_names = [&] {
    if (names) return out_.texts(names);
    out_.vector(RVector::integer, table.rows == 0 ? 0 : 2);
    if (table.rows == 0) return;
    out_.integer(INT32_MIN);
    out_.integer(-static_cast<int32_t>(table.rows));
  };
  put_data_frame(columns, put_row_names, context_, out_);
}

void RTreeWriter::put_sparse(const SparseMatrix& matrix) {
  const ColumnMatrixPtr by_column = matrices_.of(evaluated(matrix));
  out_.s4_object();
  put_dgc_slots(*by_column, nullptr, nullptr, out_);
  out_.s4_class("dgCMatrix", "Matrix");
}

void RTreeWriter::put_records(const ArrayPtr& values, const std::string& path) {
  Table table{values->count(), nullptr, {}};
  const std::vector<Field>& fields = values->dtype().fields;
  for (size_t f = 0; f < fields.size(); ++f) {
    ArrayPtr field = frames::field_of(values, f);
    if (field->shape().size() == 1)
      table.columns.push_back({fields[f].name, std::move(field)});
    else
      refuse_(path + "/" + fields[f].name, "a field of several values");
  }
  put_table(table, path);
}

void RTreeWriter::put_array(const LabelledArray& array, const std::string& path) {
  const ArrayPtr& values = array.values;
  if (values->is_null()) return out_.null();
  if (values->dtype().kind == Kind::compound) return put_records(values, path);
  if (values->dtype().kind == Kind::json) {
    const Elements texts = read_all(*values);
    out_.vector(RVector::list, texts.count);
    for (uint64_t i = 0; i < texts.count; ++i)
      put_json(texts.is_missing(i) ? Json() : parse_json(texts.text(i)));
    return;
  }
  put_vector(array, path);
}

void RTreeWriter::put_vector(const LabelledArray& array, const std::string& path) {
  const ArrayPtr& values = array.values;
  if (values->shape().size() <= 1) {
    if (const std::optional<NativeFactor> factor = native_factor(*values)) {
      put_factor(*factor, out_);
      return out_.end_attributes();
    }
  }
  const ArrayPtr held = values_in_r({path, values}, context_);
  if (values->shape().size() <= 1) {
    if (held) return out_.numbers(held, false);
    return out_.texts(values);
  }
  Shape shape = values->shape();
  if (values->column_major()) std::reverse(shape.begin(), shape.end());
  out_.numbers(in_column_order(held ? held : values), true);
  out_.attribute("dim");
  out_.vector(RVector::integer, shape.size());
  for (const uint64_t axis : shape) out_.integer(static_cast<int32_t>(axis));
  out_.end_attributes();
}

// A list of numbers or texts is a vector; an object is a list with names.
void RTreeWriter::put_json(const Json& value) {
  const auto is_number = [](const Json& item) { return item.as_double().has_value(); };
  const auto is_text = [](const Json& item) { return item.text() != nullptr; };
  const auto is_truth = [](const Json& item) { return item.boolean() != nullptr; };
  if (const Json::Object* object = value.object()) {
    out_.vector(RVector::list, object->size(), false, !object->empty());
    std::vector<std::string> names;
    for (const auto& [name, item] : *object) {
      put_json(item);
      names.push_back(name);
    }
    if (object->empty()) return;
    out_.attribute("names");
    out_.texts(names);
    return out_.end_attributes();
  }
  if (value.is_null()) return out_.null();
  const Json::List single{value};
  const Json::List& list = value.list() ? *value.list() : single;
  if (is_list_of(list, is_r_integer)) {
    out_.vector(RVector::integer, list.size());
    for (const Json& item : list) out_.integer(static_cast<int32_t>(*item.as_int64()));
  } else if (is_list_of(list, is_number)) {
    out_.vector(RVector::real, list.size());
    for (const Json& item : list) out_.real(*item.as_double());
  } else if (is_list_of(list, is_text)) {
    std::vector<std::string> texts;
    for (const Json& item : list) texts.push_back(*item.text());
    out_.texts(texts);
  } else if (is_list_of(list, is_truth)) {
    out_.vector(RVector::logical, list.size());
    for (const Json& item : list) out_.logical(*item.boolean());
  } else {
    out_.vector(RVector::list, list.size());
    for (const Json& item : list) put_json(item);
  }
}

void RTreeWriter::put_value(const rds::Value& value, const std::string& path) {
  const bool has_attributes = !value.attributes.empty();
  const bool is_object = value.attribute("class") != nullptr;
  switch (value.type) {
    case RType::null:
    case RType::other:
      return out_.null();
    case RType::symbol:
      return out_.symbol(value.name);
    case RType::list:
      return put_list(value, path);
    case RType::s4:
      out_.s4_object();
      put_attributes(value, path);
      return;
    default:
      out_.elements(robject::elements_of(value), is_object, has_attributes,
                    value.type == RType::real && value.is_a("integer64"));
  }
  if (has_attributes) put_attributes(value, path);
}

void RTreeWriter::put_list(const rds::Value& list, const std::string& path) {
  const std::optional<std::vector<std::string>> names = list.item_names();
  const bool has_names = list.attribute("names") != nullptr;
  std::vector<size_t> held;
  for (size_t i = 0; i < list.items.size(); ++i) {
    const std::string name = names && !(*names)[i].empty() ? (*names)[i] : std::to_string(i + 1);
    if (list.items[i]->type == RType::other)
      refuse_(path + "/" + name, "");
    else
      held.push_back(i);
  }
  out_.vector(RVector::list, held.size(), list.attribute("class") != nullptr, !list.attributes.empty());
  std::vector<std::string> held_names;
  for (const size_t i : held) {
    const std::string name = names && !(*names)[i].empty() ? (*names)[i] : std::to_string(i + 1);
    put_value(*list.items[i], path + "/" + name);
    if (names) held_names.push_back((*names)[i]);
  }
  if (list.attributes.empty()) return;
  for (const rds::NamedValue& attribute : list.attributes) {
    out_.attribute(attribute.name);
    if (attribute.name == "names" && has_names && names)
      out_.texts(held_names);
    else
      put_value(*attribute.value, path);
  }
  out_.end_attributes();
}

void RTreeWriter::put_attributes(const rds::Value& value, const std::string& path) {
  for (const rds::NamedValue& attribute : value.attributes) {
    out_.attribute(attribute.name);
    const bool is_empty_slot = value.type == RType::s4 && attribute.value->type == RType::null;
    if (is_empty_slot)
      out_.symbol(kNoNull);
    else
      put_value(*attribute.value, path);
  }
  out_.end_attributes();
}

void RTreeWriter::put_commands(const RList& commands, const std::string& path) {
  if (commands.stored) return put_value(*commands.stored, path);
  if (commands.members.empty()) return out_.vector(RVector::list, 0);
  out_.vector(RVector::list, commands.members.size(), false, true);
  std::vector<std::string> names;
  for (const Member& command : commands.members) {
    put_command(command, path + "/" + command.name);
    names.push_back(command.name);
  }
  out_.attribute("names");
  out_.texts(names);
  out_.end_attributes();
}

// Writes the slots of a command in the order of the class.
void RTreeWriter::put_command(const Member& command, const std::string& path) {
  const auto texts_in = [&](const char* name) -> std::vector<std::string> {
    const ArrayPtr texts = command.node.parts ? find_array(*command.node.parts, name) : nullptr;
    if (!texts || !texts->dtype().is_text()) return {};
    return held_texts(*texts, "texts", context_);
  };
  std::vector<std::string> name = texts_in("name");
  if (name.empty()) name = {command.name};
  out_.s4_object();
  out_.attribute("name");
  out_.texts(name);
  out_.attribute("time.stamp");
  out_.vector(RVector::real, 1, true, true);
  const ArrayPtr time = command.node.parts ? find_array(*command.node.parts, "time.stamp") : nullptr;
  const bool is_known = time && time->count() == 1 && time->dtype() == number_type(Kind::real, 8);
  out_.real(is_known ? read_all(*time).values<double>()[0] : std::nan(""));
  out_.class_attribute({"POSIXct", "POSIXt"});
  out_.end_attributes();
  out_.attribute("assay.used");
  if (const std::vector<std::string> assay = texts_in("assay.used"); assay.empty())
    out_.symbol(kNoNull);
  else
    out_.texts(assay);
  out_.attribute("call.string");
  out_.texts(texts_in("call.string"));
  out_.attribute("params");
  const GroupPtr params = command.node.parts ? find_group(*command.node.parts, "params") : nullptr;
  put_members(params ? params->members() : std::vector<Member>(), path + "/params");
  out_.s4_class("SeuratCommand", "SeuratObject");
}

}  // namespace plainfs
