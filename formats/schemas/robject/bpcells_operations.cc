#include "formats/schemas/robject/bpcells_operations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "formats/core/frames/common_type.h"
#include "formats/core/sparse/computed_matrix.h"

namespace plainfs::robject {
namespace {

constexpr unsigned kDeepestTree = 256;
constexpr uint64_t kMaxIndices = uint64_t{1} << 27;  // of a subset: 1 GiB

ValuePtr required_slot(const Value& object, const char* name) {
  ValuePtr slot = object.attribute(name);
  if (!slot) throw damaged("{}: the slot {} is missing", bpcells_class(object), name);
  return slot;
}

ValuePtr operand_of(const Value& object) {
  ValuePtr matrix = required_slot(object, "matrix");
  if (!is_bpcells(*matrix))
    throw damaged("{}: the slot matrix is not a matrix of BPCells", bpcells_class(object));
  return matrix;
}

// Returns the numbers of a slot; empty for an empty slot.
std::vector<double> numbers_in(const Value& object, const char* name) {
  const ValuePtr slot = required_slot(object, name);
  if (slot->type != RType::real && slot->type != RType::integer && slot->type != RType::logical)
    throw damaged("{}: the slot {} has no numbers", bpcells_class(object), name);
  slot->vector->check();
  if (slot->vector->count() > kMaxIndices)
    throw unsupported("{}: the slot {} has {} numbers", bpcells_class(object), name, slot->vector->count());
  std::vector<double> numbers;
  const Elements elements =
      as_type(slot->vector->dtype(), read_all(*slot->vector), number_type(Kind::real, 8));
  const auto values = elements.values<double>();
  numbers.assign(values.begin(), values.end());
  return numbers;
}

double number_in(const Value& object, const char* name, size_t place) {
  const std::vector<double> numbers = numbers_in(object, name);
  if (place >= numbers.size())
    throw damaged("{}: the slot {} has {} numbers", bpcells_class(object), name, numbers.size());
  return numbers[place];
}

// The parameters of each row or column of a matrix: the row `number` of a matrix with a column for each.
std::vector<double> parameters_in(const Value& object, const char* name, size_t number, uint64_t extent) {
  const std::vector<double> all = numbers_in(object, name);
  const size_t rows = extent == 0 ? 0 : all.size() / extent;
  if (all.size() != rows * extent || (extent > 0 && number >= rows))
    throw damaged("{}: the slot {} has {} numbers for {} rows or columns", bpcells_class(object), name,
                  all.size(), extent);
  std::vector<double> own;
  for (uint64_t i = 0; i < extent; ++i) own.push_back(all[i * rows + number]);
  return own;
}

// Returns whether rows, columns and the whole matrix are multiplied. Adding makes a matrix dense.
std::vector<double> active_scales(const Value& scale_shift) {
  std::vector<double> active = numbers_in(scale_shift, "active_transforms");
  if (active.size() != 6) throw damaged("TransformScaleShift: active_transforms is not 3 by 2");
  if (std::any_of(active.begin() + 3, active.end(), [](double shifts) { return shifts != 0; }))
    throw unsupported("TransformScaleShift: a number is added to each element; only multiplying is computed");
  active.resize(3);
  return active;
}

// A source with values of type double that are computed one by one.
class Transformed : public EntrySource {
 public:
  // compute: returns the value of an entry of a row and a column as BPCells stores them.
  using Compute = std::function<double(double value, uint64_t row, uint64_t column)>;
  Transformed(const EntrySourcePtr& source, Compute compute)
      : EntrySource(source->majors(), source->minors(), number_type(Kind::real, 8)),
        source_(converted(source, number_type(Kind::real, 8))),
        compute_(std::move(compute)) {}

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    return source_->lengths(first, count);
  }
  EntryRun read(uint64_t first, uint64_t count) const override {
    EntryRun run = source_->read(first, count);
    const auto values = run.value.mutable_values<double>();
    for (uint64_t column = 0; column < count; ++column)
      for (uint64_t i = run.pointer[column]; i < run.pointer[column + 1]; ++i)
        values[i] = compute_(values[i], run.index[i], first + column);
    return run;
  }
  EntryRun positions(uint64_t first, uint64_t count) const override {
    return source_->positions(first, count);
  }
  bool reads_all() const override { return source_->reads_all(); }

