#include "formats/annotated/join_matrices.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "formats/annotated/parts.h"
#include "formats/core/base/checked.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/sparse/column_order.h"
#include "formats/core/sparse/computed_matrix.h"
#include "formats/core/sparse/dense_entries.h"
#include "formats/core/sparse/entry_source.h"

namespace plainfs::annotated {

namespace {

using MatrixParts = std::vector<MatrixPart>;

// A part with a copy of its content, for use after the stores have been listed.
struct KeptPart {
  std::string label;
  uint64_t cells = 0;
  Content content{};  // monostate: absent
  Indices columns{};
};

bool is_sparse(const Content& content) {
  return std::holds_alternative<SparseMatrix>(content);
}

std::optional<DType> numbers_of(const Content& content) {
  if (const auto* array = std::get_if<LabelledArray>(&content))
    return array->labels ? array->labels->dtype() : array->values->dtype();
  const auto* sparse = std::get_if<SparseMatrix>(&content);
  return sparse && sparse->value ? std::optional(sparse->value->dtype()) : std::nullopt;
}

// Returns the entries of a matrix by row, also if it is stored otherwise.
SparseMatrix by_row(const Content& content, Context& context) {
  if (const auto* array = std::get_if<LabelledArray>(&content)) {
    LabelledArray dense{in_row_order(labelled_values(*array).values), nullptr, nullptr};
    dense.matrix.emplace().transposed = true;
    return transposed(entries_of(dense, context));
  }
  SparseMatrix matrix = evaluated(std::get<SparseMatrix>(content));
  if (matrix.error) throw *matrix.error;
  lists_of(matrix).check();
  return matrix.by_row ? matrix : transposed(by_column(transposed(matrix), context));
}

// Returns the lists of a matrix without entries.
SparseMatrix without_entries(uint64_t rows, uint64_t columns, const DType& type) {
  SparseMatrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.by_row = true;
  const DType counts = number_type(Kind::integer, 8);
  matrix.value = constant(type, {0}, zero_elements(type, 1));
  matrix.index = constant(counts, {0}, zero_elements(counts, 1));
  matrix.pointer = constant(counts, {rows + 1}, zero_elements(counts, 1));
  return matrix;
}

// The places of the columns of one matrix in the joined one.
struct Placement {
  uint64_t before = 0;  // of column i: before + i
  Indices places{};     // or, unless null, of each column
};

// The indices of a matrix as columns of the joined one.
class PlacedIndices : public DerivedArray {
 public:
  // columns: of the matrix.
  PlacedIndices(const ArrayPtr& indices, DType dtype, uint64_t columns, Placement placement)
      : DerivedArray(indices, std::move(dtype)), columns_(columns), placement_(std::move(placement)) {}

 private:
  Elements derived(Elements stored, const Box& box) const override {
    Elements generated = zero_elements(dtype(), stored.count);
    visit_number(values().dtype(), [&](auto zero) {
      using From = decltype(zero);
      if constexpr (std::is_integral_v<From>) {
        const auto from = stored.values<From>();
        if (dtype().size == 4)
          place(from, generated.mutable_values<int32_t>(), box);
        else
          place(from, generated.mutable_values<int64_t>(), box);
      } else {
        throw unsupported("indices of type {}", values().dtype().name());
      }
    });
    return generated;
  }

  template <class From, class To>
  void place(std::span<const From> from, std::span<To> to, const Box& box) const {
    const uint64_t* const places = placement_.places ? placement_.places->data() : nullptr;
    for (size_t i = 0; i < from.size(); ++i) {
      const auto column = static_cast<uint64_t>(from[i]);  // a negative one is too large
      if (column >= columns_)
        throw damaged("index {} of entry {} is not below {}", from[i], box.origin[0] + i, columns_);
      to[i] = static_cast<To>(places ? places[column] : placement_.before + column);
    }
  }

