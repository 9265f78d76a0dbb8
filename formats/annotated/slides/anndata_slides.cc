// Visium's slides in an AnnData. Sources: scanpy `readwrite.py` (read_visium), squidpy `read/_read.py`:
// uns/spatial/SLIDE/{images/{hires,lowres},scalefactors}, obsm/spatial across and down in pixels of the full
// image, the slide of a cell in obs/library_id.
#include <cmath>

#include "formats/annotated/parts.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/elements/element_text.h"

namespace plainfs::annotated {

namespace {

// A picture and its scale: its pixels for each pixel of the full image.
struct ScaledPicture {
  ArrayPtr pixels;
  double scale = Slide::kUnknown;
};

// Returns the small picture, which Seurat uses, or else the large one.
ScaledPicture picture_of(const GroupPtr& images, double lowres, double hires, Context& context) {
  for (const auto& [name, scale] : {std::pair("lowres", lowres), {"hires", hires}}) {
    const std::optional<Node> picture = member_of(images, name, context);
    if (!picture || std::isnan(scale)) continue;
    if (ArrayPtr pixels = pixels_of(picture->content)) return {std::move(pixels), scale};
  }
  return {};
}

Slide visium_slide(const std::string& name, const GroupPtr& group, Context& context) {
  Slide slide;
  slide.name = name;
  const auto factors = content_of<Table>(member_of(group, "scalefactors", context));
  if (!factors) return slide;
  slide.spot = factor_in(*factors, "spot_diameter_fullres");
  slide.fiducial = factor_in(*factors, "fiducial_diameter_fullres");
  slide.hires = factor_in(*factors, "tissue_hires_scalef");
  const std::optional<Node> images = member_of(group, "images", context);
  if (!images || !images->parts) return slide;
  const ScaledPicture picture =
      picture_of(images->parts, factor_in(*factors, "tissue_lowres_scalef"), slide.hires, context);
  slide.pixels = picture.pixels;
  slide.lowres = picture.scale;
  return slide;
}

// Returns the members of uns/spatial that are groups.
std::vector<std::pair<std::string, GroupPtr>> stored_slides(const GroupPtr& group, Context& context) {
  const std::optional<Node> uns = member_of(group, "uns", context);
  const std::optional<Node> spatial = uns ? member_of(uns->parts, kSpatial, context) : std::nullopt;
  std::vector<std::pair<std::string, GroupPtr>> slides;
  if (!spatial || !spatial->parts) return slides;
  for (Member& member : spatial->parts->members()) {
    const Node node = readable(std::move(member.node), context);
    if (node.parts) slides.emplace_back(member.name, node.parts);
  }
  return slides;
}

// Returns the pictures in colours of a slide, each with its name.
std::vector<Column> stored_images(const GroupPtr& slide, Context& context) {
  std::vector<Column> images;
  const std::optional<Node> folder = member_of(slide, "images", context);
  if (!folder || !folder->parts) return images;
  for (Member& member : folder->parts->members()) {
    const Node node = readable(std::move(member.node), context);
    if (ArrayPtr pixels = pixels_of(node.content))
      images.push_back({member.name, std::move(pixels)});
    else
      note_left_out(folder->parts, member.name, context);
  }
  return images;
}

std::vector<std::pair<std::string, double>> stored_factors(const Table& factors) {
  std::vector<std::pair<std::string, double>> all;
  const ArrayPtr values = column_values(factors.columns, "value");
  if (!factors.row_names || !values) return all;
  const Elements names = read_all(*frames::as_written(factors.row_names));
  const std::vector<double> reals = reals_of(*values);
  if (reals.size() != names.count)
    throw damaged("{} scale factors, expected {}, one for each name", reals.size(), names.count);
  for (uint64_t i = 0; i < names.count; ++i)
    if (!std::isnan(reals[i])) all.emplace_back(names.text(i), reals[i]);
  return all;
}

// Returns the members of a group that are a single text. Logs the others.
std::vector<std::pair<std::string, std::string>> stored_texts(const GroupPtr& group, Context& context) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (Member& member : group->members()) {
    const Node node = readable(std::move(member.node), context);
    const auto* array = std::get_if<LabelledArray>(&node.content);
    if (!array || array->values->count() != 1 || !frames::is_text(array->values->dtype())) {
      note_left_out(group, member.name, context);
      continue;
    }
    append_plain(array->values->dtype(), read_all(*array->values), 0,
                 texts.emplace_back(member.name, "").second);
  }
  return texts;
}

// Returns the coordinates in obsm/spatial; nullopt unless it is a matrix of numbers with a row for each cell.
std::optional<Spots> spots_of(const GroupPtr& group, const Table& obs, Context& context) {
  const std::optional<Node> obsm = member_of(group, "obsm", context);
  const auto stored =
      obsm ? content_of<LabelledArray>(member_of(obsm->parts, kSpatial, context)) : std::nullopt;
  return stored ? spots_in(*stored, 0, 1, obs) : std::nullopt;
}

}  // namespace

std::vector<Slide> anndata_slides(const GroupPtr& group, const Table& obs, Context& context) {
  std::vector<Slide> slides;
  std::vector<std::string> names;
  for (const auto& [name, parts] : stored_slides(group, context)) {
    slides.push_back(visium_slide(name, parts, context));
    names.push_back(name);
  }
  const std::optional<Spots> spots = slides.empty() ? std::nullopt : spots_of(group, obs, context);
  if (!spots) {
    if (!slides.empty())
      context.notice(fmt::format("seurat.rds: uns/{0}: obsm/{0} has no coordinates for the cells", kSpatial));
    return {};
  }
  const auto cells = cells_of_slides(names, obs, "library_id");
  if (!cells) {
    context.notice(fmt::format("seurat.rds: uns/{}: no column of obs has the slide of each cell", kSpatial));
    return {};
  }
  for (size_t i = 0; i < slides.size(); ++i) put_on(*spots, (*cells)[i], slides[i]);
  std::erase_if(slides, [](const Slide& slide) { return slide.cells.empty(); });
  return slides;
}

std::vector<SlidePictures> anndata_pictures(const GroupPtr& group, Context& context) {
  std::vector<SlidePictures> all;
  for (const auto& [name, parts] : stored_slides(group, context)) {
    SlidePictures pictures;
    pictures.name = name;
    pictures.images = stored_images(parts, context);
    if (const auto factors = content_of<Table>(member_of(parts, "scalefactors", context)))
      pictures.factors = stored_factors(*factors);
    const std::optional<Node> metadata = member_of(parts, "metadata", context);
    if (metadata && metadata->parts) pictures.metadata = stored_texts(metadata->parts, context);
    all.push_back(std::move(pictures));
  }
  return all;
}

}  // namespace plainfs::annotated
