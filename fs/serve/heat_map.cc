#include "fs/serve/figures.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "formats/core/text/printable.h"
#include "fs/native/picture.h"
#include "fs/serve/first_rows.h"
#include "fs/serve/page_text.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMostSide = 256;
constexpr uint64_t kMostElements = uint64_t{1} << 23;  // that are read for a picture
constexpr double kCut = 0.01;
constexpr uint64_t kMostBars = 30;
constexpr int kCompression = 6;

std::string base64(const std::string& bytes) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i)
      group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (size_t i = 0; i < 4; ++i) text += at + i > bytes.size() ? '=' : kLetters[group >> (18 - 6 * i) & 63];
  }
  return text;
}

uint64_t step_for(uint64_t length) {
  return std::max<uint64_t>(1, (length + kMostSide - 1) / kMostSide);
}

}  // namespace

std::string grey_png(uint32_t width, uint32_t height, const std::string& pixels) {
  std::string rows;
  for (uint32_t y = 0; y < height; ++y)
    rows.append(1, '\0').append(pixels, static_cast<size_t>(y) * width, width);
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(kCompression), libdeflate_free_compressor);
  if (!compressor) throw out_of_memory();
  std::string packed(libdeflate_zlib_compress_bound(compressor.get(), rows.size()), '\0');
  packed.resize(
      libdeflate_zlib_compress(compressor.get(), rows.data(), rows.size(), packed.data(), packed.size()));
  return png_head(width, height, PngColor::grey) + png_chunk("IDAT", packed) + png_chunk("IEND", {});
}

std::optional<Figure> heat_map(const LabelledArray& array) {
  const Array& values = *array.values;
  if (values.shape().size() != 2 || !values.dtype().is_numeric() || values.is_null()) return std::nullopt;
  const bool is_turned = values.column_major();
  const uint64_t all_rows = values.shape()[is_turned ? 1 : 0], columns = values.shape()[is_turned ? 0 : 1];
  if (all_rows < 2 || columns < 2) return std::nullopt;
  const uint64_t rows = std::clamp<uint64_t>(kMostElements / columns, 1, all_rows);
  const uint64_t row_step = step_for(rows), column_step = step_for(columns);
  const std::vector<double> sampled = sampled_rows(values, rows, row_step, 0, columns);
  std::vector<double> shown;
  for (size_t row = 0; row + columns <= sampled.size(); row += columns)
    for (uint64_t c = 0; c < columns; c += column_step) shown.push_back(sampled[row + c]);
  const auto width = static_cast<uint32_t>((columns + column_step - 1) / column_step);
  const auto height = static_cast<uint32_t>(shown.size() / width);
  const ValueRange range = range_of(shown, kCut);
  std::string pixels;
  for (const double value : shown) {
    const double part = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0;
    pixels += static_cast<char>(part > 0 ? std::lround(255 * std::min(part, 1.0)) : 0);  // NaN is black
  }
  const std::string what = fmt::format(
      "{} × {}, {}{}. Dark is {:.4g}, light {:.4g}: 1st to 99th percentile.", count_words(all_rows),
      count_words(columns), rows < all_rows ? fmt::format("of the first {} rows ", count_words(rows)) : "",
      row_step == 1 && column_step == 1
          ? std::string("every value")
          : fmt::format("one of {} values", count_words(row_step * column_step)),
      range.low, range.high);
  return Figure{"Heat map",
                fmt::format("<img class=\"px\" width=\"{}\" height=\"{}\" alt=\"Heat map of the array\" "
                            "src=\"data:image/png;base64,{}\">",
                            width, height, base64(grey_png(width, height, pixels))),
                what};
}

std::optional<Figure> chromosome_bars(const Fragments& fragments) {
  if (fragments.error || fragments.evaluate) return std::nullopt;
  const uint64_t all = fragments.chr_names->count(), shown = std::min(all, kMostBars);
  if (shown == 0) return std::nullopt;
  const std::vector<double> ends = sampled_rows(*fragments.chr_pointer, 2 * shown, 1, 0, 1);
  double most = 1;
  for (uint64_t c = 0; c < shown; ++c) most = std::max(most, ends[2 * c + 1] - ends[2 * c]);
  std::string html = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 640 {}\" role=\"img\" aria-labelledby=\"ft fd\"><title id=\"ft\">"
      "Fragments on each chromosome</title><desc id=\"fd\">",
      24 * shown + 16);
  std::string bars;
  for (uint64_t c = 0; c < shown; ++c) {
    const std::string name = escaped(printable(shortened(element_words(*fragments.chr_names, c), 24)));
    const double count = std::max(0.0, ends[2 * c + 1] - ends[2 * c]);
    html += fmt::format("{}{} {}", c == 0 ? "" : ", ", name, count_words(static_cast<uint64_t>(count)));
    const uint64_t y = 10 + 24 * c;
    bars += fmt::format(
        "<text x=\"112\" y=\"{}\" text-anchor=\"end\">{}</text>"
        "<rect class=\"bar\" x=\"120\" y=\"{}\" width=\"{:.0f}\" height=\"16\" rx=\"3\"/>"
        "<text x=\"{:.0f}\" y=\"{}\">{}</text>",
        y + 13, name, y, 1 + 400 * count / most, 128 + 400 * count / most, y + 13,
        count_words(static_cast<uint64_t>(count)));
  }
  return Figure{"Where they are", html + "</desc>" + bars + "</svg>",
                shown < all ? fmt::format("Fragments on the first {} of {} chromosomes", shown, all)
                            : "Fragments on each chromosome"};
}

}  // namespace plainfs::serve
