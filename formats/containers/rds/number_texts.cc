#include "formats/containers/rds/number_texts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace plainfs::rds {
namespace {

constexpr int kDigits = 15;  // DBL_DIG

std::string printed(const char* format, int digits, double number) {
  char text[512];
  const int size = std::snprintf(text, sizeof text, format, digits, number);
  return std::string(text, static_cast<size_t>(size));
}

// A number rounded to 15 significant digits.
struct Scientific {
  int exponent = 0;
  int digits = 1;         // without trailing zeros
  bool is_exact = false;  // the digits read back to the number
};

Scientific scientific_of(double size) {
  const std::string text = printed("%.*e", kDigits - 1, size);  // d.dddde±xx
  const size_t e = text.find('e');
  Scientific generated;
  generated.exponent = std::atoi(text.c_str() + e + 1);
  generated.is_exact = std::strtod(text.c_str(), nullptr) == size;
  const size_t last = text.find_last_not_of('0', e - 1);
  if (text[last] != '.') generated.digits = static_cast<int>(last - text.find('.')) + 1;
  return generated;
}

}  // namespace

std::optional<std::string> character_of(double number, int scipen) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Inf" : "-Inf";
  if (number == 0) return "0";
  const Scientific generated = scientific_of(std::fabs(number));
  if (!generated.is_exact) return std::nullopt;
  const int left = std::max(1, generated.exponent + 1);
  const int right = std::max(0, generated.digits - generated.exponent - 1);
  const int fixed_width = left + right + (right != 0);
  const int exponent_digits =
      generated.exponent >= 100 || generated.exponent <= -99 ? 2 : 1;  // beyond the first
  const int width = (generated.digits > 1) + generated.digits + 3 + exponent_digits;
  const bool is_fixed = fixed_width <= width + scipen;
  if (is_fixed && generated.exponent > kDigits) return std::nullopt;  // some versions pad it
  if (is_fixed) return printed("%.*f", right, number);
  return printed("%.*e", generated.digits - 1, number);
}

}  // namespace plainfs::rds
