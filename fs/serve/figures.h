// The pictures of a page, and the numbers that they take of a store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/array.h"
#include "formats/core/model/node.h"
#include "fs/serve/page_model.h"

namespace plainfs::serve {

// heat_map.cc

// An array of two axes, each value as bright as it is great: of numbers of rank 2, more than one row and
// column; of a large one every k-th value of its beginning. nullopt of all else.
std::optional<Figure> heat_map(const LabelledArray& array);

// How many fragments stand on each chromosome, of the first ones.
std::optional<Figure> chromosome_bars(const Fragments& fragments);

// Pixels of one byte each, line by line, as a PNG in shades of grey.
std::string grey_png(uint32_t width, uint32_t height, const std::string& pixels);

// scatter.cc: an embedding, the cells as points, coloured by what a column says of them.

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

// numbers.cc: some of the numbers of a store, from one end to the other.

// Of every step-th row of an array of numbers, seen as users see it, the values of its columns [first, first
// + columns); of rank 1 the values themselves (columns is 1). Missing ones are NaN. Reads all rows on the way
// where they are in chunks. Requires: dtype().is_numeric(), step > 0, the columns are there.
std::vector<double> sampled_rows(const Array& values, uint64_t rows, uint64_t step, uint64_t first,
                                 uint64_t columns);

// What lies at such a part of the finite ones, 0 to 1: {low, high}. {0, 0} where there are none.
struct ValueRange {
  double low = 0;
  double high = 0;
};
ValueRange range_of(std::vector<double> values, double cut);

}  // namespace plainfs::serve
