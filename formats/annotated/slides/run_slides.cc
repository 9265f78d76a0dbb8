// Visium's slide in a folder of Space Ranger. Sources: squidpy be17fcf `read/_read.py` (visium), Seurat 4.3.0
// `R/preprocessing.R` (Read10X_Image, Load10X_Spatial).
#include <algorithm>
#include <cmath>

#include "formats/annotated/slides/slides.h"
#include "formats/annotated/tenx_run.h"
#include "formats/core/base/bytes.h"
#include "formats/core/codecs/png.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/text/json.h"

namespace plainfs::annotated {
namespace {

constexpr uint64_t kMaxFactorsBytes = uint64_t{1} << 20;

// Returns the numbers of the scale factors, in their order.
std::vector<std::pair<std::string, double>> factors_in(const std::string& location, Context& context) {
  std::vector<std::pair<std::string, double>> factors;
  if (location.empty()) return factors;
  try {
    const Bytes bytes = context.files.read_whole(location, kMaxFactorsBytes);
    const Json document = parse_json(as_text(bytes));
    if (!document.object()) throw damaged("no object of scale factors");
    for (const auto& [name, value] : *document.object())
      if (const std::optional<double> number = value.as_double()) factors.emplace_back(name, *number);
  } catch (const Error& error) {
    throw error.at(location);
  }
  return factors;
}

// Returns the pixels of the first of these files that is a picture; null, with a notice, if none is.
ArrayPtr picture_in(const std::vector<std::string>& locations, Context& context) {
  std::string why = "not a picture in colours in PNG";
  for (const std::string& location : locations) {
    const std::optional<Node> node = png_node(location, context);
    if (!node) continue;
    check_known(*node);
    if (ArrayPtr pixels = pixels_of(node->content)) return pixels;
    if (const auto* error = std::get_if<Error>(&node->content)) why = error->what();
  }
  if (!locations.empty()) context.notice(fmt::format("{}: not taken: {}", locations.front(), why));
  return nullptr;
}

double number_of(const std::vector<std::pair<std::string, double>>& factors, std::string_view name) {
  for (const auto& [own, value] : factors)
    if (own == name) return value;
  return Slide::kUnknown;
}

// Gives coordinates that are whole numbers the type that they have in R.
void keep_whole(const LabelledArray& spatial, Slide& slide) {
  for (Column& column : slide.coordinates) {
    const bool is_place = column.name == "imagerow" || column.name == "imagecol";
    if (!(is_place ? spatial.values : column.values)->dtype().is_integer()) continue;
    const std::vector<double> values = reals_of(*column.values);
    const bool fit = std::all_of(values.begin(), values.end(),
                                 [](double value) { return !(std::abs(value) > INT32_MAX); });
    if (fit) column.values = with_type(column.values, number_type(Kind::integer, 4));
  }
}

}  // namespace

RunTissue tissue_of(const tenx::RunFolder& run, Context& context) {
  RunTissue tissue;
  const auto find = [&](const char* name) {
    std::vector<std::string> locations;
    for (const std::string& folder : run.spatial)
      if (std::string location = folder + "/" + name; context.files.look_into(location))
        locations.push_back(std::move(location));
    return locations;
  };
  if (const auto factors = find(kFactors); !factors.empty()) tissue.factors = factors.front();
  tissue.hires = find(kHires);
  tissue.lowres = find(kLowres);
  return tissue;
}

SlidePictures run_pictures(const RunTissue& tissue, Context& context) {
  SlidePictures pictures;
  pictures.name = tissue.name;
  for (const auto& [name, locations] : {std::pair("hires", tissue.hires), {"lowres", tissue.lowres}})
    if (const ArrayPtr pixels = picture_in(locations, context))
      pictures.images.push_back({name, byte_pixels(pixels)});
  pictures.factors = factors_in(tissue.factors, context);
  pictures.metadata = tissue.metadata;
  return pictures;
}

std::vector<Slide> run_slides(const RunTissue& tissue, const LabelledArray& spatial, const Table& obs,
                              Context& context) {
  const auto factors = factors_in(tissue.factors, context);
  Slide slide;
  slide.name = "slice1";
  slide.spot = number_of(factors, "spot_diameter_fullres");
  slide.fiducial = number_of(factors, "fiducial_diameter_fullres");
  slide.hires = number_of(factors, "tissue_hires_scalef");
  for (const auto& [locations, factor] :
       {std::pair(tissue.lowres, "tissue_lowres_scalef"), std::pair(tissue.hires, "tissue_hires_scalef")}) {
    slide.lowres = number_of(factors, factor);
    slide.pixels = std::isnan(slide.lowres) ? nullptr : picture_in(locations, context);
    if (slide.pixels) break;
  }
  const std::optional<Spots> spots = spots_in(spatial, 0, 1, obs);
  if (!spots) return {};
  std::vector<uint64_t> cells(obs.rows);
  for (uint64_t cell = 0; cell < obs.rows; ++cell) cells[cell] = cell;
  put_on(*spots, cells, slide);
  keep_whole(spatial, slide);
  if (slide.cells.empty()) return {};
  return {std::move(slide)};
}

}  // namespace plainfs::annotated