 private:
  const EntrySourcePtr source_;
  const Compute compute_;
};

EntrySourcePtr transformed(const EntrySourcePtr& source, Transformed::Compute compute) {
  return std::make_shared<Transformed>(source, std::move(compute));
}

// Converts as C++ does: a fraction is cut off.
EntrySourcePtr as_uint32(const EntrySourcePtr& source) {
  if (source->dtype().kind != Kind::real) return converted(source, number_type(Kind::unsigned_integer, 4));
  const auto whole = transformed(source, [](double value, uint64_t, uint64_t) {
    if (!(value > -1 && value < 0x1p32))
      throw unsupported("ConvertMatrixType: uint32_t cannot represent {}", value);
    return std::trunc(value);
  });
  return converted(whole, number_type(Kind::unsigned_integer, 4));
}

class Tree {
 public:
  explicit Tree(StoredMatrix stored) : stored_(std::move(stored)) {}

  // Returns the entries by column as BPCells stores the matrix. The slot transpose of an operand has no
  // meaning: rows and columns of an operation are the stored ones.
  EntrySourcePtr read(const ValuePtr& object) const {
    if (!is_bpcells_operation(*object)) {
      const SparseMatrix matrix = evaluated(stored_(object));
      if (matrix.error) throw *matrix.error;
      return compressed_source(lists_of(matrix));
    }
    const std::string name = bpcells_class(*object);
    const auto found = std::find_if(std::begin(kOperations), std::end(kOperations),
                                    [&](const Operation& one) { return one.name == name; });
    if (found == std::end(kOperations)) throw not_computed(name);
    return (this->*found->read)(*object);
  }

  // Checks that all operations are computed.
  static void check(const Value& object, unsigned depth = 0) {
    if (depth > kDeepestTree) throw damaged("BPCells operations are nested more than {} deep", kDeepestTree);
    if (!is_bpcells_operation(object)) return;
    const std::string name = bpcells_class(object);
    const bool is_known = std::any_of(std::begin(kOperations), std::end(kOperations),
                                      [&](const Operation& one) { return one.name == name; });
    if (!is_known) throw not_computed(name);
    if (name == "TransformScaleShift") active_scales(object);  // throws for one that is not computed
    const ValuePtr list = object.attribute("matrix_list");
    if (!list) return check(*operand_of(object), depth + 1);
    if (list->type != RType::list || list->items.empty())
      throw damaged("{}: the slot matrix_list is not a list of matrices", name);
    for (const ValuePtr& item : list->items) {
      if (!is_bpcells(*item)) throw damaged("{}: the slot matrix_list has no matrices of BPCells", name);
      check(*item, depth + 1);
    }
  }

 private:
  struct Operation {
    std::string_view name;
    EntrySourcePtr (Tree::*read)(const Value& object) const;
  };
  static const Operation kOperations[16];

  static Error not_computed(const std::string& name) {
    return unsupported(
        "the BPCells class {} is not computed; store the matrix with write_matrix_dir() in R and use that",
        name);
  }

  EntrySourcePtr operand(const Value& object) const { return read(operand_of(object)); }
  EntrySourcePtr with_names(const Value& object) const { return operand(object); }
  EntrySourcePtr subset(const Value& object) const;
  EntrySourcePtr convert(const Value& object) const;
  EntrySourcePtr bind_rows(const Value& object) const { return minor_combined(operands(object)); }
  EntrySourcePtr bind_columns(const Value& object) const { return major_combined(operands(object)); }
  std::vector<EntrySourcePtr> operands(const Value& object) const;
  EntrySourcePtr log1p(const Value& object) const;
  EntrySourcePtr expm1(const Value& object) const;
  EntrySourcePtr square(const Value& object) const;
  EntrySourcePtr power(const Value& object) const;
  EntrySourcePtr least(const Value& object) const;
  EntrySourcePtr least_by_row(const Value& object) const;
  EntrySourcePtr least_by_column(const Value& object) const;
  EntrySourcePtr binarize(const Value& object) const;
  EntrySourcePtr scale(const Value& object) const;

