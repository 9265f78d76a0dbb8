#include <algorithm>
#include <array>

#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/sparse/lists.h"
#include "formats/schemas/robject/arrays.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

constexpr uint64_t kMaxUnitEntries = uint64_t{1} << 24;

// The parts of a class name: d, l or n; general, symmetric or triangular; by column, row or triplets.
struct MatrixClass {
  char values = 'd';
  char structure = 'g';  // s, t, d: diagonal, or i: an index
  char form = 'C';       // R, T; unused for the last two
};

std::string class_of(const Value& value) {
  const std::vector<std::string> classes =
      value.type == RType::s4 ? value.classes() : std::vector<std::string>();
  return classes.empty() ? "" : classes.front();
}

std::optional<MatrixClass> sparse_class(const Value& value) {
  const std::string name = class_of(value);
  if (name == "Graph") return MatrixClass{};  // Seurat's, which contains dgCMatrix
  if (name == "indMatrix" || name == "pMatrix") return MatrixClass{'n', 'i', 0};
  if (name.size() != 9 || !name.ends_with("Matrix")) return std::nullopt;
  const auto is_one_of = [](char c, std::string_view all) { return all.find(c) != all.npos; };
  if (!is_one_of(name[0], "dlni")) return std::nullopt;
  if (name[1] == 'd' && name[2] == 'i') return MatrixClass{name[0], 'd', 0};
  if (!is_one_of(name[1], "gst") || !is_one_of(name[2], "CRT")) return std::nullopt;
  return MatrixClass{name[0], name[1], name[2]};
}

// A builder of the matrix of one object. It throws for a missing or invalid part.
class Sparse {
 public:
  Sparse(const Value& object, MatrixClass matrix_class, const View& view)
      : object_(object), class_(matrix_class), view_(view) {
    const auto extent = matrix_extent(object);
    if (!extent) throw damaged("{}: Dim of a matrix does not have two dimensions", view.place.path);
    rows_ = extent->first;
    columns_ = extent->second;
    find_names();
  }

  Content content() {
    const bool is_unit = text("diag") == "U";
    if (class_.structure == 'd') return diagonal(is_unit);
    if (class_.structure == 'i') return index_matrix();
    const bool is_compressed = class_.form != 'T';
    if (class_.structure == 's') return symmetric(is_compressed);
    if (!is_compressed) return triplets(is_unit && class_.structure == 't');
    SparseMatrix matrix = compressed();
    if (class_.structure == 't' && is_unit) matrix.evaluate = with_unit_diagonal(matrix, text("uplo") == "U");
    return matrix;
  }

 private:
  void find_names() {
    if (view_.sides) {
      row_names_ = view_.sides->rows;
      column_names_ = view_.sides->columns;
      return;
    }
    row_names_ = side_names(object_, "Dimnames", 0, rows_, view_);
    column_names_ = side_names(object_, "Dimnames", 1, columns_, view_);
    if (class_.structure != 's') return;
    if (!row_names_) row_names_ = column_names_;
    if (!column_names_) column_names_ = row_names_;
  }

  std::string text(std::string_view slot) const {
    const ValuePtr value = object_.attribute(slot);
    return value ? value->single_text().value_or("") : "";
  }
  ArrayPtr integers(std::string_view slot) const {
    const ValuePtr value = object_.attribute(slot);
    if (!value || value->type != RType::integer)
      throw damaged("{}: the slot {} of a matrix is missing or not integers", view_.place.path, slot);
    return value->vector;
  }
  // Returns the values; for a pattern, count times TRUE.
  ArrayPtr values(uint64_t count) const {
    if (class_.values == 'n') return all_true(count);
    const ValuePtr value = object_.attribute("x");
    if (!value || !value->is_vector())
      throw damaged("{}: the values x of a matrix are missing", view_.place.path);
    const ArrayPtr marked = with_missing_marked(*value);
    return marked->dtype().kind == Kind::logical ? with_type_of_truth(marked) : marked;
  }
  // Returns logicals as 1 and 0.
  static ArrayPtr with_type_of_truth(ArrayPtr logicals) {
    return mapped(std::move(logicals), number_type(Kind::boolean, 1),
                  [](const Elements& elements, const Box&) {
                    Elements truth;
                    truth.count = elements.count;
                    truth.missing = elements.missing;
                    for (const int32_t value : elements.values<int32_t>())
                      truth.bytes.push_back(std::byte{value != 0});
                    return truth;
                  });
  }
  bool is_real() const { return class_.values == 'd'; }
  MissingEntries missing() const { return is_real() ? MissingEntries::shown_as_na : MissingEntries::refused; }

  SparseMatrix compressed() const {
    SparseMatrix matrix;
    matrix.rows = rows_;
    matrix.columns = columns_;
    matrix.by_row = class_.form == 'R';
    matrix.index = integers(class_.form == 'R' ? "j" : "i");
    matrix.pointer = integers("p");
    matrix.value = values(matrix.index->count());
    matrix.row_names = row_names_;
    matrix.column_names = column_names_;
    matrix.is_real = is_real();
    matrix.missing = missing();
    return matrix;
  }

