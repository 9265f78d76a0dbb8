#include "fs/views/images/picture.h"

#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/number_cast.h"

namespace plainfs {

namespace {

constexpr uint64_t kBandPixels = uint64_t{1} << 18;  // in memory at once
constexpr uint64_t kCut = 1000;  // one value in so many is below black, and one above full colour
constexpr size_t kMaxLayers = 7;
constexpr uint64_t kLeastSkippedSide = 1024;
constexpr uint64_t kMaxSkippedChunk = uint64_t{1} << 27;  // bytes: half of the default cache

// Colours of channels without their own colour, and of labels, used in turn.
constexpr Color kChannelColors[] = {{255, 0, 255}, {0, 255, 0}, {0, 255, 255},  {255, 255, 0},
                                    {255, 0, 0},   {0, 0, 255}, {255, 255, 255}};
constexpr Color kLabelColors[] = {{230, 25, 75},  {60, 180, 75},   {255, 225, 25}, {0, 130, 200},
                                  {245, 130, 48}, {145, 30, 180},  {70, 240, 240}, {240, 50, 230},
                                  {210, 245, 60}, {250, 190, 190}, {0, 128, 128},  {230, 190, 255}};

class PictureMaker {
 public:
  explicit PictureMaker(const Picture& picture)
      : picture_(picture), width_(picture.width()), height_(picture.height()) {}

  uint64_t size() const { return height_ * (1 + 3 * width_); }

  // Returns the layers, each with a window unless it is of labels.
  std::vector<PictureLayer> layers() const {
    std::vector<PictureLayer> all = picture_.layers;
    if (!picture_.is_labels)
      for (PictureLayer& layer : all)
        if (!layer.window) layer.window = window_of(layer);
    return all;
  }

  // Writes the rows, each preceded by the filter type 0. Requires: `out` has size() bytes.
  void put_rows(std::span<std::byte> out) const {
    const std::vector<PictureLayer> layers = this->layers();
    const uint64_t row_size = 1 + 3 * width_;
    for (uint64_t y = 0; y < height_; ++y) out[y * row_size] = std::byte{0};
    each_band([&](const Band& band) {
      const std::vector<std::byte> pixels = picture_.is_labels ? label_colors(band) : sums(layers, band);
      for (uint64_t row = 0; row < band.height; ++row)
        std::memcpy(out.data() + (band.y + row) * row_size + 1 + 3 * band.x,
                    pixels.data() + row * 3 * band.width, 3 * band.width);
    });
  }

 private:
  // Rows of the picture, or part of a long one: about kBandPixels, which are in memory at once.
  struct Band {
    uint64_t x, y, width, height;
  };

  // Visits all pixels in their order.
  template <class Visit>
  void each_band(Visit&& visit) const {
    const uint64_t width = std::min(width_, kBandPixels),
                   height = std::max<uint64_t>(1, kBandPixels / width_);
    for (uint64_t y = 0; y < height_; y += height)
      for (uint64_t x = 0; x < width_; x += width)
        visit(Band{x, y, std::min(width, width_ - x), std::min(height, height_ - y)});
  }

  Elements read(const PictureLayer& layer, const Band& band) const {
    Box box{layer.origin, Shape(layer.origin.size(), 1)};
    box.origin[picture_.y_axis] = band.y;
    box.extent[picture_.y_axis] = band.height;
    box.origin[picture_.x_axis] = band.x;
    box.extent[picture_.x_axis] = band.width;
    return picture_.values->read(box);
  }

  std::pair<double, double> window_of(const PictureLayer& layer) const {
    const DType& type = picture_.values->dtype();
    const uint64_t step = type.size == 1 ? 1 : divide_up(width_ * height_, kMaxSampledPixels);
    std::vector<double> sampled, values;
    double least = std::numeric_limits<double>::infinity(), greatest = -least;
    each_band([&](const Band& band) {
      values.clear();
      append_doubles(type, read(layer, band), values);
      if (type.size == 1) {
        for (const double value : values) {
          least = std::min(least, value);
          greatest = std::max(greatest, value);
        }
        return;
      }
      const uint64_t first = band.y * width_ + band.x;
      for (uint64_t i = divide_up(first, step) * step; i < first + values.size(); i += step)
        if (std::isfinite(values[i - first])) sampled.push_back(values[i - first]);
    });
    if (type.size == 1) return {least, greatest};
    if (sampled.empty()) return {0, 0};
    const auto at = [&](uint64_t rank) {
      const auto place = sampled.begin() + static_cast<ptrdiff_t>(rank);
      std::nth_element(sampled.begin(), place, sampled.end());
      return *place;
    };
    const uint64_t cut = (sampled.size() - 1) / kCut;
    return {at(cut), at(sampled.size() - 1 - cut)};
  }

