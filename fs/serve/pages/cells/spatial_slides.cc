#include "fs/serve/pages/cells/spatial_slides.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "formats/annotated/slides/slides.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/text/json.h"
#include "formats/registry.h"
#include "fs/serve/plots/pixels.h"
#include "fs/views/images/picture.h"

namespace plainfs::serve {
namespace {

constexpr const char* kTransformations = "coordinateTransformations";
constexpr uint64_t kSlideSide = 800;
constexpr size_t kMaxSlides = 8;

// An affine map of the plane: x' = x[0] x + x[1] y + x[2], and likewise y'.
struct Affine {
  std::array<double, 3> x{1, 0, 0}, y{0, 1, 0};

  std::pair<double, double> operator()(double across, double down) const {
    return {x[0] * across + x[1] * down + x[2], y[0] * across + y[1] * down + y[2]};
  }
  // Returns this map after another.
  Affine after(const Affine& first) const {
    Affine both;
    for (const auto& [to, own] : {std::pair(&both.x, &x), {&both.y, &y}}) {
      (*to)[0] = (*own)[0] * first.x[0] + (*own)[1] * first.y[0];
      (*to)[1] = (*own)[0] * first.x[1] + (*own)[1] * first.y[1];
      (*to)[2] = (*own)[0] * first.x[2] + (*own)[1] * first.y[2] + (*own)[2];
    }
    return both;
  }
  // Returns the inverse map; nullopt if the map has no inverse.
  std::optional<Affine> inverse() const {
    const double area = x[0] * y[1] - x[1] * y[0];
    if (!std::isfinite(area) || area == 0) return std::nullopt;
    Affine back;
    back.x = {y[1] / area, -x[1] / area, (x[1] * y[2] - y[1] * x[2]) / area};
    back.y = {-y[0] / area, x[0] / area, (y[0] * x[2] - x[0] * y[2]) / area};
    return back;
  }
};

std::string json_text(const Json* object, const char* name) {
  const Json* const value = object && object->object() ? object->find(name) : nullptr;
  return value && value->text() ? *value->text() : std::string();
}

// Returns the names of the axes of a coordinate system: "c", "y", "x".
std::vector<std::string> axis_names(const Json* system) {
  std::vector<std::string> names;
  const Json* const axes = system && system->object() ? system->find("axes") : nullptr;
  if (!axes || !axes->list()) return names;
  for (const Json& axis : *axes->list()) names.push_back(json_text(&axis, "name"));
  return names;
}

std::optional<size_t> axis_place(const std::vector<std::string>& axes, const char* name) {
  const auto found = std::find(axes.begin(), axes.end(), name);
  return found == axes.end() ? std::nullopt : std::optional(static_cast<size_t>(found - axes.begin()));
}

double number_in(const Json* list, size_t place) {
  const std::optional<double> number = list && list->list() && place < list->list()->size()
                                           ? (*list->list())[place].as_double()
                                           : std::nullopt;
  return number.value_or(NAN);
}

std::optional<Affine> finite_map(const Affine& map) {
  for (const std::array<double, 3>& row : {map.x, map.y})
    for (const double number : row)
      if (!std::isfinite(number)) return std::nullopt;
  return map;
}

std::optional<Affine> affine_of(const Json& transformation);

std::optional<Affine> affine_of_sequence(const Json* steps) {
  if (!steps || !steps->list()) return std::nullopt;
  Affine all;
  for (const Json& step : *steps->list()) {
    const std::optional<Affine> map = affine_of(step);
    if (!map) return std::nullopt;
    all = map->after(all);
  }
  return all;
}

// Returns the map of x and y; nullopt for a kind that plainfs does not know, and one that mixes in other
// axes.
std::optional<Affine> affine_of(const Json& transformation) {
  const std::string type = json_text(&transformation, "type");
  if (type == "identity") return Affine{};
  if (type == "sequence") return affine_of_sequence(transformation.find("transformations"));
  const std::vector<std::string> from = axis_names(transformation.find("input")),
                                 to = axis_names(transformation.find("output"));
  const std::optional<size_t> x = axis_place(from, "x"), y = axis_place(from, "y");
  if (!x || !y) return std::nullopt;
  Affine map;
  if (type == "scale" || type == "translation") {
    const Json* const numbers = transformation.find(type);
    map.x[type == "scale" ? 0 : 2] = number_in(numbers, *x);
    map.y[type == "scale" ? 1 : 2] = number_in(numbers, *y);
    return finite_map(map);
  }
  const Json* const rows = type == "affine" ? transformation.find("affine") : nullptr;
  const std::optional<size_t> to_x = axis_place(to, "x"), to_y = axis_place(to, "y");
  if (!rows || !rows->list() || !to_x || !to_y || std::max(*to_x, *to_y) >= rows->list()->size())
    return std::nullopt;
  for (const auto& [row, place] : {std::pair(&map.x, *to_x), {&map.y, *to_y}}) {
    const Json& numbers = (*rows->list())[place];
    for (size_t i = 0; i < from.size(); ++i)
      if (i != *x && i != *y && number_in(&numbers, i) != 0) return std::nullopt;
    *row = {number_in(&numbers, *x), number_in(&numbers, *y), number_in(&numbers, from.size())};
  }
  return finite_map(map);
}

// Returns the transformations of an element, each to a coordinate system; of an image those of its first
// multiscale.
std::vector<Json> transformations_of(const plainfs::Group& element) {
  const Attributes attributes = element.attributes();
  const Json* const ome = attributes.find("ome");
  const Json* const images = ome && ome->object() ? ome->find("multiscales") : attributes.find("multiscales");
  const Json* all = attributes.find(kTransformations);
  if (const Json* const image = first_in(images); image && image->object())
    all = image->find(kTransformations);
  return all && all->list() ? std::vector<Json>(all->list()->begin(), all->list()->end())
                            : std::vector<Json>();
}

std::string system_of(const Json& transformation) {
  return transformation.object() ? json_text(transformation.find("output"), "name") : std::string();
}

// Returns the maps from an element to its coordinate systems, by their names.
std::map<std::string, Affine> systems_of(const plainfs::Group& element) {
  std::map<std::string, Affine> systems;
  for (const Json& transformation : transformations_of(element)) {
    const std::string name = system_of(transformation);
    const std::optional<Affine> map = name.empty() ? std::nullopt : affine_of(transformation);
    if (map) systems.emplace(name, *map);
  }
  return systems;
}

// Returns the map from one element to the pixels of an image, through a system that they share.
std::optional<Affine> map_between(const std::map<std::string, Affine>& from,
                                  const std::map<std::string, Affine>& to) {
  for (const auto& [name, map] : from) {
    const auto same = to.find(name);
    const std::optional<Affine> back = same == to.end() ? std::nullopt : same->second.inverse();
    if (back) return back->after(map);
  }
  return std::nullopt;
}

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

// Returns the pixels of the smallest level that fills a page, reduced to its size. Sets lowres: pixels for
// each pixel of the largest level. Null if every level is too large.
ArrayPtr slide_pixels(const Image& image, double& lowres) {
  ImageChoice choice;
  choice.least_side = kSlideSide;
  const std::optional<Picture> picture = chosen_picture(image, choice);
  if (!picture) return nullptr;
  const uint64_t step = divide_up(std::max(picture->width(), picture->height()), kSlideSide);
  const uint64_t height = divide_up(picture->height(), step), width = divide_up(picture->width(), step);
  const Shape& largest = image.levels.front().values->shape();
  lowres =
      static_cast<double>(picture->width()) / static_cast<double>(largest.back()) / static_cast<double>(step);
  const DType byte = number_type(Kind::unsigned_integer, 1);
  return generated(byte, {height, width, 3}, [picture = *picture, step, width, byte](const Box& box) {
    const std::string all = reduced_rgb(picture_pixels(picture), picture.width(), picture.height(), step);
    Elements part = zero_elements(byte, element_count(box.extent));
    const auto values = part.mutable_values<uint8_t>();
    size_t to = 0;
    for (uint64_t y = box.origin[0]; y < box.origin[0] + box.extent[0]; ++y)
      for (uint64_t x = box.origin[1]; x < box.origin[1] + box.extent[1]; ++x)
        for (uint64_t colour = box.origin[2]; colour < box.origin[2] + box.extent[2]; ++colour)
          values[to++] = static_cast<uint8_t>(all[(y * width + x) * 3 + colour]);
    return part;
  });
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

std::vector<std::string> system_names(const plainfs::Group& element) {
  std::vector<std::string> names;
  for (const Json& transformation : transformations_of(element))
    if (std::string name = system_of(transformation); !name.empty()) names.push_back(std::move(name));
  return names;
}

std::vector<Slide> spatial_slides(const Node& table, const AnnotatedMatrix& matrix, Context& context) {
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
    slide.pixels = slide_pixels(*image, slide.lowres);
    if (!slide.pixels) continue;
    put_on_image(*spots, regions, systems_of(*node.parts), slide);
    if (!slide.cells.empty()) slides.push_back(std::move(slide));
  }
  return slides;
}

}  // namespace plainfs::serve