  const uint64_t columns_;
  const Placement placement_;
};

// Returns the matrices one after another, with their entries as they are stored. columns: of the joined
// matrix.
SparseMatrix appended(const std::vector<SparseMatrix>& parts, const DType& type, uint64_t columns,
                      const std::vector<Placement>& placements) {
  const DType index_type = number_type(Kind::integer, columns <= INT32_MAX ? 4 : 8);
  std::vector<ArrayPtr> values, indices;
  std::vector<uint64_t> pointer{0};
  uint64_t before = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_in_place = placements[i].before == 0 && !placements[i].places;
    values.push_back(with_type(parts[i].value, type));
    indices.push_back(parts[i].index);
    if (!is_in_place || !(parts[i].index->dtype() == index_type))
      indices.back() =
          std::make_shared<PlacedIndices>(parts[i].index, index_type, parts[i].columns, placements[i]);
    const uint64_t end =
        for_each_pointer(*parts[i].pointer, parts[i].value->count(), [&](uint64_t number, uint64_t value) {
          if (number > 0 && number <= parts[i].rows) pointer.push_back(before + value);
        });
    check_last_pointer(end, parts[i].value->count());
    before = checked_add(before, end);
  }
  SparseMatrix joined;
  joined.value = combined(std::move(values), 0);
  joined.index = combined(std::move(indices), 0);
  joined.pointer = pointer_list(pointer);
  return joined;
}

// Returns the placement of a matrix with so many columns; nullopt if some of them are not in the joined one.
// columns: see MatrixPart.
std::optional<Placement> placement_of(const Indices& columns, uint64_t count) {
  if (!columns) return Placement();
  auto places = std::make_shared<std::vector<uint64_t>>(count, kNoIndex);
  for (uint64_t i = 0; i < columns->size(); ++i)
    if ((*columns)[i] != kNoIndex) (*places)[(*columns)[i]] = i;
  if (std::find(places->begin(), places->end(), kNoIndex) != places->end()) return std::nullopt;
  return Placement{0, std::move(places)};
}

// Returns the matrices one after another, each with the columns of the joined one. columns: see
// MatrixPart::columns.
SparseMatrix mapped_lists(const std::vector<Indices>& columns, const std::vector<SparseMatrix>& matrices,
                          const DType& type, Context& context) {
  std::vector<EntrySourcePtr> sources;
  for (size_t i = 0; i < matrices.size(); ++i) {
    EntrySourcePtr source = compressed_source(lists_of(matrices[i]));
    if (columns[i]) source = minor_subset(std::move(source), columns[i]);
    sources.push_back(converted(std::move(source), type));
  }
  return computed_lists(major_combined(std::move(sources)), context);
}

// Returns the joined lists. Called when a reader first needs them.
SparseMatrix joined_lists(const std::vector<KeptPart>& parts, uint64_t columns, Context& context) {
  std::vector<std::optional<SparseMatrix>> present;
  std::vector<DType> types;
  for (const KeptPart& part : parts) {
    present.emplace_back();
    if (std::holds_alternative<std::monostate>(part.content)) continue;
    try {
      present.back() = by_row(part.content, context);
      if (!present.back()->value->dtype().is_numeric())
        throw unsupported("a matrix of {}", present.back()->value->dtype().name());
    } catch (const Error& error) {
      throw error.at(part.label);
    }
    types.push_back(present.back()->value->dtype());
  }
  const DType type = promoted_type(types);
  std::vector<SparseMatrix> matrices;
  std::vector<Indices> own_columns;
  std::vector<Placement> placements;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_absent = !present[i];
    matrices.push_back(is_absent ? without_entries(parts[i].cells, columns, type) : *std::move(present[i]));
    own_columns.push_back(is_absent ? nullptr : parts[i].columns);
    if (std::optional<Placement> placement = placement_of(own_columns.back(), matrices.back().columns))
      placements.push_back(*std::move(placement));
  }
  const bool are_all_kept = placements.size() == matrices.size();
  return are_all_kept ? appended(matrices, type, columns, placements)
                      : mapped_lists(own_columns, matrices, type, context);
}

std::vector<KeptPart> kept(const MatrixParts& parts) {
  std::vector<KeptPart> all;
  for (const MatrixPart& part : parts)
    all.push_back({part.label, part.cells, part.content ? *part.content : Content(), part.columns});
  return all;
}

