#include "formats/containers/bpcells/directory.h"
#include "formats/containers/bpcells/version.h"
#include "formats/core/base/probe.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/bpcells/schema.h"
#include "formats/schemas/robject/bpcells_operations.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

// Returns the array of a slot. R has no unsigned integers and no floats. BPCells keeps the bits of both in
// integer vectors, in which NA is just 2^31, and 64-bit integers as doubles, which the schema reads by value.
ArrayPtr array_of_slot(const Value& slot, const DType& meant) {
  if (slot.type == RType::real || slot.type == RType::text) return slot.vector;
  if (slot.type != RType::integer) return nullptr;
  const bool is_float = meant.kind == Kind::real && meant.size == 4;
  const DType type = number_type(is_float ? Kind::real : Kind::unsigned_integer, 4);
  return std::make_shared<DerivedArray>(slot.vector, type);
}

void add_array(std::vector<Member>& members, const std::string& name, ArrayPtr array) {
  if (array) members.push_back({name, Node{.content = LabelledArray{std::move(array), nullptr, nullptr}}});
}

// Returns the names of a side. dimnames: NULL or strings for each of the rows and the columns.
ArrayPtr names_from(const ValuePtr& dimnames, size_t side) {
  if (!dimnames || dimnames->type != RType::list || dimnames->items.size() != 2) return nullptr;
  const Value& names = *dimnames->items[side];
  return names.type == RType::text ? names.vector : text_array({});
}

// Adds the arrays that a directory stores and that an object has as dim, dimnames and transpose.
void add_matrix_slots(const Value& object, std::vector<Member>& members) {
  if (const ValuePtr dim = object.attribute("dim"))
    add_array(members, "shape", array_of_slot(*dim, number_type(Kind::unsigned_integer, 4)));
  const ValuePtr dimnames = object.attribute("dimnames");
  add_array(members, "row_names", names_from(dimnames, 0));
  add_array(members, "col_names", names_from(dimnames, 1));
  const ValuePtr transpose = object.attribute("transpose");
  if (!transpose || transpose->type != RType::logical || transpose->length() != 1) return;
  const auto by_row = transpose->whole_numbers();
  if ((*by_row)[0] == 0 || (*by_row)[0] == 1)
    add_array(members, "storage_order", text_array({(*by_row)[0] ? "row" : "col"}));
}

// Returns the node of an object that keeps its arrays in memory.
Node object_in_memory(const ValuePtr& object, const View& view) {
  const ValuePtr text = object->attribute("version");
  const std::string version_text = text->single_text().value_or("");
  const std::optional<bpcells::StoredVersion> version = bpcells::parse_version(version_text);
  if (!version) throw unsupported("unknown BPCells version {}", to_json_text(Json(version_text)));
  Node node;
  node.parts = directory_at(
      view,
      [object, version = *version](const View&) {
        std::vector<Member> members;
        for (const bpcells::DirectoryArray& stored : bpcells::directory_arrays(version))
          if (const ValuePtr slot = object->attribute(stored.name))
            add_array(members, stored.name, array_of_slot(*slot, stored.type));
        if (!version.fragments) add_matrix_slots(*object, members);
        return members;
      },
      [version_text] {
        return Attributes{{"version", Json(version_text)}};
      });
  return node;
}

Node object_on_disk(const Value& object, const View& view) {
  const std::string path = object.attribute("dir")->single_text().value_or("");
  const std::string location = named_location(path, *view.scope);
  const Probe probe(location, view.scope->context.files);
  if (!bpcells::recognises_directory(probe)) throw damaged("{}: not a BPCells directory", path);
  return bpcells::open_directory(probe, view.scope->context).root;
}

// Returns the slot transpose: whether the object shows its matrix by row. If the stored order differs, t()
// was called on it, and the object's own dimensions are those after t().
bool is_transposed(const Value& object) {
  const ValuePtr transpose = object.attribute("transpose");
  const auto value = transpose ? transpose->whole_numbers() : std::nullopt;
  return value && value->size() == 1 && (*value)[0] == 1;
}

Node opened(const ValuePtr& object, const View& view) {
  if (object->attribute("version")) return object_in_memory(object, view);
  if (object->attribute("dir")) return object_on_disk(*object, view);
  if (const ValuePtr matrix = object->attribute("mat")) return sparse_node(matrix, view);  // a dgCMatrix
  throw unsupported("the BPCells class {} is not read; store it with write_matrix_dir() in R and use that",
                    bpcells_class(*object));
}

Node meaning_of_stored(const ValuePtr& object, const View& view) {
  Node node = opened(object, view);
  if (std::optional<Node> meant = bpcells::refine(node, view.scope->context)) node = *std::move(meant);
  return node;
}

// Returns whether the object is an operation on matrices, known or not. Fragments have no dim.
bool is_operation(const Value& object) {
  return is_bpcells_operation(object) && object.attribute("dim");
}

void set_names(SparseMatrix& matrix, const Value& object, const View& view) {
  if (view.sides) {
    matrix.row_names = view.sides->rows;
    matrix.column_names = view.sides->columns;
    return;
  }
  const ValuePtr dimnames = object.attribute("dimnames");
  if (!dimnames) return;
  matrix.row_names = side_names(object, "dimnames", 0, matrix.rows, view);
  matrix.column_names = side_names(object, "dimnames", 1, matrix.columns, view);
}

// named: the object with the names.
Node operation_node(const ValuePtr& operation, const Value& named, const View& view) {
  const StoredMatrix stored = [view = View{view.scope, {nullptr, view.place.path}}](const ValuePtr& object) {
    const Node node = meaning_of_stored(object, view);
    if (const auto* matrix = std::get_if<SparseMatrix>(&node.content)) return *matrix;
    throw unsupported("the BPCells class {} is not read as a matrix", bpcells_class(*object));
  };
  SparseMatrix matrix = bpcells_result(operation, is_transposed(*operation), stored, view.scope->context);
  set_names(matrix, named, view);
  Node node;
  node.content = std::move(matrix);
  node.parts = directory_at(view, [](const View&) { return std::vector<Member>(); });  // nothing is stored
  return node;
}

}  // namespace

bool is_bpcells(const Value& value) {
  if (value.type != RType::s4) return false;
  const ValuePtr name = value.attribute("class");
  const ValuePtr package = name ? name->attribute("package") : nullptr;
  return package && package->single_text() == "BPCells";
}

Node bpcells_node(const ValuePtr& object, const View& view) {
  ValuePtr stored = object;
  // RenameDims changes names alone. The names of the outermost object count.
  for (int steps = 0; bpcells_class(*stored) == "RenameDims" && steps < 64; ++steps) {
    const ValuePtr inner = stored->attribute("matrix");
    if (!inner || !is_bpcells(*inner)) break;
    stored = inner;
  }
  try {
    if (is_operation(*stored)) return operation_node(stored, *object, view);
    Node node = meaning_of_stored(stored, view);
    auto* matrix = std::get_if<SparseMatrix>(&node.content);
    const bool is_in_object = stored->attribute("version") != nullptr;
    if (matrix && !is_in_object && is_transposed(*stored) != matrix->by_row) {
      std::swap(matrix->rows, matrix->columns);
      matrix->by_row = !matrix->by_row;
    }
    if (matrix && (stored != object || !is_in_object || view.sides)) set_names(*matrix, *object, view);
    return node;
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    SparseMatrix broken;
    broken.error = error;
    return Node{std::move(broken)};
  }
}

}  // namespace plainfs::robject
