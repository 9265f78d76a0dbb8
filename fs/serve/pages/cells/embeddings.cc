#include "fs/serve/pages/cells/embeddings.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/core/text/ascii.h"
#include "fs/serve/pages/model/first_rows.h"
#include "fs/serve/pages/model/samples.h"

namespace plainfs::serve {
namespace {

// Returns a rank. Lower is more informative.
int rank_of(const std::string& name) {
  int rank = 0;
  for (const std::string_view word : {"umap", "tsne", "spatial", "pca", "dm"}) {
    if (lower_case(name).find(word) != std::string::npos) return rank;
    ++rank;
  }
  return rank;
}

void put_known_first(std::vector<std::string>& names) {
  std::stable_sort(names.begin(), names.end(),
                   [](const std::string& a, const std::string& b) { return rank_of(a) < rank_of(b); });
}

const LabelledArray* embedding_in(const AnnotatedPart& part) {
  const auto* array = std::get_if<LabelledArray>(&part.content);
  if (!array || array->values->shape().size() != 2 || !array->values->dtype().is_numeric()) return nullptr;
  const Shape& shape = array->values->shape();
  return shape[array->values->column_major() ? 0 : 1] >= 2 ? array : nullptr;
}

struct ColumnPair {
  std::string name;
  const Column* x;
  const Column* y;
};

const Column* number_column(const Table& table, const std::string& name) {
  for (const Column& column : table.columns)
    if (column.name == name)
      return column.values->dtype().is_numeric() && column.values->shape().size() == 1 ? &column : nullptr;
  return nullptr;
}

// Returns the name of the pair in which a column may be the first. "_X" and "_Y" are loom's.
std::optional<std::string> name_of_pair(const std::string& first) {
  const std::string low = lower_case(first);
  if (first == "_X") return "_X, _Y";
  if (!low.ends_with('1') && !low.ends_with('x')) return std::nullopt;
  std::string stem = first.substr(0, first.size() - 1);
  while (stem.ends_with('_') || stem.ends_with('-') || stem.ends_with('.')) stem.pop_back();
  return rank_of(stem) < 4 ? std::optional(stem) : std::nullopt;
}

std::vector<ColumnPair> pairs_in(const Table& obs) {
  std::vector<ColumnPair> pairs;
  for (const Column& first : obs.columns) {
    const std::optional<std::string> name = name_of_pair(first.name);
    if (!name || !number_column(obs, first.name)) continue;
    std::string second = first.name;
    second.back() = second.back() == '1' ? '2' : second.back() == 'x' ? 'y' : 'Y';
    if (const Column* const y = number_column(obs, second)) pairs.push_back({*name, &first, y});
  }
  return pairs;
}

uint64_t step_of(uint64_t cells, uint64_t most) {
  return std::max<uint64_t>(1, (cells + most - 1) / most);
}

}  // namespace

void check_cells(const AnnotatedMatrix& matrix, std::string_view name, const Array& values) {
  const Shape& shape = values.shape();
  const uint64_t rows = shape.empty() ? 1 : values.column_major() ? shape.back() : shape.front();
  if (rows != matrix.cells) throw damaged("{}: has {} rows, expected {}", name, rows, matrix.cells);
}

std::vector<std::string> stored_embeddings(const AnnotatedMatrix& matrix) {
  std::vector<std::string> names;
  for (const AnnotatedPart& part : matrix.obsm)
    if (embedding_in(part)) names.push_back(part.name);
  put_known_first(names);
  return names;
}

std::vector<std::string> embedding_names(const AnnotatedMatrix& matrix) {
  std::vector<std::string> names = stored_embeddings(matrix);
  for (const ColumnPair& pair : pairs_in(matrix.obs))
    if (std::find(names.begin(), names.end(), pair.name) == names.end()) names.push_back(pair.name);
  put_known_first(names);
  return names;
}

CellPlaces places_of(const LabelledArray& array, std::string_view name, uint64_t first, uint64_t second,
                     uint64_t most) {
  const Array& values = *array.values;
  const uint64_t rows = values.shape()[values.column_major() ? 1 : 0];
  CellPlaces places;
  places.step = step_of(rows, most);
  const auto axis_name = [&](uint64_t axis) {
    return array.column_names ? element_text(*array.column_names, axis)
                              : fmt::format("{} {}", name, axis + 1);
  };
  places.x_name = axis_name(first);
  places.y_name = axis_name(second);
  if (second == first + 1) {
    const std::vector<double> both = sampled_rows(values, rows, places.step, first, 2);
    for (size_t i = 0; i + 1 < both.size(); i += 2) {
      places.x.push_back(both[i]);
      places.y.push_back(both[i + 1]);
    }
    return places;
  }
  places.x = sampled_rows(values, rows, places.step, first, 1);
  places.y = sampled_rows(values, rows, places.step, second, 1);
  return places;
}

std::optional<CellPlaces> places_of(const AnnotatedMatrix& matrix, std::string_view embedding,
                                    uint64_t most) {
  for (const AnnotatedPart& part : matrix.obsm)
    if (const LabelledArray* const array = embedding_in(part); array && part.name == embedding) {
      check_cells(matrix, embedding, *array->values);
      return places_of(*array, embedding, 0, 1, most);
    }
  for (const ColumnPair& pair : pairs_in(matrix.obs)) {
    if (pair.name != embedding) continue;
    for (const Column* const column : {pair.x, pair.y}) check_cells(matrix, column->name, *column->values);
    CellPlaces places{pair.x->name, pair.y->name, {}, {}, step_of(matrix.cells, most)};
    places.x = sampled_rows(*pair.x->values, matrix.cells, places.step, 0, 1);
    places.y = sampled_rows(*pair.y->values, matrix.cells, places.step, 0, 1);
    return places;
  }
  return std::nullopt;
}

}  // namespace plainfs::serve
