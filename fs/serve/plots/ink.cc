#include "fs/serve/plots/ink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/core/text/parsed_number.h"

namespace plainfs::serve {
namespace {

// --card of page.css.
constexpr uint32_t kLightGround = 0xf6f8fa, kDarkGround = 0x1c2127;
constexpr double kLeastContrast = 3;

double luminance(uint32_t color) {
  const auto part = [color](int shift) {
    const double value = (color >> shift & 0xFF) / 255.0;
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0);
}

}  // namespace

double contrast_of(uint32_t a, uint32_t b) {
  const double one = luminance(a), other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

Ink Ink::group(size_t number) {
  return Ink(fmt::format("class=\"k{}\"", number));
}

Ink Ink::step(size_t number) {
  return Ink(fmt::format("class=\"r{}\"", number));
}

Ink Ink::none() {
  return Ink("class=\"none\"");
}

std::optional<Ink> Ink::own(std::string_view text) {
  if ((text.size() != 7 && text.size() != 9) || text[0] != '#') return std::nullopt;
  const std::optional<uint32_t> number = parsed_number<uint32_t>(text.substr(1), 16);
  if (!number) return std::nullopt;
  const uint32_t color = text.size() == 9 ? *number >> 8 : *number;
  const bool is_faint =
      std::min(contrast_of(color, kLightGround), contrast_of(color, kDarkGround)) < kLeastContrast;
  return Ink(fmt::format("stroke=\"#{:06x}\"", color), is_faint);
}

}  // namespace plainfs::serve
