#include "fs/native/ome_tiff.h"

#include <algorithm>

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
  for (const char name : {'z', 'c', 't'})
    for (size_t axis = 0; axis < image.axes.size(); ++axis)
      if (image.axes[axis].name == name) plan.plane_axes.push_back(axis);
  plan.description = ome_xml(image, plan.type, software);
  plan.software = software;
  return tiff_layout(std::move(plan));
}

}  // namespace plainfs
