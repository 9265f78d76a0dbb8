#include "fs/serve/pages/cells/spatial_maps.h"

#include <algorithm>
#include <cmath>

#include "formats/core/text/json.h"

namespace plainfs::serve {
namespace {

constexpr const char* kTransformations = "coordinateTransformations";

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

}  // namespace

Affine Affine::after(const Affine& first) const {
  Affine both;
  for (const auto& [to, own] : {std::pair(&both.x, &x), {&both.y, &y}}) {
    (*to)[0] = (*own)[0] * first.x[0] + (*own)[1] * first.y[0];
    (*to)[1] = (*own)[0] * first.x[1] + (*own)[1] * first.y[1];
    (*to)[2] = (*own)[0] * first.x[2] + (*own)[1] * first.y[2] + (*own)[2];
  }
  return both;
}

std::optional<Affine> Affine::inverse() const {
  const double area = x[0] * y[1] - x[1] * y[0];
  if (!std::isfinite(area) || area == 0) return std::nullopt;
  Affine back;
  back.x = {y[1] / area, -x[1] / area, (x[1] * y[2] - y[1] * x[2]) / area};
  back.y = {-y[0] / area, x[0] / area, (y[0] * x[2] - x[0] * y[2]) / area};
  return back;
}

std::map<std::string, Affine> systems_of(const plainfs::Group& element) {
  std::map<std::string, Affine> systems;
  for (const Json& transformation : transformations_of(element)) {
    const std::string name = system_of(transformation);
    const std::optional<Affine> map = name.empty() ? std::nullopt : affine_of(transformation);
    if (map) systems.emplace(name, *map);
  }
  return systems;
}

std::optional<Affine> map_between(const std::map<std::string, Affine>& from,
                                  const std::map<std::string, Affine>& to) {
  for (const auto& [name, map] : from) {
    const auto same = to.find(name);
    const std::optional<Affine> back = same == to.end() ? std::nullopt : same->second.inverse();
    if (back) return back->after(map);
  }
  return std::nullopt;
}

std::vector<std::string> system_names(const plainfs::Group& element) {
  std::vector<std::string> names;
  for (const Json& transformation : transformations_of(element))
    if (std::string name = system_of(transformation); !name.empty()) names.push_back(std::move(name));
  return names;
}

}  // namespace plainfs::serve
