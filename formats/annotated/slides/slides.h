// Slides of tissue in any kind of store: `images` of a Seurat object, `uns/spatial` of an AnnData, the images
// of an experiment.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/contents/slide.h"
#include "formats/core/model/context.h"

namespace plainfs::annotated {

// The name of the coordinates in obsm that scanpy and squidpy look for.
inline constexpr const char kSpatial[] = "spatial";

// Returns the slides of a Seurat object or an h5Seurat file: the members of `images` that hold coordinates of
// cells, with or without pixels. root: the object's group. cells: the names of all cells.
// Throws what keeps a part from being read.
std::vector<Slide> seurat_slides(const GroupPtr& root, const ArrayPtr& cells, Context& context);

// Returns the slides of an AnnData: the members of uns/spatial. obsm/spatial places the cells on them. If
// there are several slides, a column of obs names the slide of each cell; without such a column no slide is
// returned, which is logged. Throws what keeps a part from being read.
std::vector<Slide> anndata_slides(const GroupPtr& group, const Table& obs, Context& context);

// Returns the pictures of an AnnData, as they are stored. Throws what keeps a part from being read.
std::vector<SlidePictures> anndata_pictures(const GroupPtr& group, Context& context);

// Returns the slides of a SpatialExperiment among R objects or takane's: each sample with a row in the table
// `images`, or each that takane's list of pictures names, if it has cells. spatial_coordinates, or takane's
// coordinates, places the cells on them. Throws what keeps a part from being read.
std::vector<Slide> experiment_slides(const GroupPtr& root, const Table& obs, Context& context);
// Returns whether a SpatialExperiment may have pictures. Looks for `images` and takane's list of pictures,
// and reads neither. Throws transient errors of these.
bool may_have_pictures(const GroupPtr& root);
// Returns the pictures of each sample of a SpatialExperiment: the first called hires or lowres under these
// names, one of another name as hires or lowres if that is free. Throws what keeps a part from being read.
std::vector<SlidePictures> experiment_pictures(const GroupPtr& root, const Table& obs, Context& context);
// Returns the coordinates of an experiment, cells in rows; monostate if it has none.
Content experiment_coordinates(const GroupPtr& root, const Table& obs, Context& context);

// Returns x and y of each cell, imagecol and imagerow, shape (cells, 2): those of the first slide that the
// cell lies on, NaN if it lies on none. Null if no cell lies on any.
ArrayPtr coordinates_of(const std::vector<Slide>& slides, uint64_t cells);

// Returns the slides with only the chosen cells, renumbered by their places in chosen. Slides without any of
// them are left out. Requires: chosen is ascending.
std::vector<Slide> with_cells(std::vector<Slide> slides, const std::vector<uint64_t>& chosen);

// Returns the pictures of slides that have one with a known scale, as lowres in 8 bits and three colours.
std::vector<SlidePictures> pictures_of(const std::vector<Slide>& slides);
// Returns pixels in 8 bits and three colours, over white if they have an opacity. Requires: pixels_of().
ArrayPtr byte_pixels(const ArrayPtr& pixels);
// Returns the diameter of a spot in units of the coordinates: the stored one, or 0.65 times the distance
// between neighbours, as on a slide of Visium (spots of 65 um, 100 um apart). 1 if there are no neighbours.
// Seurat 4 stores the hires factor in place of the diameter.
double spot_diameter(const Slide& slide);

// Functions that the finders of slides share.

// Returns the elements as doubles, NaN for a missing one. Requires: numbers.
std::vector<double> reals_of(const Array& values);
// Returns the columns of Seurat's coordinates for cells with only x and y.
std::vector<Column> plain_coordinates(const ArrayPtr& x, const ArrayPtr& y);

// The coordinates of all cells of a store, which several slides may share.
struct Spots {
  std::vector<double> x, y;  // of all cells; NaN = the cell is on no slide
  const Table& obs;          // may have in_tissue, array_row and array_col
};
// Returns the spots with coordinates from columns x and y of a matrix; nullopt unless it holds numbers and
// has a row for each cell. Reads the whole matrix.
std::optional<Spots> spots_in(const LabelledArray& matrix, uint64_t x, uint64_t y, const Table& obs);
// Adds those of the cells that have coordinates to the slide, with their coordinates. cells: places in spots.
void put_on(const Spots& spots, const std::vector<uint64_t>& cells, Slide& slide);
// Returns the cells of each of the slides called names. The column `preferred` of obs names the slide of each
// cell. Without it, a single slide holds all cells; for several, the first column of obs that holds slide
// names alone is used. Nullopt if there is no such column.
std::optional<std::vector<std::vector<uint64_t>>> cells_of_slides(const std::vector<std::string>& names,
                                                                  const Table& obs,
                                                                  std::string_view preferred);
// Returns the pixels of an array in the layout of Slide; null if it is no picture in colours.
ArrayPtr pixels_of(const Content& content);
// Returns the number in the column `value` of the row called name; NaN if it is absent.
double factor_in(const Table& factors, std::string_view name);

}  // namespace plainfs::annotated
