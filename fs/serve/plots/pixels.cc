#include "fs/serve/plots/pixels.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "formats/core/text/base64.h"
#include "formats/core/text/printable.h"
#include "fs/report/words.h"
#include "fs/views/images/picture.h"

namespace plainfs::serve {
namespace {

constexpr int kCompression = 6;

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

std::string grey_picture(uint32_t width, uint32_t height, const std::vector<double>& values,
                         const Interval& range, const std::string& text) {
  std::string pixels;
  for (const double value : values) {
    const double part = range.high > range.low ? range.part(value) : 0;
    pixels += static_cast<char>(part > 0 ? std::lround(255 * part) : 0);
  }
  return fmt::format(
      "<img class=\"px\" width=\"{}\" height=\"{}\" alt=\"{}\" src=\"data:image/png;base64,{}\">", width,
      height, escaped(printable(text)), encode_base64(as_byte_span(grey_png(width, height, pixels))));
}

std::string grey_key(const std::string& low, const std::string& high) {
  std::string pixels;
  for (int i = 0; i < 256; ++i) pixels += static_cast<char>(i);
  return fmt::format("<p class=\"scale\">{}<img alt=\"\" src=\"data:image/png;base64,{}\">{}</p>",
                     escaped(low), encode_base64(as_byte_span(grey_png(256, 1, pixels))), escaped(high));
}

}  // namespace plainfs::serve
