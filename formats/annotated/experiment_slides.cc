// The samples of a SpatialExperiment as slides. Sources: SpatialExperiment 1.0 to 1.19, `R/read10xVisium.R`,
// `R/imgData.R`: coordinates across and down, called x and y or pxl_col_in_fullres and pxl_row_in_fullres; a
// scale factor for each picture; colData has sample_id, in_tissue, array_row and array_col.
#include <algorithm>
#include <cmath>

#include "formats/annotated/parts.h"
#include "formats/annotated/slides.h"
#include "formats/core/frames/data_frame.h"

namespace plainfs::annotated {

namespace {

constexpr const char kCoordinates[] = "spatial_coordinates";

// Returns the places of x and y among columns with the given names: the first two unless the names imply
// others.
std::pair<uint64_t, uint64_t> axes_among(const std::vector<std::string>& names) {
  for (const auto& [x, y] : {std::pair("pxl_col", "pxl_row"), {"imagecol", "imagerow"}, {"x", "y"}}) {
    const auto place = [&](std::string_view start) {
      return std::find_if(names.begin(), names.end(),
                          [&](const std::string& name) { return name.starts_with(start); });
    };
    if (place(x) != names.end() && place(y) != names.end())
      return {static_cast<uint64_t>(place(x) - names.begin()),
              static_cast<uint64_t>(place(y) - names.begin())};
  }
  return {0, 1};
}

std::vector<std::string> texts_of_column(const ArrayPtr& column) {
  const Elements elements = read_all(*frames::as_written(column));
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < elements.count; ++i) texts.emplace_back(elements.text(i));
  return texts;
}

std::optional<Spots> spots_of_matrix(const LabelledArray& matrix, const Table& obs) {
  const auto [x, y] =
      axes_among(matrix.column_names ? texts_of_column(matrix.column_names) : std::vector<std::string>());
  return spots_in(matrix, x, y, obs);
}

// Returns the coordinates of versions up to 1.0, a frame in which the pixels are two columns.
std::optional<Spots> spots_of_frame(const Table& frame, const Table& obs) {
  std::vector<std::string> names;
  std::vector<ArrayPtr> columns;
  for (const Column& column : frame.columns) {
    if (!column.values->dtype().is_integer() && column.values->dtype().kind != Kind::real) continue;
    names.push_back(column.name);
    columns.push_back(column.values);
  }
  if (columns.size() < 2 || frame.rows != obs.rows) return std::nullopt;
  const auto [x, y] = axes_among(names);
  return Spots{reals_of(*columns[x]), reals_of(*columns[y]), obs};
}

std::optional<Spots> spots_of_experiment(const GroupPtr& root, const Table& obs, Context& context) {
  const std::optional<Node> node = member_of(root, kCoordinates, context);
  if (const auto matrix = content_of<LabelledArray>(node)) return spots_of_matrix(*matrix, obs);
  const auto frame = content_of<Table>(node);
  return frame ? spots_of_frame(*frame, obs) : std::nullopt;
}

// A picture of a sample.
struct Picture {
  std::string sample, image;
  double scale;
};

std::vector<Picture> pictures_in(const Table& images) {
  const ArrayPtr samples = column_in(images.columns, "sample_id"),
                 names = column_in(images.columns, "image_id"),
                 factors = column_in(images.columns, "scaleFactor");
  if (!samples || !names || !factors || !factors->dtype().is_numeric()) return {};
  const std::vector<std::string> of_sample = texts_of_column(samples), of_image = texts_of_column(names);
  const std::vector<double> scales = reals_of(*factors);
  std::vector<Picture> pictures;
  for (size_t i = 0; i < images.rows; ++i) pictures.push_back({of_sample[i], of_image[i], scales[i]});
  // The small picture comes first, as in Seurat.
  std::stable_partition(pictures.begin(), pictures.end(), [](const Picture& picture) {
    return picture.image.find("lowres") != std::string::npos;
  });
  return pictures;
}

// Returns the slide of a sample, with the first of its pictures that has pixels.
Slide slide_of_sample(const std::string& sample, const std::vector<Picture>& pictures, const GroupPtr& images,
                      Context& context) {
  Slide slide;
  slide.name = sample;
  for (const Picture& picture : pictures) {
    if (picture.sample != sample) continue;
    if (picture.image.find("hires") != std::string::npos) slide.hires = picture.scale;
    if (slide.pixels || std::isnan(picture.scale)) continue;
    const std::optional<Node> folder = member_of(images, picture.sample + "_" + picture.image, context);
    const std::optional<Node> pixels = folder ? member_of(folder->parts, "image", context) : std::nullopt;
    if (!pixels) continue;
    slide.pixels = pixels_of(pixels->content);
    if (slide.pixels) slide.lowres = picture.scale;
  }
  return slide;
}

}  // namespace

Content experiment_coordinates(const GroupPtr& root, const Table& obs, Context& context) {
  const std::optional<Node> node = member_of(root, kCoordinates, context);
  if (const auto matrix = content_of<LabelledArray>(node)) {
    const bool fits = extent_of(*matrix) && extent_of(*matrix)->rows == obs.rows;
    return fits && matrix->values->dtype().is_numeric() ? Content(*matrix) : Content();
  }
  const std::optional<Spots> spots = spots_of_experiment(root, obs, context);
  if (!spots) return {};
  Slide all;
  for (uint64_t cell = 0; cell < obs.rows; ++cell) all.cells.push_back(cell);
  all.coordinates = plain_coordinates(real_array(spots->x), real_array(spots->y));
  const ArrayPtr coordinates = coordinates_of({all}, obs.rows);
  return coordinates ? Content(LabelledArray{coordinates, obs.row_names, nullptr}) : Content();
}

std::vector<Slide> experiment_slides(const GroupPtr& root, const Table& obs, Context& context) {
  const std::optional<Node> images = member_of(root, "images", context);
  const auto table = content_of<Table>(images);
  if (!table || !images->parts) return {};
  const std::vector<Picture> pictures = pictures_in(*table);
  std::vector<std::string> samples;
  for (const Picture& picture : pictures)
    if (std::find(samples.begin(), samples.end(), picture.sample) == samples.end())
      samples.push_back(picture.sample);
  const std::optional<Spots> spots = samples.empty() ? std::nullopt : spots_of_experiment(root, obs, context);
  if (!spots) return {};
  const auto cells = cells_of_slides(samples, obs, "sample_id");
  if (!cells) {
    context.notice("seurat.rds: images: no column of column_data has the sample of each cell");
    return {};
  }
  std::vector<Slide> slides;
  for (size_t i = 0; i < samples.size(); ++i) {
    Slide slide = slide_of_sample(samples[i], pictures, images->parts, context);
    put_on(*spots, (*cells)[i], slide);
    if (!slide.cells.empty()) slides.push_back(std::move(slide));
  }
  return slides;
}

}  // namespace plainfs::annotated
