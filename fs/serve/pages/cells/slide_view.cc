#include "fs/serve/pages/cells/slide_view.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/annotated/slides/slides.h"
#include "formats/core/base/checked.h"
#include "fs/serve/plots/pixels.h"
#include "fs/views/images/picture.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxSlideSide = 800;  // of the picture on a page
constexpr uint64_t kPixelBytes = 3;

// The picture is read in parts of about this many pixels, or of one square if that has more.
constexpr uint64_t kPixelsAtOnce = uint64_t{1} << 18;

// Returns the means of squares of step by step pixels.
std::string reduced_pixels(const Array& pixels, uint64_t step) {
  const uint64_t height = pixels.shape()[0], width = pixels.shape()[1];
  std::string reduced;
  for (uint64_t y = 0; y < height; y += step) {
    const uint64_t rows = std::min(step, height - y);
    const uint64_t columns_at_once = std::max<uint64_t>(1, kPixelsAtOnce / rows / step) * step;
    for (uint64_t x = 0; x < width; x += columns_at_once) {
      const uint64_t columns = std::min(columns_at_once, width - x);
      const Elements part = pixels.read({{y, x, 0}, {rows, columns, kPixelBytes}});
      const auto values = part.values<uint8_t>();
      std::vector<uint32_t> sums(divide_up(columns, step) * kPixelBytes), counts(sums.size());
      for (uint64_t row = 0; row < rows; ++row)
        for (uint64_t i = 0; i < columns * kPixelBytes; ++i) {
          const uint64_t to = i / kPixelBytes / step * kPixelBytes + i % kPixelBytes;
          sums[to] += values[row * columns * kPixelBytes + i];
          ++counts[to];
        }
      for (size_t i = 0; i < sums.size(); ++i)
        reduced += static_cast<char>((sums[i] + counts[i] / 2) / counts[i]);
    }
  }
  return reduced;
}

}  // namespace

Backdrop backdrop_of(const Slide& slide) {
  const ArrayPtr pixels = annotated::byte_pixels(slide.pixels);
  const uint64_t height = pixels->shape()[0], width = pixels->shape()[1];
  if (width > kMaxPicturePixels / height)
    throw unsupported("{}: a picture of {} by {} pixels is too large for a page", slide.name, width, height);
  const uint64_t step = divide_up(std::max(width, height), kMaxSlideSide);
  Backdrop picture;
  picture.png = rgb_png(static_cast<uint32_t>(divide_up(width, step)),
                        static_cast<uint32_t>(divide_up(height, step)), reduced_pixels(*pixels, step));
  picture.x = {0, static_cast<double>(width) / slide.lowres};
  picture.y = {-static_cast<double>(height) / slide.lowres, 0};
  return picture;
}

SlideView view_of(const Slide& slide, std::shared_ptr<const Backdrop> picture, uint64_t cells,
                  uint64_t most) {
  SlideView view{slide.name, {}, std::move(picture), annotated::spot_diameter(slide)};
  CellPlaces& places = view.places;
  places.step = std::max<uint64_t>(1, divide_up(cells, most));
  places.x_name = "across";
  places.y_name = "down";
  places.x.assign(divide_up(cells, places.step), std::numeric_limits<double>::quiet_NaN());
  places.y = places.x;
  const std::vector<double> x = annotated::reals_of(*column_values(slide.coordinates, "imagecol")),
                            y = annotated::reals_of(*column_values(slide.coordinates, "imagerow"));
  if (std::min(x.size(), y.size()) < slide.cells.size())
    throw damaged("{}: coordinates of {} cells, expected {}", slide.name, std::min(x.size(), y.size()),
                  slide.cells.size());
  for (size_t i = 0; i < slide.cells.size(); ++i) {
    const uint64_t cell = slide.cells[i];
    if (cell >= cells) throw damaged("{}: has cell {}, but there are {} cells", slide.name, cell, cells);
    if (cell % places.step != 0) continue;
    places.x[cell / places.step] = x[i];
    places.y[cell / places.step] = -y[i];
  }
  return view;
}

}  // namespace plainfs::serve
