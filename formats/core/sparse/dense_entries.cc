#include "formats/core/sparse/dense_entries.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/sparse/lists.h"

namespace plainfs {

namespace {

constexpr uint64_t kElementsAtOnce = 256 * 1024;

// Cells as rows, in C order, and the beginning of each cell's entries.
struct DenseCells {
  ArrayPtr values;         // cells x genes
  uint64_t cells_at_once;  // to read together
  std::shared_ptr<const EntriesByCell> entries;
  std::shared_ptr<const void> beside;

  uint64_t cells() const { return values->shape()[0]; }
  uint64_t genes() const { return values->shape()[1]; }
  const std::vector<uint64_t>& pointer() const { return entries->pointer; }
  uint64_t cell_of(uint64_t entry) const {
    const auto after = std::upper_bound(pointer().begin(), pointer().end(), entry);
    return static_cast<uint64_t>(after - pointer().begin()) - 1;
  }
};
using DenseCellsPtr = std::shared_ptr<const DenseCells>;

// Calls visit(gene, element) for the non-zero elements of one cell.
template <class T, class Visit>
void for_each_entry(const Elements& elements, uint64_t first, uint64_t genes, Visit&& visit) {
  const std::span<const T> values = elements.values<T>().subspan(first, genes);
  for (uint64_t gene = 0; gene < genes; ++gene)
    if (!is_zero(values[gene]) || elements.is_missing(first + gene)) visit(gene, first + gene);
}

// The values of the entries, or their genes.
class EntryValues : public Array {
 public:
  EntryValues(DenseCellsPtr cells, DType dtype, bool are_genes)
      : Array(std::move(dtype), {cells->pointer().back()}), cells_(std::move(cells)), are_genes_(are_genes) {}

  Elements read(const Box& box) const override {
    return visit_number(cells_->values->dtype(), [&](auto zero) { return read_as<decltype(zero)>(box); });
  }
  Shape chunk_shape() const override {
    const uint64_t together = divide_up(cells_->cells(), cells_->cells_at_once);
    return {std::max<uint64_t>(1, count() / std::max<uint64_t>(1, together))};
  }

 private:
  template <class T>
  Elements read_as(const Box& box) const;

  const DenseCellsPtr cells_;
  const bool are_genes_;
};

template <class T>
Elements EntryValues::read_as(const Box& box) const {
  const uint64_t first = box.origin[0], end = first + box.extent[0], genes = cells_->genes();
  if (first == end) return zero_elements(dtype(), 0);
  Elements result = zero_elements(dtype(), box.extent[0]);
  uint64_t cell = cells_->cell_of(first);
  const uint64_t cells_end = cells_->cell_of(end - 1) + 1;
  uint64_t entry = cells_->pointer()[cell];
  while (entry < end) {
    check_cancelled();
    const uint64_t some = std::min(cells_->cells_at_once, cells_end - cell);
    // Each cell must have as many entries as were counted; otherwise the next ones would be at wrong places.
    if (some == 0) throw unreadable("a matrix has changed since its entries were counted");
    const Elements elements = read_run(*cells_->values, cell * genes, some * genes);
    for (uint64_t i = 0; i < some && entry < end; ++i) {
      for_each_entry<T>(elements, i * genes, genes, [&](uint64_t gene, uint64_t element) {
        const uint64_t to = entry++ - first;
        if (entry <= first || entry > end) return;
        if (are_genes_) {
          result.mutable_values<uint64_t>()[to] = gene;
          return;
        }
        result.mutable_values<T>()[to] = elements.values<T>()[element];
        if (!elements.is_missing(element)) return;
        if (result.missing.empty()) result.missing.resize(result.count);
        result.missing[to] = 1;
      });
      if (entry != cells_->pointer()[cell + i + 1])
        throw unreadable("a matrix has changed since its entries were counted");
    }
    cell += some;
  }
  return result;
}

EntriesByCell count_entries(const DenseCells& cells, Context& context) {
  std::vector<uint64_t> pointer(cells.cells() + 1);
  context.workers.parallel_for(divide_up(cells.cells(), cells.cells_at_once), [&](size_t together) {
    const uint64_t first = together * cells.cells_at_once;
    const uint64_t some = std::min(cells.cells_at_once, cells.cells() - first), genes = cells.genes();
    const Elements elements = read_run(*cells.values, first * genes, some * genes);
    visit_number(cells.values->dtype(), [&](auto zero) {
      for (uint64_t i = 0; i < some; ++i)
        for_each_entry<decltype(zero)>(elements, i * genes, genes,
                                       [&](uint64_t, uint64_t) { ++pointer[first + i + 1]; });
    });
  });
  std::partial_sum(pointer.begin(), pointer.end(), pointer.begin());
  return {std::move(pointer)};
}

}  // namespace

SparseMatrix entries_of(const LabelledArray& matrix, Context& context, std::shared_ptr<const void> beside) {
  const DType& type = matrix.values->dtype();
  if (!type.is_integer() && type.kind != Kind::real && type.kind != Kind::boolean &&
      type.kind != Kind::logical)
    throw unsupported("a matrix of {}", type.name());
  matrix.values->check();
  const bool are_rows = matrix.matrix->transposed;
  const auto cells = std::make_shared<DenseCells>();
  cells->values = are_rows ? in_row_order(matrix.values) : with_reversed_axes(matrix.values);
  const uint64_t genes = std::max<uint64_t>(1, cells->genes());
  const uint64_t band = elements_in_band(cells->values->shape(), cells->values->chunk_shape());
  cells->cells_at_once = std::max<uint64_t>(1, run_length(kElementsAtOnce, band, type, context) / genes);
  cells->entries = matrix.values->survey<EntriesByCell>(entries_key(are_rows),
                                                        [&] { return count_entries(*cells, context); });
  cells->beside = std::move(beside);

  SparseMatrix entries;
  entries.rows = cells->genes();
  entries.columns = cells->cells();
  entries.pointer = pointer_list(cells->pointer());
  entries.value = std::make_shared<EntryValues>(cells, type, false);
  entries.index = std::make_shared<EntryValues>(cells, number_type(Kind::unsigned_integer, 8), true);
  entries.row_ids = matrix.matrix->row_ids;
  entries.row_names = matrix.matrix->row_names;
  entries.column_names = matrix.matrix->column_names;
  return entries;
}

}  // namespace plainfs