  CoordinateMatrix coordinates(ArrayPtr row, ArrayPtr column, ArrayPtr value) const {
    CoordinateMatrix matrix{rows_,      columns_,     std::move(row), std::move(column), std::move(value),
                            row_names_, column_names_};
    matrix.is_real = is_real();
    matrix.missing = missing();
    return matrix;
  }

  // Returns a symmetric matrix. Only one triangle is stored; it is returned as the lower one.
  Content symmetric(bool is_compressed) const {
    ArrayPtr row, column;
    if (is_compressed) {
      const ArrayPtr minor = integers(class_.form == 'R' ? "j" : "i");
      const ArrayPtr major = majors_of(integers("p"), minor->count());
      row = class_.form == 'R' ? major : minor;
      column = class_.form == 'R' ? minor : major;
    } else {
      row = integers("i");
      column = integers("j");
    }
    if (text("uplo") == "U") std::swap(row, column);
    const uint64_t entries = row->count();
    CoordinateMatrix matrix = coordinates(std::move(row), std::move(column), values(entries));
    matrix.is_symmetric = true;
    return matrix;
  }

  Content triplets(bool is_unit) const {
    const ArrayPtr row = integers("i"), column = integers("j");
    CoordinateMatrix matrix = coordinates(row, column, values(row->count()));
    if (is_unit) append_unit_diagonal(matrix);
    return matrix;
  }

  void check_can_be_held(uint64_t entries) const {
    if (entries > kMaxUnitEntries)
      throw unsupported("{}: a unit triangular matrix of {} entries", view_.place.path, entries);
  }

  Elements one_of(const DType& type) const {
    Elements one = zero_elements(type, 1);
    visit_number(type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_arithmetic_v<T>) one.mutable_values<T>()[0] = T{1};
    });
    return one;
  }

  // Appends the diagonal of a unit triangular matrix to its triplets.
  void append_unit_diagonal(CoordinateMatrix& matrix) const {
    const uint64_t side = std::min(rows_, columns_);
    check_can_be_held(matrix.value->count() + side);
    const auto with_diagonal = [&](const ArrayPtr& index) {
      Elements all = read_all(*index);
      for (uint64_t i = 0; i < side; ++i) {
        Elements number = zero_elements(index->dtype(), 1);
        number.mutable_values<int32_t>()[0] = static_cast<int32_t>(i);
        append(index->dtype(), all, number, 0, 1);
      }
      return std::make_shared<MemoryArray>(index->dtype(), Shape{all.count}, std::move(all));
    };
    matrix.row = with_diagonal(matrix.row);
    matrix.column = with_diagonal(matrix.column);
    const DType type = matrix.value->dtype();
    Elements values = read_all(*matrix.value);
    append(type, values, repeated_element(type, one_of(type), side), 0, side);
    matrix.value = std::make_shared<MemoryArray>(type, Shape{values.count}, std::move(values));
  }

  // Returns a function that inserts the diagonal of a unit triangular matrix by column or row. The entry on
  // the diagonal is the last of a column of an upper matrix, and the first of a lower one. For rows it is
  // reversed.
  std::function<SparseMatrix()> with_unit_diagonal(const SparseMatrix& stored, bool is_upper) const {
    const bool is_last = is_upper != (class_.form == 'R');
    check_can_be_held(stored.index->count() + std::max(rows_, columns_));
    const Elements one = one_of(stored.value->dtype());
    return [stored, is_last, one] {
      const Lists lists = lists_of(stored);
      lists.check();
      const Elements indices = read_all(*stored.index), values = read_all(*stored.value);
      const Pointers pointers(lists, 0, lists.majors);
      const std::span<const uint64_t> begins = pointers.values();
      const DType value_type = stored.value->dtype(), index_type = stored.index->dtype();
      SparseMatrix generated;
      Elements new_ends = zero_elements(index_type, 1), new_indices = zero_elements(index_type, 0),
               new_values = zero_elements(value_type, 0);
      for (size_t major = 0; major < lists.majors; ++major) {
        Elements place = zero_elements(index_type, 1);
        const auto put_one = [&] {
          place.mutable_values<int32_t>()[0] = static_cast<int32_t>(major);
          append(index_type, new_indices, place, 0, 1);
          append(value_type, new_values, one, 0, 1);
        };
        if (!is_last) put_one();
        const uint64_t first = begins[major], count = begins[major + 1] - first;
        append(index_type, new_indices, indices, first, count);
        append(value_type, new_values, values, first, count);
        if (is_last) put_one();
        place.mutable_values<int32_t>()[0] = static_cast<int32_t>(new_indices.count);
        append(index_type, new_ends, place, 0, 1);
      }
      const auto held = [](const DType& type, Elements elements) {
        return std::make_shared<MemoryArray>(type, Shape{elements.count}, std::move(elements));
      };
      generated.value = held(value_type, std::move(new_values));
      generated.index = held(index_type, std::move(new_indices));
      generated.pointer = held(index_type, std::move(new_ends));
      return generated;
    };
  }

  Content diagonal(bool is_unit) const {
    const uint64_t side = std::min(rows_, columns_);
    const ArrayPtr places = counting(side);
    if (!is_unit) return coordinates(places, places, values(side));
    const ArrayPtr ones = all_true(side);
    if (class_.values != 'd') return coordinates(places, places, ones);
    return coordinates(places, places,
                       mapped(ones, number_type(Kind::real, 8), [](const Elements& all, const Box&) {
                         Elements reals = zero_elements(number_type(Kind::real, 8), all.count);
                         for (double& value : reals.mutable_values<double>()) value = 1;
                         return reals;
                       }));
  }

  // Returns a matrix with a 1 in each row, in the column that perm gives (from 1). With margin 2, rows and
  // columns are exchanged.
  Content index_matrix() const {
    const ArrayPtr perm = integers("perm");
    const ArrayPtr places =
        mapped(perm, number_type(Kind::integer, 8), [](const Elements& elements, const Box&) {
          Elements from_zero = zero_elements(number_type(Kind::integer, 8), elements.count);
          const auto given = elements.values<int32_t>();
          const auto values = from_zero.mutable_values<int64_t>();
          for (size_t i = 0; i < given.size(); ++i) values[i] = int64_t{given[i]} - 1;
          return from_zero;
        });
    const ValuePtr margin = object_.attribute("margin");
    const auto number = margin ? margin->whole_numbers() : std::nullopt;
    const bool by_column = number && number->size() == 1 && (*number)[0] == 2;
    const ArrayPtr order = counting(perm->count());
    return coordinates(by_column ? places : order, by_column ? order : places, all_true(perm->count()));
  }

  const Value& object_;
  const MatrixClass class_;
  const View& view_;
  uint64_t rows_ = 0;
  uint64_t columns_ = 0;
  ArrayPtr row_names_;
  ArrayPtr column_names_;
};

