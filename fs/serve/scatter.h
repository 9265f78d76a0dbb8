// A picture of an embedding: the cells as points, coloured by what a column says of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/annotated_matrix.h"
#include "fs/serve/page_model.h"

namespace plainfs::serve {

inline constexpr uint64_t kMostPoints = 20'000;

// The embeddings of which there can be a picture, the most telling first: those of two columns or more.
std::vector<std::string> embedding_names(const AnnotatedMatrix& matrix);
// The columns of obs that can colour one, those that name groups first.
std::vector<std::string> colour_names(const AnnotatedMatrix& matrix);

// Of the embedding of that name, coloured by the column; by none where colour is empty. nullopt where there
// is no such embedding or column. Reads the first two columns of the embedding and the column; of more
// than kMostPoints cells every k-th is shown. pick: HTML that stands above it.
std::optional<Figure> scatter(const AnnotatedMatrix& matrix, std::string_view embedding,
                              std::string_view colour, const std::string& pick);

}  // namespace plainfs::serve
