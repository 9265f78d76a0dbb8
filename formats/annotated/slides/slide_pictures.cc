// Pictures of slides as scanpy keeps them. Sources: scanpy `readwrite.py` (read_visium), `plotting/_tools/
// scatterplots.py` (spatial); Seurat 4.3.0 `R/preprocessing.R` (Read10X_Image), which stores
// tissue_hires_scalef as the diameter of a spot; 10x Genomics' page "Spatial Outputs".
#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/annotated/slides/slides.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/number_cast.h"

namespace plainfs::annotated {

namespace {

constexpr uint64_t kColors = 3;

// Pixels of any type, with or without an opacity, as red, green and blue of 8 bits.
class BytePixels : public DerivedArray {
 public:
  explicit BytePixels(const ArrayPtr& pixels)
      : DerivedArray(pixels, number_type(Kind::unsigned_integer, 1),
                     {pixels->shape()[0], pixels->shape()[1], kColors}, false),
        channels_(pixels->shape()[2]),
        full_(pixels->dtype().kind == Kind::real ? 1
              : pixels->dtype().size == 1        ? UINT8_MAX
                                                 : UINT16_MAX) {}

  std::optional<Elements> repeated(const Box&) const override { return std::nullopt; }
  bool may_be_missing() const override { return false; }
  Shape chunk_shape() const override {
    Shape chunk = values().chunk_shape();
    chunk[2] = kColors;
    return chunk;
  }

 private:
  Box stored_box(const Box& box) const override {
    Box stored = box;
    stored.origin[2] = 0;
    stored.extent[2] = channels_;
    return stored;
  }
  Elements derived(Elements stored, const Box& box) const override {
    std::vector<double> parts;
    append_doubles(values().dtype(), stored, parts);
    Elements pixels;
    pixels.count = box.extent[0] * box.extent[1] * box.extent[2];
    pixels.bytes.reserve(pixels.count);
    for (size_t at = 0; at < parts.size(); at += channels_) {
      const double opacity = channels_ > kColors ? strength(parts[at + kColors]) : 1;
      for (uint64_t color = box.origin[2]; color < box.origin[2] + box.extent[2]; ++color) {
        const double part = strength(parts[at + color]) * opacity + (1 - opacity);
        pixels.bytes.push_back(static_cast<std::byte>(std::lround(part * UINT8_MAX)));
      }
    }
    return pixels;
  }
  // Returns a part of full strength; a missing one is 0.
  double strength(double part) const { return part > 0 ? std::min(part / full_, 1.0) : 0; }

  const uint64_t channels_;
  const double full_;
};

// Returns the distance from a spot to the nearest one at another place; infinity without one.
double distance_to_neighbour(const std::vector<double>& x, const std::vector<double>& y, size_t spot) {
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < x.size(); ++i) {
    const double square = (x[i] - x[spot]) * (x[i] - x[spot]) + (y[i] - y[spot]) * (y[i] - y[spot]);
    if (square > 0) least = std::min(least, square);  // NaN is on no slide
  }
  return std::sqrt(least);
}

}  // namespace

ArrayPtr byte_pixels(const ArrayPtr& pixels) {
  const DType& type = pixels->dtype();
  const bool are_bytes = type.kind == Kind::unsigned_integer && type.size == 1;
  return are_bytes && pixels->shape()[2] == kColors ? pixels : std::make_shared<BytePixels>(pixels);
}

double spot_diameter(const Slide& slide) {
  if (!std::isnan(slide.spot) && slide.spot != slide.hires) return slide.spot;
  constexpr double kPartOfDistance = 0.65;
  constexpr size_t kMaxSampled = 101;
  const std::vector<double> x = reals_of(*column_values(slide.coordinates, "imagecol")),
                            y = reals_of(*column_values(slide.coordinates, "imagerow"));
  std::vector<double> distances;
  const size_t step = x.size() / kMaxSampled + 1;
  for (size_t spot = 0; spot < x.size(); spot += step) {
    const double distance = distance_to_neighbour(x, y, spot);
    if (std::isfinite(distance)) distances.push_back(distance);
  }
  if (distances.empty()) return 1;
  const auto middle = distances.begin() + static_cast<ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return kPartOfDistance * *middle;
}

std::vector<SlidePictures> pictures_of(const std::vector<Slide>& slides) {
  std::vector<SlidePictures> all;
  for (const Slide& slide : slides) {
    if (!slide.pixels || std::isnan(slide.lowres)) continue;
    SlidePictures pictures;
    pictures.name = slide.name;
    pictures.images = {{"lowres", byte_pixels(slide.pixels)}};
    pictures.factors = {{"tissue_lowres_scalef", slide.lowres},
                        {"spot_diameter_fullres", spot_diameter(slide)}};
    if (!std::isnan(slide.hires)) pictures.factors.emplace_back("tissue_hires_scalef", slide.hires);
    if (!std::isnan(slide.fiducial))
      pictures.factors.emplace_back("fiducial_diameter_fullres", slide.fiducial);
    all.push_back(std::move(pictures));
  }
  return all;
}

}  // namespace plainfs::annotated