  // Returns the pixels of a band, three bytes each.
  std::vector<std::byte> label_colors(const Band& band) const {
    const std::vector<uint64_t> labels =
        label_numbers(picture_.values->dtype(), read(picture_.layers.front(), band));
    std::vector<std::byte> pixels;
    pixels.reserve(3 * labels.size());
    for (const uint64_t label : labels) {
      const Color color = label == 0 ? Color{} : kLabelColors[(label - 1) % std::size(kLabelColors)];
      for (const uint8_t part : color) pixels.push_back(std::byte{part});
    }
    return pixels;
  }

  // Returns the pixels of a band, three bytes each.
  std::vector<std::byte> sums(const std::vector<PictureLayer>& layers, const Band& band) const {
    std::vector<double> sums(band.width * band.height * 3), values;
    for (const PictureLayer& layer : layers) {
      values.clear();
      append_doubles(picture_.values->dtype(), read(layer, band), values);
      const auto [dark, bright] = *layer.window;
      if (bright == dark) continue;
      for (uint64_t i = 0; i < values.size(); ++i) {
        const double part = (values[i] - dark) / (bright - dark);
        if (!(part > 0)) continue;  // NaN is black
        for (size_t c = 0; c < 3; ++c) sums[3 * i + c] += std::min(part, 1.0) * layer.color[c];
      }
    }
    std::vector<std::byte> pixels(sums.size());
    for (size_t i = 0; i < sums.size(); ++i)
      pixels[i] = static_cast<std::byte>(std::floor(std::min(sums[i], 255.0) + 0.5));
    return pixels;
  }

  const Picture& picture_;
  const uint64_t width_, height_;
};

struct GeneratedPicture {
  Bytes bytes;
  size_t allocated_bytes() const { return bytes.capacity(); }
};

// All of IDAT except its length: zlib's header, stored blocks, the checksum of their content, and that of the
// chunk.
class PngData : public Segment {
 public:
  PngData(Picture picture, Context& context)
      : picture_(std::move(picture)), context_(context), owner_(context.cache.new_owner()) {}
  ~PngData() override { context_.cache.drop(owner_, owner_ + 1); }

  static constexpr uint64_t kMaxStored = 65'535, kBlockHeader = 5, kName = 4, kZlibHeader = 2, kSum = 4;

  // Returns the bytes of the chunk's content.
  uint64_t data_size() const {
    const uint64_t rows = picture_.height() * (1 + 3 * picture_.width());
    return kZlibHeader + kBlockHeader * divide_up(rows, kMaxStored) + rows + kSum;
  }
  uint64_t size() const override { return kName + data_size() + kSum; }

  void read(const Wanted& wanted) const override {
    const auto generated = context_.cache.get<GeneratedPicture>({owner_, 0}, [&] { return make(); });
    std::memcpy(wanted.out.data(), generated->bytes.data() + wanted.offset, wanted.out.size());
  }

 private:
  // The rows are generated at the end of the buffer and moved to their places, the first block first.
  GeneratedPicture make() const {
    GeneratedPicture generated{Bytes(size())};
    const PictureMaker maker(picture_);
    const uint64_t rows_size = maker.size(), end = generated.bytes.size() - 2 * kSum;
    const std::span<std::byte> rows(generated.bytes.data() + (end - rows_size), rows_size);
    maker.put_rows(rows);
    const std::string sum = png_number(libdeflate_adler32(1, rows.data(), rows.size()));
    std::byte* out = generated.bytes.data();
    const auto put = [&](const void* data, size_t count) {
      std::memmove(out, data, count);
      out += count;
    };
    put("IDAT\x78\x01", kName + kZlibHeader);
    for (uint64_t at = 0; at < rows_size; at += kMaxStored) {
      const uint64_t some = std::min(kMaxStored, rows_size - at);
      const auto length = static_cast<uint16_t>(some), inverse = static_cast<uint16_t>(~length);
      const char is_last = at + some == rows_size;
      put(&is_last, 1);
      put(&length, 2);
      put(&inverse, 2);
      put(rows.data() + at, some);
    }
    put(sum.data(), kSum);
    put(png_number(crc32(ByteSpan(generated.bytes).first(generated.bytes.size() - kSum))).data(), kSum);
    return generated;
  }

  const Picture picture_;
  Context& context_;
  const uint64_t owner_;
};

// Every step-th element of an array of numbers along its last two axes.
class SkippingArray : public Array {
 public:
  SkippingArray(ArrayPtr values, uint64_t step)
      : Array(values->dtype(), skipped(values->shape(), step)), values_(std::move(values)), step_(step) {}

