#include "formats/core/sparse/coordinate_source.h"

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/sparse/computed_matrix.h"

namespace plainfs {
namespace {

constexpr uint64_t kCoordinatesAtOnce = 1 << 16;
constexpr uint64_t kPlacesAtOnce = 1 << 22;  // entries, approximately

struct PlacedEntry {
  uint64_t column;
  uint64_t row;
  uint64_t number;  // its index in the corresponding list of values
  auto operator<=>(const PlacedEntry&) const = default;
  bool is_at(const PlacedEntry& other) const { return column == other.column && row == other.row; }
};

class CoordinateSource : public EntrySource {
 public:
  explicit CoordinateSource(const CoordinateMatrix& matrix)
      : EntrySource(matrix.columns, matrix.rows, matrix.value->dtype()), matrix_(matrix) {}

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override;
  EntryRun read(uint64_t first, uint64_t count) const override;
  bool reads_all() const override { return true; }

 private:
  template <class Visit>
  void scan(Visit&& visit) const;
  template <class Visit>
  void for_each_place(uint64_t first, uint64_t count, uint64_t entry, uint64_t row, uint64_t column,
                      Visit&& visit) const;

  const CoordinateMatrix matrix_;
};

// Calls visit(begin, rows, columns) for all entries, some at a time.
template <class Visit>
void CoordinateSource::scan(Visit&& visit) const {
  for (const ArrayPtr& list : {matrix_.row, matrix_.column, matrix_.value}) list->check();
  const uint64_t entries = matrix_.value->count();
  for (const ArrayPtr& list : {matrix_.row, matrix_.column})
    if (list->count() != entries)
      throw damaged("a sparse matrix has {} values and {} indices", entries, list->count());
  for (uint64_t begin = 0; begin < entries; begin += kCoordinatesAtOnce) {
    const uint64_t some = std::min(kCoordinatesAtOnce, entries - begin);
    const IndexRun<uint64_t> rows(*matrix_.row, begin, some, matrix_.rows, "row");
    const IndexRun<uint64_t> columns(*matrix_.column, begin, some, matrix_.columns, "column");
    visit(begin, rows.values(), columns.values());
  }
}

// Calls visit with each position of the entry in columns [first, first + count).
template <class Visit>
void CoordinateSource::for_each_place(uint64_t first, uint64_t count, uint64_t entry, uint64_t row,
                                      uint64_t column, Visit&& visit) const {
  if (column - first < count) visit(PlacedEntry{column, row, entry});
  if (matrix_.is_symmetric && row != column && row - first < count) visit(PlacedEntry{row, column, entry});
}

std::vector<uint64_t> CoordinateSource::lengths(uint64_t first, uint64_t count) const {
  std::vector<uint64_t> lengths(count);
  scan([&](uint64_t, std::span<const uint64_t> rows, std::span<const uint64_t> columns) {
    for (size_t i = 0; i < rows.size(); ++i)
      for_each_place(first, count, i, rows[i], columns[i],
                     [&](const PlacedEntry& entry) { ++lengths[entry.column - first]; });
  });
  // Entries at the same position are counted once.
  for (uint64_t begin = 0, end = 0; begin < count; begin = end) {
    uint64_t wanted = 0;
    while (end < count && (end == begin || wanted + lengths[end] <= kPlacesAtOnce)) wanted += lengths[end++];
    std::vector<PlacedEntry> found;
    scan([&](uint64_t, std::span<const uint64_t> rows, std::span<const uint64_t> columns) {
      for (size_t i = 0; i < rows.size(); ++i)
        for_each_place(first + begin, end - begin, i, rows[i], columns[i],
                       [&](const PlacedEntry& entry) { found.push_back(entry); });
    });
    std::sort(found.begin(), found.end());
    for (size_t i = 1; i < found.size(); ++i)
      if (found[i].is_at(found[i - 1])) --lengths[found[i].column - first];
  }
  return lengths;
}

EntryRun CoordinateSource::read(uint64_t first, uint64_t count) const {
  std::vector<PlacedEntry> found;
  Elements values = zero_elements(dtype(), 0);
  scan([&](uint64_t begin, std::span<const uint64_t> rows, std::span<const uint64_t> columns) {
    std::vector<uint64_t> places;
    for (size_t i = 0; i < rows.size(); ++i)
      for_each_place(first, count, i, rows[i], columns[i], [&](const PlacedEntry& entry) {
        found.push_back({entry.column, entry.row, found.size()});
        places.push_back(entry.number);
      });
    if (places.empty()) return;
    const Elements some = matrix_.value->read(range(begin, rows.size()));
    append(dtype(), values, gather(dtype(), some, places), 0, places.size());
  });
  std::sort(found.begin(), found.end());
  EntryRun run;
  std::vector<uint64_t> order;
  for (size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i].is_at(found[i - 1])) {
      add_at_place(dtype(), values, found[i].number, values, order.back());
      continue;
    }
    while (first + run.pointer.size() - 1 < found[i].column) run.pointer.push_back(order.size());
    order.push_back(found[i].number);
    run.index.push_back(found[i].row);
  }
  while (run.pointer.size() <= count) run.pointer.push_back(order.size());
  run.value = gather(dtype(), values, order);
  return run;
}

}  // namespace

EntrySourcePtr coordinate_source(const CoordinateMatrix& matrix) {
  return std::make_shared<CoordinateSource>(matrix);
}

SparseMatrix by_columns(const CoordinateMatrix& matrix, Context& context) {
  SparseMatrix generated;
  generated.rows = matrix.rows;
  generated.columns = matrix.columns;
  generated.row_names = matrix.row_names;
  generated.column_names = matrix.column_names;
  generated.is_real = matrix.is_real;
  generated.missing = matrix.missing;
  generated.evaluate =
      evaluated_once([matrix, &context] { return computed_lists(coordinate_source(matrix), context); });
  return generated;
}

}  // namespace plainfs
