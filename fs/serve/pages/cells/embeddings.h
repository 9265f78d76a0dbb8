// The positions of the cells of an annotated matrix in a plane: the embeddings of obsm, and pairs of columns
// of obs ("UMAP_1" and "UMAP_2", loom's "_X" and "_Y").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"

namespace plainfs::serve {

// Returns the names of the matrices of obsm that give positions: numeric, with two columns or more. The most
// informative is first.
std::vector<std::string> stored_embeddings(const AnnotatedMatrix& matrix);
// Returns the stored embeddings and the pairs of columns.
std::vector<std::string> embedding_names(const AnnotatedMatrix& matrix);

struct CellPlaces {
  std::string x_name, y_name;
  std::vector<double> x, y;  // of every step-th cell
  uint64_t step = 1;
};

// Throws damaged unless the values of a part of the matrix, called name, have one row for each cell.
void check_cells(const AnnotatedMatrix& matrix, std::string_view name, const Array& values);

// Returns the positions of at most `most` cells; nullopt if there is no such embedding. Reads two columns.
// Throws damaged if the embedding does not have a position for each cell.
std::optional<CellPlaces> places_of(const AnnotatedMatrix& matrix, std::string_view embedding, uint64_t most);

// Returns the positions of the rows of `array`, with the columns `first` and `second` as coordinates.
// Requires: a numeric array of rank 2 that has these columns.
CellPlaces places_of(const LabelledArray& array, std::string_view name, uint64_t first, uint64_t second,
                     uint64_t most);

}  // namespace plainfs::serve
