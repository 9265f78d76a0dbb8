#include "fs/serve/pages/cells/spatial_slides.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "cache/lazy.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/base/checked.h"
#include "formats/core/text/json.h"
#include "formats/registry.h"
#include "fs/report/words.h"
#include "fs/serve/pages/cells/spatial_maps.h"
#include "fs/serve/plots/pixels.h"
#include "fs/views/images/picture.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kSlideSide = 800;
constexpr size_t kMaxSlides = 8;

// The cells that annotate one element.
struct TableRegion {
  std::map<std::string, Affine> systems;
  std::vector<uint64_t> cells;
};

std::vector<std::string> json_texts(const Json* value) {
  std::vector<std::string> texts;
  if (value && value->text()) texts.push_back(*value->text());
  if (value && value->list())
    for (const Json& one : *value->list())
      if (one.text()) texts.push_back(*one.text());
  return texts;
}

std::optional<Node> element_called(const plainfs::Group& root, const std::string& name) {
  for (const char* const kind : {"labels", "shapes", "points"}) {
    const std::string path[] = {kind, name};
    if (std::optional<Node> node = find_path(root, path); node && node->parts) return node;
  }
  return std::nullopt;
}

std::vector<TableRegion> regions_of(const plainfs::Group& root, const plainfs::Group& table,
                                    const AnnotatedMatrix& matrix) {
  const Attributes attributes = table.attributes();
  const std::vector<std::string> names = json_texts(attributes.find("region"));
  if (names.empty()) return {};
  const auto cells =
      annotated::cells_of_slides(names, matrix.obs, attributes.text("region_key").value_or("region"));
  std::vector<TableRegion> regions;
  for (size_t i = 0; cells && i < names.size(); ++i)
    if (const std::optional<Node> element = element_called(root, names[i]))
      regions.push_back({systems_of(*element->parts), (*cells)[i]});
  return regions;
}

// The pixels of a picture, reduced: the means of squares of step by step of them. Each read makes the lines
// that it needs, so that the whole picture is never in memory.
class ReducedPicture : public Array {
 public:
  ReducedPicture(Picture picture, uint64_t step)
      : Array(number_type(Kind::unsigned_integer, 1),
              {divide_up(picture.height(), step), divide_up(picture.width(), step), 3}),
        picture_(std::move(picture)),
        step_(step) {}

  Elements read(const Box& box) const override {
    const Picture& picture = with_contrast_.get([&] { return with_windows(picture_); });
    Elements part = zero_elements(dtype(), element_count(box.extent));
    const auto values = part.mutable_values<uint8_t>();
    size_t to = 0;
    for (uint64_t y = box.origin[0]; y < box.origin[0] + box.extent[0]; ++y) {
      const uint64_t count = std::min(step_, picture.height() - y * step_);
      const std::string line = reduced_rgb(picture_pixels(picture_lines(picture, y * step_, count)),
                                           picture.width(), count, step_);
      for (uint64_t x = box.origin[1]; x < box.origin[1] + box.extent[1]; ++x)
        for (uint64_t colour = box.origin[2]; colour < box.origin[2] + box.extent[2]; ++colour)
          values[to++] = static_cast<uint8_t>(line[x * 3 + colour]);
    }
    return part;
  }

 private:
  const Picture picture_;
  const uint64_t step_;
  Lazy<Picture> with_contrast_;
};

// Returns the pixels of the smallest level that fills a page, reduced to its size. Sets lowres: pixels for
// each pixel of the largest level. Null if every level is too large.
ArrayPtr slide_pixels(const Image& image, double& lowres) {
  ImageChoice choice;
  choice.least_side = kSlideSide;
  std::optional<Picture> picture = chosen_picture(image, choice);
  if (!picture) return nullptr;
  const uint64_t step = divide_up(std::max(picture->width(), picture->height()), kSlideSide);
  const auto all = static_cast<double>(image.levels.front().values->shape().back());
  const uint64_t width = picture->step > 1 ? image.levels.back().values->shape().back() : picture->width();
  lowres = static_cast<double>(width) / all / static_cast<double>(step * picture->step);
  return std::make_shared<ReducedPicture>(*std::move(picture), step);
}

std::string too_large_text(const std::string& name, const Image& image) {
  const Shape& least = image.levels.back().values->shape();
  return fmt::format(
      "The image {} is not drawn beneath the cells: its smallest level has {} × {} pixels, which is too "
      "many. "
      "Its page, images/{}/, shows parts; napari-spatialdata shows both.",
      name, count_text(least[least.size() - 1]), count_text(least[least.size() - 2]), name);
}

std::optional<annotated::Spots> spots_of_table(const AnnotatedMatrix& matrix) {
  for (const AnnotatedPart& part : matrix.obsm)
    if (const auto* array = std::get_if<LabelledArray>(&part.content);
        array && part.name == annotated::kSpatial)
      return annotated::spots_in(*array, 0, 1, matrix.obs);
  return std::nullopt;
}

// Puts the cells of all regions that share a system with the image on its slide.
void put_on_image(const annotated::Spots& spots, const std::vector<TableRegion>& regions,
                  const std::map<std::string, Affine>& systems, Slide& slide) {
  annotated::Spots moved{std::vector<double>(spots.x.size(), NAN), std::vector<double>(spots.y.size(), NAN),
                         spots.obs};
  std::vector<uint64_t> cells;
  for (const TableRegion& region : regions) {
    const std::optional<Affine> map = map_between(region.systems, systems);
    if (!map) continue;
    for (const uint64_t cell : region.cells) {
      std::tie(moved.x[cell], moved.y[cell]) = (*map)(spots.x[cell], spots.y[cell]);
      cells.push_back(cell);
    }
  }
  std::sort(cells.begin(), cells.end());
  annotated::put_on(moved, cells, slide);
}

}  // namespace

std::vector<Slide> spatial_slides(const Node& table, const AnnotatedMatrix& matrix, Context& context,
                                  std::vector<std::string>& left_out) {
  const GroupPtr above = table.parts ? table.parts->parent() : nullptr;
  const GroupPtr root = above ? above->parent() : nullptr;
  const GroupPtr images = root ? find_group(*root, "images") : nullptr;
  if (!images) return {};
  const std::vector<TableRegion> regions = regions_of(*root, *table.parts, matrix);
  const std::optional<annotated::Spots> spots = regions.empty() ? std::nullopt : spots_of_table(matrix);
  if (!spots) return {};
  std::vector<Slide> slides;
  for (Member& member : images->members()) {
    if (slides.size() == kMaxSlides) break;
    const Node node = refine(std::move(member.node), context);
    const auto* image = std::get_if<Image>(&node.content);
    if (!image || image->error || image->is_labels || !node.parts) continue;
    Slide slide;
    slide.name = member.name;
    put_on_image(*spots, regions, systems_of(*node.parts), slide);
    if (slide.cells.empty() || !has_brightness(image->levels.front().values->dtype())) continue;
    slide.pixels = slide_pixels(*image, slide.lowres);
    if (slide.pixels)
      slides.push_back(std::move(slide));
    else
      left_out.push_back(too_large_text(slide.name, *image));
  }
  return slides;
}

}  // namespace plainfs::serve
