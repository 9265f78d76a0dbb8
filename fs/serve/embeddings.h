// Where the cells of an annotated matrix stand in a plane: the embeddings of obsm, and pairs of columns of
// obs that are one ("UMAP_1" and "UMAP_2", loom's "_X" and "_Y").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/annotated_matrix.h"

namespace plainfs::serve {

// Returns the names of the matrices of obsm that place cells: numbers, of two columns or more. The most
// telling is first.
std::vector<std::string> stored_embeddings(const AnnotatedMatrix& matrix);
// Returns these, and the pairs of columns.
std::vector<std::string> embedding_names(const AnnotatedMatrix& matrix);

struct CellPlaces {
  std::string x_name, y_name;
  std::vector<double> x, y;  // of every step-th cell
  uint64_t step = 1;
};

// Returns the places of at most so many cells; nullopt if there is no such embedding. Reads two of its
// columns.
std::optional<CellPlaces> places_of(const AnnotatedMatrix& matrix, std::string_view embedding, uint64_t most);

// Returns the places that columns first and second of an array give its rows. Requires: rank 2, numbers, and
// that there are such columns.
CellPlaces places_of(const LabelledArray& array, std::string_view name, uint64_t first, uint64_t second,
                     uint64_t most);

}  // namespace plainfs::serve
