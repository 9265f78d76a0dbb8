// The samples of a SpatialExperiment as slides. Sources: SpatialExperiment 1.0 to 1.19, `R/read10xVisium.R`,
// `R/imgData.R`: coordinates across and down, called x and y or pxl_col_in_fullres and pxl_row_in_fullres; a
// scale factor for each picture; colData has sample_id, in_tissue, array_row and array_col.
#include <algorithm>
#include <cmath>

#include "formats/annotated/parts.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/transient_fault.h"

namespace plainfs::annotated {

namespace {

constexpr const char kCoordinates[] = "spatial_coordinates";

// Returns the node at a path below group; nullopt if a part of the path is absent.
std::optional<Node> node_at(GroupPtr group, const std::vector<std::string>& path, Context& context) {
  std::optional<Node> node;
  for (const std::string& name : path) {
    node = member_of(group, name, context);
    if (!node) return std::nullopt;
    group = node->parts;
  }
  return node;
}

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

// The place of takane's list of pictures in `images`.
const std::vector<std::string> kMapping = {"mapping.h5", "spatial_experiment"};

std::vector<std::string> texts_of_column(const ArrayPtr& column) {
  const ArrayPtr written = frames::as_written(column);
  const Elements elements = read_all(*written);
  if (!written->dtype().is_text()) throw damaged("the names of samples or pictures are not text");
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
  std::optional<Node> node = member_of(root, kCoordinates, context);
  if (!node) node = node_at(root, {"coordinates", "dense_array"}, context);  // takane
  if (const auto matrix = content_of<LabelledArray>(node)) return spots_of_matrix(*matrix, obs);
  const auto frame = content_of<Table>(node);
  return frame ? spots_of_frame(*frame, obs) : std::nullopt;
}

// A picture of a sample.
struct Picture {
  std::string sample, image;
  double scale;
  std::string place;  // the name of its folder or array in `images`
};

std::vector<Picture> pictures_in(const Table& images) {
  const ArrayPtr samples = column_values(images.columns, "sample_id"),
                 names = column_values(images.columns, "image_id"),
                 factors = column_values(images.columns, "scaleFactor");
  if (!samples || !names || !factors || !factors->dtype().is_numeric()) return {};
  const std::vector<std::string> of_sample = texts_of_column(samples), of_image = texts_of_column(names);
  const std::vector<double> scales = reals_of(*factors);
  for (const size_t count : {of_sample.size(), of_image.size(), scales.size()})
    if (count != images.rows)
      throw damaged("images: a column has {} values, expected {}", count, images.rows);
  std::vector<Picture> pictures;
  for (size_t i = 0; i < images.rows; ++i)
    pictures.push_back({of_sample[i], of_image[i], scales[i], of_sample[i] + "_" + of_image[i]});
  return pictures;
}

using CellsOfSamples = std::vector<std::vector<uint64_t>>;

// The pictures of an experiment and the samples that have any.
struct Samples {
  GroupPtr images;
  std::vector<Picture> pictures;  // the small ones first, as in Seurat
  std::vector<std::string> names;
  std::optional<CellsOfSamples> cells{};  // if the store holds them beside the pictures
};

bool may_be_numbers(const Array& array) {
  return frames::is_broken(array) || (frames::may_be_list(array) && array.dtype().is_numeric());
}

// Returns the list called name. is_fit: whether an array has the type of the list.
ArrayPtr array_in_mapping(const GroupPtr& mapping, const char* name, bool (*is_fit)(const Array&),
                          Context& context) {
  const auto array = content_of<LabelledArray>(member_of(mapping, name, context));
  if (!array) throw damaged("images: the list {} is missing", name);
  if (!is_fit(*array->values)) throw damaged("images: {} has the wrong type or shape", name);
  return array->values;
}

// Returns codes as indices. Throws damaged if one is not below `limit`. Requires: integers.
std::vector<uint64_t> indices_in(const ArrayPtr& codes, uint64_t limit) {
  std::vector<uint64_t> indices;
  for (const double code : reals_of(*codes)) {
    if (!(code >= 0 && code < static_cast<double>(limit)))
      throw damaged("images: sample {} is not below {}", code, limit);
    indices.push_back(static_cast<uint64_t>(code));
  }
  return indices;
}

// Takes the pictures of takane's images/mapping.h5. The N-th lies in images/N.
void take_mapping(const GroupPtr& mapping, uint64_t cells, Samples& samples, Context& context) {
  const auto in_mapping = [&](const char* name, bool (*is_fit)(const Array&)) {
    return array_in_mapping(mapping, name, is_fit, context);
  };
  const std::vector<std::string> names = texts_of_column(in_mapping("sample_names", frames::may_be_text)),
                                 ids = texts_of_column(in_mapping("image_ids", frames::may_be_text));
  const std::vector<uint64_t> of_image =
      indices_in(in_mapping("image_samples", frames::may_be_integers), names.size());
  const std::vector<double> scales = reals_of(*in_mapping("image_scale_factors", may_be_numbers));
  if (of_image.size() != ids.size() || scales.size() != ids.size())
    throw damaged("images: {} pictures with {} samples and {} factors", ids.size(), of_image.size(),
                  scales.size());
  for (size_t i = 0; i < ids.size(); ++i)
    samples.pictures.push_back({names[of_image[i]], ids[i], scales[i], std::to_string(i)});
  const std::vector<uint64_t> of_cell =
      indices_in(in_mapping("column_samples", frames::may_be_integers), names.size());
  if (of_cell.size() != cells)
    throw damaged("images: {} cells have a sample, expected {}", of_cell.size(), cells);
  samples.cells.emplace(names.size());
  for (uint64_t cell = 0; cell < cells; ++cell) (*samples.cells)[of_cell[cell]].push_back(cell);
  samples.names = names;
}

// Names the samples that have pictures.
void name_samples(Samples& samples) {
  for (const Picture& picture : samples.pictures)
    if (std::find(samples.names.begin(), samples.names.end(), picture.sample) == samples.names.end())
      samples.names.push_back(picture.sample);
}

Samples samples_in(const GroupPtr& root, uint64_t cells, Context& context) {
  Samples samples;
  const std::optional<Node> images = member_of(root, "images", context);
  if (!images || !images->parts) return samples;
  samples.images = images->parts;
  if (const auto table = content_of<Table>(images))
    samples.pictures = pictures_in(*table);
  else if (const auto mapping = node_at(images->parts, kMapping, context); mapping && mapping->parts)
    take_mapping(mapping->parts, cells, samples, context);
  std::stable_partition(samples.pictures.begin(), samples.pictures.end(), [](const Picture& picture) {
    return picture.image.find("lowres") != std::string::npos;
  });
  name_samples(samples);
  return samples;
}

// Returns the cells of each sample; nullopt if they are unknown.
std::optional<CellsOfSamples> cells_in(const Samples& samples, const Table& obs) {
  return samples.cells ? samples.cells : cells_of_slides(samples.names, obs, "sample_id");
}

// Returns the pixels of a picture; null if they are not in colours, or are logged as unsupported.
ArrayPtr pixels_in(const Samples& samples, const Picture& picture, Context& context) {
  const std::optional<Node> place = samples.images->find(picture.place);
  if (!place) return nullptr;
  try {
    const Node readable_place = readable(*place, context);
    if (ArrayPtr pixels = pixels_of(readable_place.content)) return pixels;
    for (const char* name : {"image", "file"})  // of an R object, of takane's object
      if (const auto pixels = member_of(readable_place.parts, name, context))
        return pixels_of(pixels->content);
  } catch (const Error& error) {
    if (!is_unsupported(error)) throw;
    context.notice(error.what());
  }
  return nullptr;
}

// Returns the slide of a sample, with the first of its pictures that has pixels.
Slide slide_of_sample(const std::string& sample, const Samples& samples, Context& context) {
  Slide slide;
  slide.name = sample;
  for (const Picture& picture : samples.pictures) {
    if (picture.sample != sample) continue;
    if (picture.image.find("hires") != std::string::npos) slide.hires = picture.scale;
    if (slide.pixels || std::isnan(picture.scale)) continue;
    slide.pixels = pixels_in(samples, picture, context);
    if (slide.pixels) slide.lowres = picture.scale;
  }
  return slide;
}

// Returns the name of a picture among those of scanpy that are not taken; null if both are.
const char* free_picture_name(const Picture& picture, const std::vector<Column>& taken) {
  const bool is_small = picture.image.find("lowres") != std::string::npos;
  for (const char* name : {is_small ? "lowres" : "hires", is_small ? "hires" : "lowres"})
    if (!column_values(taken, name)) return name;
  return nullptr;
}

SlidePictures pictures_of_sample(const std::string& sample, const Samples& samples, Context& context) {
  SlidePictures own;
  own.name = sample;
  for (const Picture& picture : samples.pictures) {
    if (picture.sample != sample) continue;
    const char* const name = std::isnan(picture.scale) ? nullptr : free_picture_name(picture, own.images);
    const ArrayPtr pixels = name ? pixels_in(samples, picture, context) : nullptr;
    if (!pixels) {
      note_left_out(samples.images, picture.place, context);
      continue;
    }
    own.images.push_back({name, byte_pixels(pixels)});
    own.factors.emplace_back(fmt::format("tissue_{}_scalef", name), picture.scale);
  }
  return own;
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
  all.coordinates = plain_coordinates(number_array(spots->x), number_array(spots->y));
  const ArrayPtr coordinates = coordinates_of({all}, obs.rows);
  return coordinates ? Content(LabelledArray{coordinates, obs.row_names, nullptr}) : Content();
}

bool may_have_pictures(const GroupPtr& root) {
  const std::optional<Node> images = root->find("images");
  if (!images) return false;
  check_known(*images);
  if (std::holds_alternative<Table>(images->content)) return true;
  const std::optional<Node> mapping = images->parts ? images->parts->find(kMapping.front()) : std::nullopt;
  if (mapping) check_known(*mapping);
  return mapping.has_value();
}

std::vector<SlidePictures> experiment_pictures(const GroupPtr& root, const Table& obs, Context& context) {
  const Samples samples = samples_in(root, obs.rows, context);
  if (samples.names.empty()) return {};
  const std::optional<Spots> spots = spots_of_experiment(root, obs, context);
  const auto cells = spots ? cells_in(samples, obs) : std::nullopt;
  std::vector<SlidePictures> all;
  for (size_t i = 0; i < samples.names.size(); ++i) {
    SlidePictures pictures = pictures_of_sample(samples.names[i], samples, context);
    if (pictures.images.empty()) continue;
    Slide slide;
    slide.coordinates =
        plain_coordinates(number_array(std::vector<double>()), number_array(std::vector<double>()));
    if (cells) put_on(*spots, (*cells)[i], slide);
    pictures.factors.emplace_back("spot_diameter_fullres", spot_diameter(slide));
    all.push_back(std::move(pictures));
  }
  return all;
}

std::vector<Slide> experiment_slides(const GroupPtr& root, const Table& obs, Context& context) {
  const Samples samples = samples_in(root, obs.rows, context);
  const std::optional<Spots> spots =
      samples.names.empty() ? std::nullopt : spots_of_experiment(root, obs, context);
  if (!spots) return {};
  const auto cells = cells_in(samples, obs);
  if (!cells) {
    context.notice("seurat.rds: images: no column of column_data has the sample of each cell");
    return {};
  }
  std::vector<Slide> slides;
  for (size_t i = 0; i < samples.names.size(); ++i) {
    Slide slide = slide_of_sample(samples.names[i], samples, context);
    put_on(*spots, (*cells)[i], slide);
    if (!slide.cells.empty()) slides.push_back(std::move(slide));
  }
  return slides;
}

}  // namespace plainfs::annotated
