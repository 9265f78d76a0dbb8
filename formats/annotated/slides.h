// Slides of tissue, wherever a store keeps them: a Seurat object in `images`, an AnnData in `uns/spatial`, an
// experiment beside its cells.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"
#include "formats/core/model/slide.h"

namespace plainfs::annotated {

// The name of the coordinates in obsm, as scanpy and squidpy look for it.
inline constexpr const char kSpatial[] = "spatial";

// Returns the slides of a Seurat object or an h5Seurat file: the members of `images` that hold coordinates of
// cells, with or without pixels. root: the object's group. cells: the names of all cells.
// Throws what keeps a part from being read.
std::vector<Slide> seurat_slides(const GroupPtr& root, const ArrayPtr& cells, Context& context);

// Returns the slides of an AnnData: the members of uns/spatial, on which the cells lie as obsm/spatial says.
// Of several slides a column of obs names that of each cell; if there is none, none is returned, which is
// logged. Throws what keeps a part from being read.
std::vector<Slide> anndata_slides(const GroupPtr& group, const Table& obs, Context& context);

// Returns the slides of a SpatialExperiment among R objects, one for each sample that has a picture in
// `images`. The cells lie on them as spatial_coordinates says. Throws what keeps a part from being read.
std::vector<Slide> experiment_slides(const GroupPtr& root, const Table& obs, Context& context);
// Returns its coordinates, cells in rows; monostate if it has none.
Content experiment_coordinates(const GroupPtr& root, const Table& obs, Context& context);

// Returns x and y of each cell, imagecol and imagerow, shape (cells, 2): those of the first slide that the
// cell lies on, NaN if it lies on none. Null if no cell lies on any.
ArrayPtr coordinates_of(const std::vector<Slide>& slides, uint64_t cells);

// Returns the slides with some of the cells alone, which rise and are numbered by their places in chosen.
// Slides without any of them are left out.
std::vector<Slide> with_cells(std::vector<Slide> slides, const std::vector<uint64_t>& chosen);

// What the finders of slides share.

// Returns the column of that name; null if there is none.
ArrayPtr column_in(const std::vector<Column>& columns, std::string_view name);
// Returns the elements as doubles, NaN for a missing one. Requires: numbers.
std::vector<double> reals_of(const Array& values);
// Returns the values as an array of doubles.
ArrayPtr real_array(const std::vector<double>& values);
// Returns the columns of Seurat's coordinates for cells of which x and y alone are known.
std::vector<Column> plain_coordinates(const ArrayPtr& x, const ArrayPtr& y);

// All cells of a store, which several slides may share.
struct Spots {
  std::vector<double> x, y;  // of all cells; NaN = the cell lies nowhere
  const Table& obs;          // may have in_tissue, array_row and array_col
};
// Returns them by two columns of a matrix of coordinates; nullopt if it is none of numbers with a row for
// each cell. Reads all of it.
std::optional<Spots> spots_in(const LabelledArray& matrix, uint64_t x, uint64_t y, const Table& obs);
// Gives the slide those of the cells, by their places, that lie somewhere, with their coordinates.
void put_on(const Spots& spots, const std::vector<uint64_t>& cells, Slide& slide);
// Returns the cells that each of the slides of those names holds. The column `preferred` of obs names the
// slide of each cell; without it one slide holds all cells, and of several the first column tells whose
// values are all such names. Nullopt if none tells.
std::optional<std::vector<std::vector<uint64_t>>> cells_of_slides(const std::vector<std::string>& names,
                                                                  const Table& obs,
                                                                  std::string_view preferred);
// Returns the pixels of an array as Slide has them; null if it is no picture in colours.
ArrayPtr pixels_of(const Content& content);
// Returns the number in the column `value` of the row of that name; NaN if there is none.
double factor_in(const Table& factors, std::string_view name);

}  // namespace plainfs::annotated
