#include "formats/schemas/takane/matrices.h"
#include "formats/core/frames/common_type.h"

#include <algorithm>
#include <atomic>

#include "formats/containers/hdf5/container.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/schemas/takane/object.h"
#include "formats/schemas/takane/side_names.h"
#include "formats/schemas/takane/typed_values.h"

namespace plainfs::takane {
namespace {

constexpr const char* kDenseArray = "dense_array";

// The values in the file, and their meaning.
struct ArrayContent {
  ArrayPtr values;             // as stored, in the object's order
  ArrayPtr meant;              // null if error is set
  std::optional<Error> error;  // why they have no meaning
};

ArrayPtr meant_values(const Group& group, const std::string& type, const Owner& owner, Context& context) {
  if (type == "vls") return vls_values(group);
  const ArrayPtr stored = find_array(group, "data");
  if (!stored) throw damaged("the dataset data is missing");
  return typed_values(stored, type, hdf5::attribute(*stored, kPlaceholder), "none", owner, context);
}

ArrayContent read_array(const Group& group, const Owner& owner, Context& context) {
  ArrayContent read;
  try {
    const bool transposed = is_transposed(group);
    read.values = find_array(group, "data");
    if (read.values && transposed) read.values = as_column_major(read.values);
    const std::optional<std::string> type = text_attribute(hdf5::attribute(group, "type"), "type");
    if (!type) throw damaged("the attribute \"type\" is missing");
    read.meant = meant_values(group, *type, owner, context);
    if (transposed) read.meant = as_column_major(read.meant);
    if (read.meant->shape().empty()) throw damaged("the array has no dimensions");
  } catch (const Error& error) {
    read.error = error;
  }
  return read;
}

Content content_of(const Group& group, const ArrayContent& array, const SideNames& given,
                   const ObjectPlace& place, Context& context) {
  if (array.error && !array.values) return *array.error;
  if (array.error) {
    const ArrayPtr broken = std::make_shared<BrokenArray>(array.values->dtype(), *array.error);
    return LabelledArray{array.values, nullptr, nullptr, broken};
  }
  LabelledArray shown{array.meant, nullptr, nullptr};
  const Shape& shape = array.meant->shape();
  if (shape.size() != 2) return shown;
  const bool reversed = array.meant->column_major();
  const MatrixExtent extent{shape[reversed], shape[!reversed]};
  const SideNames names = side_names(group, extent, given, place.path, context, reversed);
  shown.row_names = names.rows;
  shown.column_names = names.columns;
  shown.is_genes_by_cells = shown.is_of_directory = given.is_assay;
  return shown;
}

}  // namespace

bool is_transposed(const Group& group) {
  const ArrayPtr transposed = hdf5::attribute(group, "transposed");
  if (!transposed) return false;
  if (!transposed->shape().empty() || transposed->is_null() || !transposed->dtype().is_integer())
    throw damaged("the attribute \"transposed\" is not an integer scalar");
  const Elements value = read_all(*transposed);
  return std::any_of(value.bytes.begin(), value.bytes.end(),
                     [](std::byte byte) { return byte != std::byte{}; });
}

Node open_dense_array(const Opening& opening) {
  const auto& [place, object, sides, context] = opening;
  check_version(object, kDenseArray);
  const GroupPtr group = open_file_group(place, "array.h5", kDenseArray, context);
  const ArrayContent array = read_array(*group, {"array", place.path}, context);
  Member shown{kDenseArray,
               Node{.content = content_of(*group, array, sides, place, context), .role = sides.role}};
  return Node{.parts = object_group(place, "array.h5", {std::move(shown)}, context)};
}

namespace {

constexpr const char* kCompressedSparseMatrix = "compressed_sparse_matrix";

bool read_is_by_row(const Group& group) {
  const std::optional<std::string> layout = text_attribute(hdf5::attribute(group, "layout"), "layout");
  if (!layout) throw damaged("the attribute \"layout\" is missing");
  if (*layout != "CSC" && *layout != "CSR") throw damaged("the layout is '{}', expected CSC or CSR", *layout);
  return *layout == "CSR";
}

// Sets the values of the matrix as the group's type defines them, and its handling of real and missing
// values.
void read_values(const Group& group, const Owner& owner, SparseMatrix& matrix, Context& context) {
  matrix.value->check();
  const std::optional<std::string> type = text_attribute(hdf5::attribute(group, "type"), "type");
  if (!type) throw damaged("the attribute \"type\" is missing");
  if (*type == "string") throw damaged("the type is 'string', expected integer, boolean or number");
  const bool is_stored_real = matrix.value->dtype().kind == Kind::real;
  if (*type == "integer" && is_stored_real)
    throw damaged("integer values are stored as {}", matrix.value->dtype().name());
  const ArrayPtr placeholder = hdf5::attribute(*matrix.value, kPlaceholder);
  matrix.value = typed_values(matrix.value, *type, placeholder, "none", owner, context);
  matrix.is_real = *type == "number";
  matrix.missing = matrix.is_real ? MissingEntries::shown_as_nan : MissingEntries::refused;
}

std::function<void()> warning_once(std::string message, Context& context) {
  return [is_logged = std::make_shared<std::atomic_flag>(), message = std::move(message), &context] {
    if (!is_logged->test_and_set()) context.warn(message);
  };
}

// Calls read(). An error makes the matrix damaged; the other parts are still examined.
template <class Read>
void guarded(SparseMatrix& matrix, Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    if (!matrix.error) matrix.error = error;
  }
}

// Returns the node of the stored values. Its .csv shows meant, or throws error if they have no meaning.
Node values_node(Node stored, const ArrayPtr& meant, const std::optional<Error>& error) {
  auto* array = std::get_if<LabelledArray>(&stored.content);
  if (!array) return stored;
  if (error)
    array->labels = std::make_shared<BrokenArray>(array->values->dtype(), *error);
  else if (meant)
    array->values = meant;
  return stored;
}

}  // namespace