  const StoredMatrix stored_;
};

constexpr Tree::Operation Tree::kOperations[] = {
    {"RenameDims", &Tree::with_names},
    {"MatrixSubset", &Tree::subset},
    {"ConvertMatrixType", &Tree::convert},
    {"RowBindMatrices", &Tree::bind_rows},
    {"ColBindMatrices", &Tree::bind_columns},
    {"TransformLog1p", &Tree::log1p},
    {"TransformLog1pSlow", &Tree::log1p},
    {"TransformExpm1", &Tree::expm1},
    {"TransformExpm1Slow", &Tree::expm1},
    {"TransformSquare", &Tree::square},
    {"TransformPow", &Tree::power},
    {"TransformMin", &Tree::least},
    {"TransformMinByRow", &Tree::least_by_row},
    {"TransformMinByCol", &Tree::least_by_column},
    {"TransformBinarize", &Tree::binarize},
    {"TransformScaleShift", &Tree::scale},
};

// Returns the 0-based indices of a selection; null if all are selected. is_empty: none is.
Indices selection_in(const Value& object, const char* name, bool is_empty, uint64_t extent) {
  const std::vector<double> numbers = numbers_in(object, name);
  if (numbers.empty() && !is_empty) return nullptr;
  auto indices = std::make_shared<std::vector<uint64_t>>();
  indices->reserve(numbers.size());
  for (const double number : numbers) {
    if (!(number >= 1 && number <= static_cast<double>(extent)))
      throw damaged("{}: {} has the index {}, expected 1 to {}", bpcells_class(object), name, number, extent);
    indices->push_back(static_cast<uint64_t>(number) - 1);
  }
  return indices;
}

EntrySourcePtr Tree::subset(const Value& object) const {
  EntrySourcePtr source = operand(object);
  const ValuePtr slot = object.attribute("zero_dims");  // absent in objects of BPCells 0.1
  const std::vector<double> zero = slot ? numbers_in(object, "zero_dims") : std::vector<double>{0, 0};
  if (zero.size() != 2) throw damaged("{}: zero_dims has {} values", bpcells_class(object), zero.size());
  const Indices rows = selection_in(object, "row_selection", zero[0] != 0, source->minors());
  const Indices columns = selection_in(object, "col_selection", zero[1] != 0, source->majors());
  if (columns) source = major_subset(std::move(source), columns);
  return rows ? minor_subset(std::move(source), rows) : source;
}

EntrySourcePtr Tree::convert(const Value& object) const {
  const std::string type = required_slot(object, "type")->single_text().value_or("");
  const EntrySourcePtr source = operand(object);
  if (type == "uint32_t") return as_uint32(source);
  if (type == "float") return converted(source, number_type(Kind::real, 4));
  if (type == "double") return converted(source, number_type(Kind::real, 8));
  throw damaged("{}: unknown type '{}'", bpcells_class(object), type);
}

std::vector<EntrySourcePtr> Tree::operands(const Value& object) const {
  std::vector<EntrySourcePtr> sources;
  std::vector<DType> types;
  const ValuePtr list = required_slot(object, "matrix_list");
  for (const ValuePtr& item : list->items) {
    sources.push_back(read(item));
    types.push_back(sources.back()->dtype());
  }
  const bool by_rows = bpcells_class(object) == "RowBindMatrices";
  const auto other_side = [&](const EntrySourcePtr& source) {
    return by_rows ? source->majors() : source->minors();
  };
  const bool are_alike =
      std::all_of(types.begin(), types.end(), [&](const DType& type) { return type == types[0]; });
  const DType type = are_alike ? types[0] : common_type(types);
  for (EntrySourcePtr& source : sources) {
    if (other_side(source) != other_side(sources[0]))
      throw damaged("{}: matrices with {} and {} {} are combined", bpcells_class(object),
                    other_side(sources[0]), other_side(source), by_rows ? "columns" : "rows");
    source = converted(std::move(source), type);
  }
  return sources;
}

EntrySourcePtr Tree::log1p(const Value& object) const {
  return transformed(operand(object), [](double value, uint64_t, uint64_t) { return std::log1p(value); });
}
EntrySourcePtr Tree::expm1(const Value& object) const {
  return transformed(operand(object), [](double value, uint64_t, uint64_t) { return std::expm1(value); });
}
EntrySourcePtr Tree::square(const Value& object) const {
  return transformed(operand(object), [](double value, uint64_t, uint64_t) { return value * value; });
}
EntrySourcePtr Tree::power(const Value& object) const {
  const double exponent = number_in(object, "global_params", 0);
  return transformed(operand(object),
                     [exponent](double value, uint64_t, uint64_t) { return std::pow(value, exponent); });
}
EntrySourcePtr Tree::least(const Value& object) const {
  const double limit = number_in(object, "global_params", 0);
  return transformed(operand(object),
                     [limit](double value, uint64_t, uint64_t) { return std::min(value, limit); });
}
EntrySourcePtr Tree::least_by_row(const Value& object) const {
  EntrySourcePtr source = operand(object);
  std::vector<double> limits = parameters_in(object, "row_params", 0, source->minors());
  return transformed(source, [limits = std::move(limits)](double value, uint64_t row, uint64_t) {
    return std::min(value, limits[row]);
  });
}
EntrySourcePtr Tree::least_by_column(const Value& object) const {
  EntrySourcePtr source = operand(object);
  std::vector<double> limits = parameters_in(object, "col_params", 0, source->majors());
  return transformed(source, [limits = std::move(limits)](double value, uint64_t, uint64_t column) {
    return std::min(value, limits[column]);
  });
}
EntrySourcePtr Tree::binarize(const Value& object) const {
  const double threshold = number_in(object, "global_params", 0);
  const bool is_strict = number_in(object, "global_params", 1) == 1;
  return transformed(operand(object), [=](double value, uint64_t, uint64_t) -> double {
    return is_strict ? value > threshold : value >= threshold;
  });
}

// Multiplies first by the column's factor, then by the row's, which the global factor belongs to if there is
// one.
EntrySourcePtr Tree::scale(const Value& object) const {
  const std::vector<double> active = active_scales(object);
  EntrySourcePtr source = operand(object);
  std::vector<double> rows, columns;
  if (active[0] != 0) rows = parameters_in(object, "row_params", 0, source->minors());
  if (active[1] != 0) columns = parameters_in(object, "col_params", 0, source->majors());
  if (active[2] != 0) {
    const double factor = number_in(object, "global_params", 0);
    if (rows.empty() && columns.empty()) rows.assign(source->minors(), 1);
    for (double& own : rows.empty() ? columns : rows) own *= factor;
  }
  return transformed(source, [rows = std::move(rows), columns = std::move(columns)](
                                 double value, uint64_t row, uint64_t column) {
    if (!columns.empty()) value *= columns[column];
    return rows.empty() ? value : value * rows[row];
  });
}

}  // namespace

