#include "fs/serve/plots/pixels.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "formats/core/base/checked.h"
#include "formats/core/text/base64.h"
#include "fs/report/words.h"
#include "fs/views/images/picture.h"

namespace plainfs::serve {
namespace {

constexpr int kCompression = 6;
constexpr double kBoxWidth = 416, kBoxHeight = 400;  // of an array's picture on a page

// Returns lines of bytes as a compressed PNG. line: the bytes of a line.
std::string packed_png(std::string head, size_t line, const std::string& pixels) {
  std::string rows;
  rows.reserve(pixels.size() + pixels.size() / std::max<size_t>(1, line));
  for (size_t at = 0; at < pixels.size(); at += line) rows.append(1, '\0').append(pixels, at, line);
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(kCompression), libdeflate_free_compressor);
  if (!compressor) throw out_of_memory();
  std::string packed(libdeflate_zlib_compress_bound(compressor.get(), rows.size()), '\0');
  packed.resize(
      libdeflate_zlib_compress(compressor.get(), rows.data(), rows.size(), packed.data(), packed.size()));
  return std::move(head) + png_chunk("IDAT", packed) + png_chunk("IEND", {});
}

}  // namespace

std::string grey_png(uint32_t width, uint32_t height, const std::string& pixels) {
  return packed_png(png_head(width, height, PngColor::grey), width, pixels);
}

std::string rgb_png(uint32_t width, uint32_t height, const std::string& pixels) {
  return packed_png(png_head(width, height, PngColor::rgb), size_t{3} * width, pixels);
}

std::string palette_png(uint32_t width, uint32_t height, const std::string& pixels,
                        const std::string& palette) {
  return packed_png(png_head(width, height, PngColor::palette) + png_chunk("PLTE", palette) +
                        png_chunk("tRNS", std::string(1, '\0')),
                    width, pixels);
}

std::string reduced_rgb(const std::string& pixels, uint64_t width, uint64_t height, uint64_t step) {
  if (step == 1) return pixels;
  const uint64_t columns = divide_up(width, step);
  std::string reduced;
  for (uint64_t y = 0; y < height; y += step) {
    std::vector<uint64_t> sums(columns * 3), counts(columns);
    for (uint64_t row = y; row < std::min(y + step, height); ++row)
      for (uint64_t x = 0; x < width; ++x) {
        ++counts[x / step];
        for (uint64_t part = 0; part < 3; ++part)
          sums[x / step * 3 + part] += static_cast<uint8_t>(pixels[(row * width + x) * 3 + part]);
      }
    for (size_t i = 0; i < sums.size(); ++i)
      reduced += static_cast<char>((sums[i] + counts[i / 3] / 2) / counts[i / 3]);
  }
  return reduced;
}

std::string size_attributes(uint64_t width, uint64_t height, double box_width, double box_height) {
  const double w = static_cast<double>(width), h = static_cast<double>(height);
  const double scale = std::min(box_width / w, box_height / h);
  return fmt::format(" width=\"{}\" height=\"{}\"", std::max(1L, std::lround(w * scale)),
                     std::max(1L, std::lround(h * scale)));
}

std::string grey_picture(uint32_t width, uint32_t height, const std::vector<double>& values,
                         const Interval& range, const std::string& text) {
  std::string pixels;
  for (const double value : values) {
    const double part = range.high > range.low ? range.part(value) : 0;
    pixels += static_cast<char>(part > 0 ? std::lround(255 * part) : 0);
  }
  return fmt::format("<img class=\"px\"{} alt=\"{}\" src=\"data:image/png;base64,{}\">",
                     size_attributes(width, height, kBoxWidth, kBoxHeight), shown_text(text),
                     encode_base64(as_byte_span(grey_png(width, height, pixels))));
}

std::string grey_key(const std::string& low, const std::string& high) {
  std::string pixels;
  for (int i = 0; i < 256; ++i) pixels += static_cast<char>(i);
  return fmt::format("<p class=\"scale\">{}<img alt=\"\" src=\"data:image/png;base64,{}\">{}</p>",
                     escaped(low), encode_base64(as_byte_span(grey_png(256, 1, pixels))), escaped(high));
}

}  // namespace plainfs::serve