// Returns the matrix that `lists` makes when it is first needed.
SparseMatrix lazy_matrix(const MatrixParts& parts, uint64_t columns, std::function<SparseMatrix()> lists) {
  SparseMatrix joined;
  joined.by_row = true;
  joined.columns = columns;
  for (const MatrixPart& part : parts) {
    joined.rows = checked_add(joined.rows, part.cells);
    const auto* sparse = part.content ? std::get_if<SparseMatrix>(part.content) : nullptr;
    if (!sparse) continue;
    joined.is_real |= sparse->is_real;
    if (sparse->missing != MissingEntries::shown_as_na) joined.missing = sparse->missing;
    if (sparse->error && !joined.error) joined.error = sparse->error->at(part.label);
  }
  joined.evaluate = evaluated_once(std::move(lists));
  return joined;
}

bool has_absent(const Indices& columns) {
  return columns && std::find(columns->begin(), columns->end(), kNoIndex) != columns->end();
}

// Returns the reals in which NaN can stand beside values of a type.
DType with_nan(const DType& type) {
  return type.kind == Kind::real ? type : number_type(Kind::real, 8);
}

LabelledArray joined_dense(const MatrixParts& parts, uint64_t columns) {
  std::vector<DType> types;
  bool lacks_some = false;
  for (const MatrixPart& part : parts) {
    lacks_some |= !part.content || has_absent(part.columns);
    if (part.content) types.push_back(*numbers_of(*part.content));
  }
  DType type = promoted_type(types);
  if (lacks_some) type = with_nan(type);
  std::vector<ArrayPtr> arrays;
  for (const MatrixPart& part : parts) {
    if (!part.content) {
      arrays.push_back(constant(type, {part.cells, columns}, not_a_number_of(type)));
      continue;
    }
    const auto& array = std::get<LabelledArray>(*part.content);
    ArrayPtr values = with_type(in_row_order(labelled_values(array).values), type);
    if (has_absent(part.columns))
      values = reindexed(values, 1, *part.columns);
    else if (part.columns)
      values = subset(values, 1, part.columns);
    arrays.push_back(std::move(values));
  }
  return {combined(std::move(arrays), 0), nullptr, nullptr};
}

// Returns why a part does not fit; nullopt if it does.
std::optional<Error> fault_of(const MatrixPart& part, const std::string& place) {
  if (const auto* error = std::get_if<Error>(part.content)) return error->at(part.label);
  const std::optional<Extent> extent = extent_of(*part.content);
  if (!extent) return unsupported("{}: {} is no matrix", part.label, place);
  if (extent->rows != part.cells)
    return damaged("{}: {} has {} rows, expected {}", part.label, place, extent->rows, part.cells);
  const std::optional<DType> type = numbers_of(*part.content);
  if (type && !type->is_numeric())
    return unsupported("{}: {} holds values of type {}", part.label, place, type->name());
  if (is_sparse(*part.content)) return std::nullopt;
  try {
    std::get<LabelledArray>(*part.content).values->check();
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return error.at(part.label);
  }
  return std::nullopt;
}

}  // namespace

Content joined_matrices(const std::vector<MatrixPart>& parts, uint64_t columns, const std::string& place,
                        Context& context) {
  bool any_sparse = false;
  for (const MatrixPart& part : parts) {
    if (!part.content) continue;
    if (std::optional<Error> fault = fault_of(part, place)) return *std::move(fault);
    any_sparse |= is_sparse(*part.content);
  }
  if (!any_sparse) return joined_dense(parts, columns);
  return lazy_matrix(parts, columns,
                     [all = kept(parts), columns, &context] { return joined_lists(all, columns, context); });
}

Content joined_graphs(const std::vector<MatrixPart>& parts, const std::string& place, Context& context) {
  uint64_t cells = 0;
  for (const MatrixPart& part : parts) {
    if (part.content)
      if (std::optional<Error> fault = fault_of(part, place)) return *std::move(fault);
    cells = checked_add(cells, part.cells);
  }
  return lazy_matrix(parts, cells, [all = kept(parts), &context] {
    std::vector<SparseMatrix> graphs;
    std::vector<DType> types;
    std::vector<Placement> placements;
    uint64_t before = 0;
    for (const KeptPart& part : all) {
      const bool is_absent = std::holds_alternative<std::monostate>(part.content);
      graphs.push_back(is_absent ? without_entries(part.cells, part.cells, number_type(Kind::boolean, 1))
                                 : by_row(part.content, context));
      if (!is_absent) types.push_back(graphs.back().value->dtype());
      placements.push_back({before});
      before += part.cells;
    }
    return appended(graphs, promoted_type(types), before, placements);
  });
}

}  // namespace plainfs::annotated