  // Reads line by line, so that the elements between are in the cache alone.
  Elements read(const Box& box) const override {
    const size_t y = box.origin.size() - 2, x = y + 1;
    Elements all;
    const uint64_t planes = element_count(Shape(box.extent.begin(), box.extent.end() - 2));
    for (uint64_t plane = 0; plane < planes; ++plane)
      for (uint64_t row = 0; row < box.extent[y]; ++row) {
        Box line{box.origin, Shape(box.origin.size(), 1)};
        for (size_t axis = y, rest = plane; axis-- > 0; rest /= box.extent[axis])
          line.origin[axis] += rest % box.extent[axis];
        line.origin[y] = (box.origin[y] + row) * step_;
        line.origin[x] = box.origin[x] * step_;
        line.extent[x] = (box.extent[x] - 1) * step_ + 1;
        const Elements stored = values_->read(line);
        for (uint64_t i = 0; i < box.extent[x]; ++i) append(dtype(), all, stored, i * step_, 1);
      }
    return all;
  }
  bool may_be_missing() const override { return values_->may_be_missing(); }

 private:
  static Shape skipped(Shape shape, uint64_t step) {
    for (size_t axis = shape.size() - 2; axis < shape.size(); ++axis)
      shape[axis] = divide_up(shape[axis], step);
    return shape;
  }

  const ArrayPtr values_;
  const uint64_t step_;
};

// Returns the distance of the pixels to show of a part of a level that is larger than a picture; 0 if that
// would decode too much.
uint64_t step_through(const ImageLevel& level, uint64_t width, uint64_t height, const ImageChoice& choice) {
  Shape chunk = level.values->chunk_shape();
  for (size_t axis = 0; axis < chunk.size(); ++axis)
    chunk[axis] = std::clamp<uint64_t>(chunk[axis], 1, level.values->shape()[axis]);
  if (width > kMaxSkippedPixels / height ||
      element_count(chunk) > kMaxSkippedChunk / level.values->dtype().size)
    return 0;
  uint64_t step =
      std::max<uint64_t>(1, std::max(width, height) / std::max(choice.least_side, kLeastSkippedSide));
  while (divide_up(width, step) > choice.max_pixels / divide_up(height, step)) ++step;
  return step;
}

// Returns the region of a choice, scaled to a level.
ImageChoice::Region region_in(const Image& image, const ImageLevel& level, const ImageChoice& choice) {
  const Shape &all = image.levels.front().values->shape(), &shape = level.values->shape();
  const size_t y = shape.size() - 2, x = shape.size() - 1;
  if (!choice.region) return {0, 0, shape[x], shape[y]};
  const auto scaled = [](uint64_t place, uint64_t to, uint64_t from) {
    return static_cast<uint64_t>(static_cast<double>(place) * static_cast<double>(to) /
                                 static_cast<double>(from));
  };
  const ImageChoice::Region& region = *choice.region;
  ImageChoice::Region in{std::min(scaled(region.x, shape[x], all[x]), shape[x] - 1),
                         std::min(scaled(region.y, shape[y], all[y]), shape[y] - 1), 0, 0};
  in.width = std::clamp<uint64_t>(scaled(region.width, shape[x], all[x]), 1, shape[x] - in.x);
  in.height = std::clamp<uint64_t>(scaled(region.height, shape[y], all[y]), 1, shape[y] - in.y);
  return in;
}

// Returns the level to show; null if all are too large.
const ImageLevel* shown_level(const Image& image, const ImageChoice& choice) {
  const ImageLevel* shown = nullptr;
  for (const ImageLevel& level : image.levels) {
    const ImageChoice::Region region = region_in(image, level, choice);
    if (shown && std::max(region.width, region.height) < choice.least_side) break;
    if (region.width <= choice.max_pixels / region.height) shown = &level;
  }
  return shown;
}

// Returns the rectangle along the last two axes.
ArrayPtr cut(const ArrayPtr& values, const ImageChoice::Region& region) {
  const Shape& shape = values->shape();
  const size_t y = shape.size() - 2, x = shape.size() - 1;
  if (region.height == shape[y] && region.width == shape[x]) return values;
  Box part = whole(shape);
  part.origin[y] = region.y;
  part.extent[y] = region.height;
  part.origin[x] = region.x;
  part.extent[x] = region.width;
  return slice(values, std::move(part));
}

bool is_chosen(const ImageChoice& choice, uint64_t channel, const ImageChannel* described) {
  if (choice.channels.empty()) return !described || described->is_active;
  return std::find(choice.channels.begin(), choice.channels.end(), channel) != choice.channels.end();
}

}  // namespace

bool has_brightness(const DType& type) {
  return type.is_numeric();
}

std::optional<Picture> preview_of(const Image& image) {
  return chosen_picture(image, {});
}

std::optional<Picture> chosen_picture(const Image& image, const ImageChoice& choice) {
  if (image.error || !has_brightness(image.levels.front().values->dtype())) return std::nullopt;
  const ImageLevel* const fitting = shown_level(image, choice);
  const ImageLevel& level = fitting ? *fitting : image.levels.back();
  const Shape& shape = level.values->shape();
  const ImageChoice::Region region = region_in(image, level, choice);
  Picture picture{cut(level.values, region), shape.size() - 2, shape.size() - 1, {}, false};
  if (!fitting) {
    picture.step = step_through(level, region.width, region.height, choice);
    if (picture.step == 0) return std::nullopt;
    picture.values = std::make_shared<SkippingArray>(picture.values, picture.step);
  }
  PictureLayer plane{Shape(shape.size(), 0)};
  size_t channel_axis = shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (image.axes[i].name == 'z') plane.origin[i] = choice.z.value_or(shape[i] / 2);
    if (image.axes[i].name == 't') plane.origin[i] = choice.t.value_or(0);
    if (image.axes[i].name == 'c') channel_axis = i;
  }
  const uint64_t channels = channel_axis < shape.size() ? shape[channel_axis] : 1;
  const size_t most = image.is_labels ? 1 : kMaxLayers;
  bool has_color = false;  // the last layer has its own colour
  for (uint64_t c = 0; c < channels && picture.layers.size() < most; ++c) {
    const ImageChannel* const described = c < image.channels.size() ? &image.channels[c] : nullptr;
    if (!is_chosen(choice, c, described)) continue;
    PictureLayer layer = plane;
    if (channel_axis < shape.size()) layer.origin[channel_axis] = c;
    if (channels > 1) layer.color = kChannelColors[c % std::size(kChannelColors)];
    if (described) {
      has_color = described->color.has_value();
      if (const auto color = described->color)
        layer.color = {static_cast<uint8_t>(*color >> 16), static_cast<uint8_t>(*color >> 8),
                       static_cast<uint8_t>(*color)};
      layer.window = described->window;
    }
    if (choice.window) layer.window = choice.window;
    if (const auto own = choice.windows.find(c); own != choice.windows.end()) layer.window = own->second;
    picture.layers.push_back(std::move(layer));
  }
  if (picture.layers.size() == 1 && !has_color) picture.layers.front().color = PictureLayer{}.color;
  picture.is_labels = image.is_labels && picture.values->dtype().is_integer() && !picture.layers.empty();
  return picture;
}

