#include "formats/schemas/matlab/variables.h"

#include <algorithm>
#include <functional>

#include "formats/core/base/checked.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/text/path_names.h"
#include "formats/schemas/matlab/char_text.h"

namespace plainfs::matlab {
namespace {

// Limit of nested cells and structs: a reference to an enclosing one would never end.
constexpr unsigned kDeepest = 64;
constexpr uint64_t kMaxElements = 1'000'000;  // of a cell or a struct; each is a directory or a file
constexpr uint64_t kMaxDimensions = 32;
constexpr std::string_view kReferenced = "#refs#";  // holds the targets of references

const char* const kNumbers[] = {"double", "single", "int8",   "uint8", "int16",
                                "uint16", "int32",  "uint32", "int64", "uint64"};

Node directory_node(const Place& place, ListedGroup::List list, std::function<Attributes()> attributes = {}) {
  Node node;
  node.parts = std::make_shared<ListedGroup>(place.parent, place.path, std::move(list), attributes);
  node.attributes = std::move(attributes);
  return node;
}

// Returns a node with error as content. Throws a transient error, which must not be kept.
Node error_node(const Error& error) {
  if (is_transient(error)) throw error;
  return Node{error};
}

Node referenced(std::string_view path, const File& file) {
  std::optional<Node> node = find_path(*file.root, path_names(path));
  if (!node) throw damaged("a reference to {}, which is missing", path);
  return *std::move(node);
}

bool has_flag(const Attributes& attributes, std::string_view name) {
  const Json* flag = attributes.find(name);
  return flag && flag->as_int64().value_or(0) != 0;
}

// Returns the dimensions of a variable without elements: its dataset holds them.
Shape empty_shape(const Array& dimensions) {
  if (dimensions.count() > kMaxDimensions)
    throw unsupported("an empty variable of {} dimensions", dimensions.count());
  const Elements elements = read_all(dimensions);
  Shape shape;
  visit_number(dimensions.dtype(), [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_integral_v<T>)
      for (const T length : elements.values<T>()) shape.push_back(static_cast<uint64_t>(length));
  });
  std::reverse(shape.begin(), shape.end());
  if (element_count(shape) != 0) throw damaged("an empty variable has {} elements", element_count(shape));
  return shape;
}

DType type_of_class(std::string_view name) {
  if (name == "single") return number_type(Kind::real, 4);
  if (name == "logical") return number_type(Kind::boolean, 1);
  const bool is_unsigned = name.starts_with('u');
  for (const uint32_t size : {1, 2, 4, 8})
    if (name.ends_with(fmt::format("int{}", 8 * size)))
      return number_type(is_unsigned ? Kind::unsigned_integer : Kind::integer, size);
  return number_type(Kind::real, 8);
}

LabelledArray empty_variable(const Array& dimensions, const std::string& name) {
  Shape shape = empty_shape(dimensions);
  if (name != "char" && name != "cell") {
    DType type = type_of_class(name);
    Elements none = zero_elements(type, 0);
    return {
        std::make_shared<MemoryArray>(type, std::move(shape), std::move(none), Attributes(), true), {}, {}};
  }
  // A char array without columns has rows of no characters; '' has no row, or one.
  if (name == "char") shape = shape.back() <= 1 ? Shape{} : Shape{shape.back()};
  Elements texts = zero_elements(text_type(), element_count(shape));
  return {std::make_shared<MemoryArray>(text_type(), std::move(shape), std::move(texts), Attributes(), true),
          {},
          {}};
}

bool is_number(const std::string& name) {
  return std::find(std::begin(kNumbers), std::end(kNumbers), name) != std::end(kNumbers);
}

bool are_references(const Array& array) {
  return array.dtype().kind == Kind::reference;
}

void check_number(const Array& elements) {
  if (elements.count() > kMaxElements)
    throw unsupported("a cell or struct of {} elements, more than {}", elements.count(), kMaxElements);
}

// Returns the text of a variable that is a single text.
std::string text_at(std::string_view path, const File& file) {
  const Node stored = referenced(path, file);
  const Node node = variable(stored, {nullptr, std::string(path)}, file);
  const auto* array = std::get_if<LabelledArray>(&node.content);
  const ArrayPtr text = array ? labelled_values(*array).values : nullptr;
  if (!text || text->count() != 1 || text->dtype().kind != Kind::text)
    throw damaged("{} is not a text", path);
  return std::string(read_all(*text).text(0));
}

bool is_one_text(const Node& stored) {
  const Attributes attributes = attributes_of(stored);
  const ArrayPtr array = array_of(stored);
  if (!array || attributes.text("MATLAB_class") != "char") return false;
  if (has_flag(attributes, "MATLAB_empty")) {
    const Shape shape = empty_shape(*array);
    return shape.size() == 2 && shape.back() <= 1;
  }
  return array->shape().size() == 2 && array->shape()[1] == 1;
}

// Returns the elements of a cell. Each is called by its number from 1 in MATLAB's order, which is that of the
// stored elements.
Node cell_of(const Node& stored, const ArrayPtr& references, const Place& place, const File& file) {
  check_number(*references);
  const Elements paths = read_all(*references);
  bool are_texts = paths.count > 0;
  for (uint64_t i = 0; i < paths.count && are_texts; ++i)
    are_texts = is_one_text(referenced(paths.text(i), file));
  const auto attributes = [stored] { return attributes_of(stored); };
  if (are_texts) {
    Node node;
    node.content = LabelledArray{
        text_of_cells(references, [file](std::string_view path) { return text_at(path, file); }), {}, {}};
    node.attributes = attributes;
    return node;
  }
  return directory_node(
      place,
      [paths, place, file](const GroupPtr& self) {
        std::vector<Member> members;
        for (uint64_t i = 0; i < paths.count; ++i) {
          const std::string name = std::to_string(i + 1);
          try {
            members.push_back(
                {name, variable(referenced(paths.text(i), file), place.inside(self, name), file)});
          } catch (const Error& error) {
            members.push_back({name, error_node(error.at(place.path))});
          }
        }
        return members;
      },
      attributes);
}

// Returns the members of a group, those in MATLAB_fields first and in that order.
std::vector<Member> in_order(std::vector<Member> members, const Attributes& attributes) {
  std::vector<std::string> order;
  if (const Json* fields = attributes.find("MATLAB_fields"); fields && fields->list())
    for (const Json& field : *fields->list()) {
      std::string name = field.text() ? *field.text() : "";
      if (field.list())
        for (const Json& letter : *field.list()) name += letter.text() ? *letter.text() : "";
      order.push_back(std::move(name));
    }
  const auto place = [&](const Member& member) { return std::find(order.begin(), order.end(), member.name); };
  std::stable_sort(members.begin(), members.end(),
                   [&](const Member& a, const Member& b) { return place(a) < place(b); });
  return members;
}

// Returns whether member is a field of a struct of several elements, which is an array of references.
bool is_field_of_several(const Member& member) {
  const auto* array = std::get_if<LabelledArray>(&member.node.content);
  return array && are_references(*array->values) && !attributes_of(member.node).find("MATLAB_class");
}

std::vector<Member> fields_of(const std::vector<Member>& stored, const Place& place, const GroupPtr& self,
                              const File& file) {
  std::vector<Member> members;
  for (const Member& member : stored)
    members.push_back({member.name, variable(member.node, place.inside(self, member.name), file)});
  return members;
}

// Returns one element of a struct of several: a member for each field.
Node element_of_struct(const std::vector<Member>& fields, uint64_t number, const Place& place,
                       const File& file) {
  return directory_node(place, [fields, number, place, file](const GroupPtr& self) {
    std::vector<Member> members;
    for (const Member& field : fields) {
      try {
        const Elements paths = read_all(*array_of(field.node));
        if (number >= paths.count)
          throw damaged("{} elements, expected at least {}", paths.count, number + 1);
        members.push_back({field.name, variable(referenced(paths.text(number), file),
                                                place.inside(self, field.name), file)});
      } catch (const Error& error) {
        members.push_back({field.name, error_node(error.at(place.path))});
      }
    }
    return members;
  });
}

Node struct_of(const Node& stored, const Attributes& attributes, const Place& place, const File& file) {
  return directory_node(
      place,
      [stored, attributes, place, file](const GroupPtr& self) {
        const std::vector<Member> fields = in_order(stored.parts->members(), attributes);
        if (fields.empty() || !std::all_of(fields.begin(), fields.end(), is_field_of_several))
          return fields_of(fields, place, self, file);
        std::vector<Member> elements;
        const ArrayPtr first = array_of(fields[0].node);
        check_number(*first);
        const uint64_t count = first->count();
        for (uint64_t i = 0; i < count; ++i) {
          const std::string name = std::to_string(i + 1);
          elements.push_back({name, element_of_struct(fields, i, place.inside(self, name), file)});
        }
        return elements;
      },
      [stored] { return attributes_of(stored); });
}

// Returns a sparse matrix by column. If it has no entries, indices and values are absent.
Node sparse_of(const Node& stored, const Json& rows) {
  SparseMatrix matrix;
  matrix.value = frames::part_of(*stored.parts, "data");
  matrix.index = frames::part_of(*stored.parts, "ir");
  matrix.pointer = frames::part_of(*stored.parts, "jc");
  if (!rows.as_uint64()) throw damaged("the attribute MATLAB_sparse is not a number of rows");
  if (!matrix.pointer || matrix.pointer->count() == 0)
    throw damaged("jc of a sparse matrix is missing or empty");
  matrix.rows = *rows.as_uint64();
  matrix.columns = matrix.pointer->count() - 1;
  const DType real = number_type(Kind::real, 8), index = number_type(Kind::unsigned_integer, 8);
  if (!matrix.value && !matrix.index) {
    matrix.value = std::make_shared<MemoryArray>(real, Shape{0}, zero_elements(real, 0));
    matrix.index = std::make_shared<MemoryArray>(index, Shape{0}, zero_elements(index, 0));
  }
  if (!matrix.value || !matrix.index)
    throw damaged("{} of a sparse matrix is missing", matrix.value ? "ir" : "data");
  matrix.is_real = matrix.value->dtype().kind == Kind::real;
  Node node = stored;
  node.content = std::move(matrix);
  return node;
}

LabelledArray array_variable(const ArrayPtr& values, const std::string& name, const Place& place,
                             const File& file) {
  LabelledArray array{as_column_major(values), nullptr, nullptr};
  if (name == "logical") {
    array.values = as_logical(array.values);
  } else if (name == "char" && values->dtype().is_integer()) {
    array.labels = text_of_codes(values);
  } else if (!is_number(name)) {
    file.context.notice(
        fmt::format("{}: a MATLAB {} is shown as the numbers that represent it", place.path, name));
  }
  return array;
}

Node variable_or_throw(const Node& stored, const Place& place, const File& file) {
  if (place.depth > kDeepest) throw damaged("cells and structs nested more than {} deep", kDeepest);
  const Attributes attributes = attributes_of(stored);
  const std::string name = attributes.text("MATLAB_class").value_or("");
  if (stored.parts) {
    if (const Json* rows = attributes.find("MATLAB_sparse")) return sparse_of(stored, *rows);
    return struct_of(stored, attributes, place, file);
  }
  const ArrayPtr values = array_of(stored);
  if (!values || name.empty()) return stored;
  if (has_flag(attributes, "MATLAB_empty")) {
    if (name == "struct") return directory_node(place, [](const GroupPtr&) { return std::vector<Member>(); });
    Node node = stored;
    node.content = empty_variable(*values, name);
    return node;
  }
  if (name == "cell" && are_references(*values)) return cell_of(stored, values, place, file);
  Node node = stored;
  node.content = array_variable(values, name, place, file);
  return node;
}

}  // namespace

Node variable(const Node& stored, const Place& place, const File& file) {
  try {
    Node node = variable_or_throw(stored, place, file);
    if (!node.attributes) node.attributes = [stored] { return attributes_of(stored); };
    return node;
  } catch (const Error& error) {
    return error_node(error.at(place.path));
  }
}

GroupPtr variables_of(const File& file) {
  const Place root{nullptr, "/"};
  return std::make_shared<ListedGroup>(
      root.parent, root.path,
      [root, file](const GroupPtr& self) {
        std::vector<Member> members;
        for (const Member& member : file.root->members())
          if (member.name != kReferenced)
            members.push_back({member.name, variable(member.node, root.inside(self, member.name), file)});
        return members;
      },
      [file] { return file.root->attributes(); });
}

}  // namespace plainfs::matlab