// Returns the slots that are arrays of numbers.
std::vector<Member> part_members(const Value& object, const View& view) {
  std::vector<Member> members;
  for (const char* slot : {"i", "j", "p", "x", "perm", "Dim"})
    if (const ValuePtr value = object.attribute(slot); value && value->is_vector())
      add_member(members, slot, value, view);
  return members;
}

Attributes attributes_with_assay(const Value& object) {
  Attributes attributes = attributes_of(object);
  const ValuePtr assay = object.attribute("assay.used");
  if (assay && assay->is_vector()) attributes.push_back({"assay.used", list_of(*assay)});
  return attributes;
}

}  // namespace

bool is_sparse_matrix(const Value& value) {
  return sparse_class(value).has_value();
}

std::optional<std::pair<uint64_t, uint64_t>> matrix_extent(const Value& matrix) {
  const ValuePtr dim = matrix.attribute("Dim");
  if (!dim || !dim->is_vector() || dim->length() != 2) return std::nullopt;
  const auto extents = dim->whole_numbers();
  if (!extents || (*extents)[0] < 0 || (*extents)[1] < 0) return std::nullopt;
  return std::pair{static_cast<uint64_t>((*extents)[0]), static_cast<uint64_t>((*extents)[1])};
}

Node sparse_node(const ValuePtr& matrix, const View& view) {
  Node node;
  try {
    node.content = Sparse(*matrix, *sparse_class(*matrix), view).content();
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    SparseMatrix broken;
    broken.error = error;
    node.content = std::move(broken);
  }
  node.attributes = [matrix] { return attributes_with_assay(*matrix); };
  node.parts = directory_at(
      view, [matrix](const View& inside) { return part_members(*matrix, inside); },
      [matrix] { return attributes_with_assay(*matrix); });
  return node;
}

ValuePtr dense_matrix(const Value& value) {
  static constexpr std::string_view kClasses[] = {"dgeMatrix", "lgeMatrix", "ngeMatrix"};
  const std::string name = class_of(value);
  if (std::find(std::begin(kClasses), std::end(kClasses), name) == std::end(kClasses)) return nullptr;
  const ValuePtr elements = value.attribute("x"), dim = value.attribute("Dim");
  if (!elements || !elements->is_vector() || !dim) return nullptr;
  auto dense = std::make_shared<Value>();
  dense->type = elements->type;
  dense->vector = elements->vector;
  dense->attributes.push_back({"dim", dim});
  if (const ValuePtr names = value.attribute("Dimnames")) dense->attributes.push_back({"dimnames", names});
  return dense;
}

}  // namespace plainfs::robject
