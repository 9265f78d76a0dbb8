#include "fs/native/ome_tiff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "formats/core/base/checked.h"
#include "fs/native/ome_xml.h"
#include "fs/native/tiff.h"

namespace plainfs {

namespace {

// Each is an element of the metadata, which are kept in memory.
constexpr uint64_t kMostChannels = 65'536;

// A chunk's side where that can be a tile's, so that a tile is a chunk.
uint64_t tile_side(uint64_t chunk, uint64_t side) {
  constexpr uint64_t kUnit = 16, kLeast = 128, kMost = 1024, kUsual = 512;
  const bool fits = chunk % kUnit == 0 && chunk >= kLeast && chunk <= kMost;
  return std::min(fits ? chunk : kUsual, divide_up(side, kUnit) * kUnit);
}

std::vector<size_t> plane_axes(const Image& image, std::string_view order) {
  std::vector<size_t> axes;
  for (const char name : order)
    for (size_t axis = 0; axis < image.axes.size(); ++axis)
      if (image.axes[axis].name == name) axes.push_back(axis);
  return axes;
}

// Micrometers of a step along an axis; 0 where they are not known.
double micrometers(const Image& image, char name) {
  constexpr std::pair<std::string_view, double> kSizes[] = {
      {"nanometer", 1e-3}, {"micrometer", 1}, {"millimeter", 1e3}, {"angstrom", 1e-4}};
  for (const ImageAxis& axis : image.axes)
    for (const auto& [unit, size] : kSizes)
      if (axis.name == name && axis.step && axis.unit == unit) return *axis.step * size;
  return 0;
}

uint32_t millionths(double value) {
  const double rounded = std::round(value * 1e6);
  return rounded >= 1 && rounded <= UINT32_MAX ? static_cast<uint32_t>(rounded) : 0;
}

// As ImageJ writes it (ij/io/FileSaver.getDescriptionString).
std::string imagej_description(const Image& image, bool has_unit) {
  const uint64_t c = length_along(image, 'c'), z = length_along(image, 'z'), t = length_along(image, 't');
  std::string text = fmt::format("ImageJ=1.53t\nimages={}\n", c * z * t);
  for (const auto& [name, length] : {std::pair("channels", c), {"slices", z}, {"frames", t}})
    if (length > 1) text += fmt::format("{}={}\n", name, length);
  if (c > 1 || (z > 1 && t > 1)) text += "hyperstack=true\n";
  if (c > 1) text += c <= 7 ? "mode=composite\n" : "mode=grayscale\n";
  if (has_unit) text += "unit=micron\n";
  if (const double spacing = micrometers(image, 'z'); has_unit && spacing > 0)
    text += fmt::format("spacing={}\n", spacing);
  return text;
}

}  // namespace

bool has_ome_tiff(const Image& image) {
  if (image.error) return image.error->code() != Errc::unsupported;
  const uint64_t longest = std::max(length_along(image, 'x'), length_along(image, 'y'));
  return longest <= UINT32_MAX && length_along(image, 'c') <= kMostChannels &&
         pixel_type(image.levels.front().values->dtype());
}

ByteLayout ome_tiff(const Image& image, std::string_view software) {
  if (image.error) throw *image.error;
  TiffPlan plan;
  plan.is_big = true;
  plan.type = *pixel_type(image.levels.front().values->dtype());
  for (const ImageLevel& level : image.levels) {
    const Shape chunk = level.values->chunk_shape(), &shape = level.values->shape();
    const size_t x = shape.size() - 1, y = x - 1;
    plan.levels.push_back({level.values, tile_side(chunk[x], shape[x]), tile_side(chunk[y], shape[y])});
  }
  plan.plane_axes = plane_axes(image, "zct");
  plan.description = ome_xml(image, plan.type, software);
  plan.software = software;
  return tiff_layout(std::move(plan));
}

ByteLayout imagej_tiff(const Image& image, std::string_view software) {
  if (image.error) throw *image.error;
  constexpr uint64_t kStripBytes = 256 * 1024;
  const ArrayPtr& values = image.levels.front().values;
  TiffPlan plan;
  plan.type = *pixel_type(values->dtype());
  const uint64_t row = length_along(image, 'x') * plan.type.form.size, height = length_along(image, 'y');
  plan.levels.push_back({values, 0, std::clamp<uint64_t>(kStripBytes / row, 1, height)});
  plan.plane_axes = plane_axes(image, "czt");
  plan.pixel_millionths = {millionths(micrometers(image, 'x')), millionths(micrometers(image, 'y'))};
  const bool has_unit = plan.pixel_millionths[0] > 0 && plan.pixel_millionths[1] > 0;
  plan.description = imagej_description(image, has_unit);
  plan.software = software;
  return tiff_layout(std::move(plan));
}

}  // namespace plainfs
