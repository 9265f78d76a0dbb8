// The ink of a plot's marks: a class of the style sheet (page.css), which has a light and a dark form, or a
// colour from the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plainfs::serve {

inline constexpr size_t kGroupInks = 40;  // for groups; page.css has a class for each
inline constexpr size_t kScaleInks = 8;   // for a scale of numbers

class Ink {
 public:
  // Returns the ink of one of several groups. Requires: number < kGroupInks.
  static Ink group(size_t number);
  // Returns the ink of a step of a scale, the lowest 0. Requires: number < kScaleInks.
  static Ink step(size_t number);
  // Returns the ink of marks without a value.
  static Ink none();
  // Returns the ink of "#rrggbb" or "#rrggbbaa", as matplotlib and R write colours, without its opacity;
  // nullopt for any other text.
  static std::optional<Ink> own(std::string_view text);

  // Returns the attribute of an SVG element: class="k0", stroke="#1f77b4".
  const std::string& attribute() const { return attribute_; }
  // Returns whether the contrast with a plot's background is below 3 : 1 in the light or the dark form of the
  // page, so that the marks need a rim (WCAG 2, 1.4.11).
  bool needs_rim() const { return needs_rim_; }

 private:
  explicit Ink(std::string attribute, bool needs_rim = false)
      : attribute_(std::move(attribute)), needs_rim_(needs_rim) {}

  std::string attribute_;
  bool needs_rim_;
};

// Returns the contrast of two colours 0xRRGGBB, 1 to 21 (WCAG 2, "contrast ratio").
double contrast_of(uint32_t a, uint32_t b);

}  // namespace plainfs::serve
