#include "fs/serve/pages/array/heat_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/core/model/elements/number_cast.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/first_rows.h"
#include "fs/serve/pages/model/statistics.h"
#include "fs/serve/plots/pixels.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxMapSide = 256;
constexpr uint64_t kMaxElements = uint64_t{1} << 23;  // elements read for a picture
constexpr uint64_t kBand = uint64_t{1} << 20;         // elements read at once
constexpr double kCut = 0.01;

uint64_t step_for(uint64_t length) {
  return std::max<uint64_t>(1, (length + kMaxMapSide - 1) / kMaxMapSide);
}

}  // namespace

std::optional<Figure> heat_map(const LabelledArray& array, const Plane& plane) {
  const Array& values = *array.values;
  const size_t rank = values.shape().size();
  // The axes of a column-major array are stored in reverse order.
  const bool is_turned = values.column_major();
  const size_t row_axis = is_turned ? 1 : rank - 2, column_axis = is_turned ? 0 : rank - 1;
  Box box{plane.origin, Shape(rank, 1)};
  if (is_turned) std::reverse(box.origin.begin(), box.origin.end());
  const uint64_t all_rows = values.shape()[row_axis] - box.origin[row_axis];
  const uint64_t all_columns = values.shape()[column_axis] - box.origin[column_axis];
  if (all_rows < 2 || all_columns < 2) return std::nullopt;
  const uint64_t columns = std::min(all_columns, kMaxElements / 2);
  const uint64_t rows = std::clamp<uint64_t>(kMaxElements / columns, 1, all_rows);
  const uint64_t row_step = step_for(rows), column_step = step_for(columns);
  std::vector<double> shown, numbers;
  box.extent[column_axis] = columns;
  const uint64_t first_row = box.origin[row_axis], band = std::max<uint64_t>(1, kBand / columns);
  for (uint64_t row = 0; row < rows; row += band) {
    const uint64_t count = std::min(band, rows - row);
    box.origin[row_axis] = first_row + row;
    box.extent[row_axis] = count;
    numbers.clear();
    append_doubles(values.dtype(), values.read(box), numbers);
    for (uint64_t r = (row_step - row % row_step) % row_step; r < count; r += row_step)
      for (uint64_t c = 0; c < columns; c += column_step)
        shown.push_back(numbers[is_turned ? c * count + r : r * columns + c]);
  }
  const auto width = static_cast<uint32_t>((columns + column_step - 1) / column_step);
  const auto height = static_cast<uint32_t>(shown.size() / width);
  const std::optional<Interval> found = range_of(shown, kCut);
  const Interval range = found.value_or(Interval{});
  const std::string left_out = left_out_text(statistics_of(shown));
  const bool is_part = rows < all_rows || columns < all_columns;
  const std::string what = fmt::format(
      "{} × {}, {}{}. {}{}.", count_text(all_rows), count_text(all_columns),
      is_part ? fmt::format("of the first {} × {} ", count_text(rows), count_text(columns)) : "",
      row_step == 1 && column_step == 1 ? std::string("every value")
                                        : fmt::format("one of {} values", count_text(row_step * column_step)),
      found ? fmt::format("Dark is {}, light {}; at most 1 % of the values shown lie beyond either",
                          number_text(range.low), number_text(range.high))
            : std::string("There is no value"),
      left_out.empty() ? left_out : "; " + left_out);
  const std::string key = found ? grey_key(number_text(range.low), number_text(range.high)) : std::string();
  return Figure{"Heat map", grey_picture(width, height, shown, range, "Heat map of the array") + key, what};
}

}  // namespace plainfs::serve