std::string bpcells_class(const Value& object) {
  const std::vector<std::string> classes = object.classes();
  return classes.empty() ? "" : classes.front();
}

bool is_bpcells_operation(const Value& object) {
  return !object.attribute("version") && !object.attribute("dir") && !object.attribute("mat");
}

SparseMatrix bpcells_result(const ValuePtr& operation, bool by_row, const StoredMatrix& stored,
                            Context& context) {
  Tree::check(*operation);
  const auto dim = required_slot(*operation, "dim")->whole_numbers();
  if (!dim || dim->size() != 2 || (*dim)[0] < 0 || (*dim)[1] < 0)
    throw damaged("{}: dim is not two non-negative integers", bpcells_class(*operation));
  SparseMatrix matrix;
  matrix.rows = static_cast<uint64_t>((*dim)[0]);
  matrix.columns = static_cast<uint64_t>((*dim)[1]);
  matrix.by_row = by_row;
  matrix.evaluate = evaluated_once([operation, stored, matrix, &context] {
    const EntrySourcePtr source = Tree(stored).read(operation);
    if (source->majors() != matrix.majors() || source->minors() != matrix.minors())
      throw damaged("{}: the matrix has {} {}s and {} {}s, expected {} and {}", bpcells_class(*operation),
                    source->majors(), matrix.major_word(), source->minors(), matrix.minor_word(),
                    matrix.majors(), matrix.minors());
    return computed_lists(source, context);
  });
  return matrix;
}

}  // namespace plainfs::robject