frames::MatrixShape read_matrix_shape(const Group& group) {
  const ArrayPtr shape = find_array(group, "shape");
  if (!shape) throw damaged("the dataset shape is missing");
  if (shape->shape().size() != 1 || shape->count() != 2)
    throw damaged("the shape of the matrix does not have two numbers");
  const Elements extents = read_all(*shape);
  return visit_number(shape->dtype(), [&](auto example) -> frames::MatrixShape {
    using T = decltype(example);
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> values = extents.values<T>();
      if (values[0] >= 0 && values[1] >= 0)
        return {static_cast<uint64_t>(values[0]), static_cast<uint64_t>(values[1])};
    }
    throw damaged("the shape of the matrix is not two non-negative integers");
  });
}

Node open_compressed_sparse_matrix(const Opening& opening) {
  // Not a structured binding: clang 14 does not allow one in a lambda.
  const ObjectPlace& place = opening.place;
  const SideNames& sides = opening.sides;
  Context& context = opening.context;
  check_version(opening.object, kCompressedSparseMatrix);
  const GroupPtr group = open_file_group(place, "matrix.h5", kCompressedSparseMatrix, context);
  const std::string path = place.inside(kCompressedSparseMatrix, nullptr).path;
  SparseMatrix matrix = frames::compressed_parts(*group);
  std::optional<Error> wrong_values;
  ArrayPtr shown_values;
  guarded(matrix, [&] { matrix.by_row = read_is_by_row(*group); });
  guarded(matrix, [&] {
    try {
      read_values(*group, {"matrix", path + "/data"}, matrix, context);
      shown_values = matrix.value;
      if (shown_values->dtype().kind == Kind::logical)
        matrix.value = with_type(matrix.value, number_type(Kind::boolean, 1));
    } catch (const Error& error) {
      wrong_values = error;
      throw;
    }
  });
  guarded(matrix, [&] {
    const frames::MatrixShape shape = read_matrix_shape(*group);
    matrix.rows = shape.rows;
    matrix.columns = shape.columns;
    const SideNames names = side_names(*group, {shape.rows, shape.columns}, sides, place.path, context);
    matrix.row_names = names.rows;
    matrix.column_names = names.columns;
  });
  matrix.on_unsorted_index =
      warning_once(path + "/indices: not ascending within every row or column", context);
  const auto refine = [shown_values, wrong_values](const std::string& name, Node stored) {
    return name == "data" ? values_node(std::move(stored), shown_values, wrong_values) : std::move(stored);
  };
  Member parts{kCompressedSparseMatrix, Node{.parts = std::make_shared<OverlayGroup>(group, refine)}};
  return Node{.content = std::move(matrix), .parts = object_group(place, "matrix.h5", {parts}, context)};
}

}  // namespace plainfs::takane
