// The coordinate along an axis of a CF variable, as a page shows it: its texts, its ticks, and the element
// that an address names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/cf/dataset.h"
#include "fs/serve/plots/ticks.h"

namespace plainfs::serve {

enum class AxisKind { latitude, longitude, y, x, vertical, time, other };

// The longest coordinate that a page reads whole. The elements of a longer one are numbered.
inline constexpr uint64_t kMaxCoordinate = uint64_t{1} << 20;

class AxisValues {
 public:
  // Reads the coordinate, if there is one. Throws what reading it throws. The dataset must outlive this.
  AxisValues(const CfDataset& dataset, std::string dimension, uint64_t length);

  const std::string& dimension() const { return dimension_; }
  uint64_t length() const { return length_; }
  AxisKind kind() const { return kind_; }
  bool has_coordinate() const { return elements_.has_value(); }
  bool is_text() const { return has_coordinate() && !is_time() && positions_.empty(); }
  bool is_time() const { return kind_ == AxisKind::time; }
  const std::string& units() const { return units_; }
  const std::string& calendar() const { return calendar_; }  // of times

  // Returns the coordinate's value as tables show it, or the index without one.
  std::string text(uint64_t index) const;
  // Returns the text for people: without a midnight and seconds of zero, and with the unit.
  std::string shown(uint64_t index) const;
  // Returns a text that find() takes for this element alone.
  std::string name_of(uint64_t index) const;

  struct Found {
    std::optional<uint64_t> index;
    bool is_nearest = false;  // no element has just that value
    std::string suggested{};  // without an index: a valid value, if any
  };
  // Finds the element with a value, or the one nearest to it. value: as find_along() takes it.
  Found find(std::string_view value) const;

  // Returns whether the numbers rise or fall strictly, so that places between two elements have a value.
  bool is_monotonic() const { return order_ != 0; }
  bool is_descending() const { return order_ < 0; }
  bool is_positive_down() const { return is_positive_down_; }
  // Returns whether the distances of neighbours are equal up to rounding.
  bool is_even() const { return is_even_; }
  // Returns the numbers of a coordinate; times are counts of their unit. Empty without a coordinate of
  // numbers.
  const std::vector<double>& positions() const { return positions_; }

  // Returns at most about `most` ticks. Their places are indices, also between two elements.
  std::vector<Tick> ticks(size_t most) const;

 private:
  void read(const CfVariable& coordinate);
  void look_at_order();
  double index_at(double value) const;
  std::string tick_text(double value) const;

  const CfDataset& dataset_;
  std::string dimension_, units_, calendar_;
  uint64_t length_;
  AxisKind kind_ = AxisKind::other;
  DType type_{};
  std::optional<Elements> elements_;  // of the decoded coordinate
  std::vector<double> positions_;
  int order_ = 0;  // 1: the positions rise, -1: they fall
  bool is_even_ = false, is_positive_down_ = false;
};

}  // namespace plainfs::serve