ByteLayout png(Picture picture, Context& context) {
  const auto width = static_cast<uint32_t>(picture.width()), height = static_cast<uint32_t>(picture.height());
  const auto data = std::make_shared<PngData>(std::move(picture), context);
  ByteLayout layout;
  layout.put(png_head(width, height, PngColor::rgb) + png_number(static_cast<uint32_t>(data->data_size())));
  layout.put(data);
  layout.put(png_chunk("IEND", {}));
  return layout;
}

std::string picture_pixels(const Picture& picture) {
  const PictureMaker maker(picture);
  std::string pixels(maker.size(), '\0');
  maker.put_rows(std::as_writable_bytes(std::span(pixels)));
  const uint64_t line = 3 * picture.width();
  for (uint64_t y = 0; y < picture.height(); ++y)
    std::memmove(pixels.data() + y * line, pixels.data() + y * (line + 1) + 1, line);
  pixels.resize(picture.height() * line);
  return pixels;
}

std::vector<uint64_t> label_numbers(const DType& type, const Elements& labels) {
  std::vector<uint64_t> numbers(labels.count);
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      for (uint64_t i = 0; i < labels.count; ++i)
        numbers[i] = labels.is_missing(i) ? 0 : static_cast<uint64_t>(labels.values<T>()[i]);
    } else {
      throw unsupported("labels of {}", type.name());
    }
  });
  return numbers;
}

Picture with_windows(Picture picture) {
  picture.layers = PictureMaker(picture).layers();
  return picture;
}

Picture picture_lines(const Picture& picture, uint64_t first, uint64_t count) {
  Picture lines = picture;
  Box part = whole(picture.values->shape());
  part.origin[picture.y_axis] = first;
  part.extent[picture.y_axis] = count;
  lines.values = slice(picture.values, std::move(part));
  return lines;
}

std::string png_number(uint32_t value) {
  std::string bytes;
  append_big(bytes, value, sizeof value);
  return bytes;
}

std::string png_chunk(const std::string& name, const std::string& data) {
  const std::string checked = name + data;
  return png_number(static_cast<uint32_t>(data.size())) + checked + png_number(crc32(as_byte_span(checked)));
}

std::string png_head(uint32_t width, uint32_t height, PngColor color) {
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", png_number(width) + png_number(height) + '\x08' +
                                                     static_cast<char>(color) + std::string(3, '\0'));
}

}  // namespace plainfs
