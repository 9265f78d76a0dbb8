#include "formats/schemas/nwb/time_series.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/elements/number_cast.h"

namespace plainfs::nwb {
namespace {

constexpr uint64_t kMaxChannels = 4096;

// The conversion of a stored number to the unit.
struct Scale {
  double conversion = 1;
  double offset = 0;
  ArrayPtr channels;  // a further factor for each channel, or null
};

// Returns the element at i as a double.
double number_at(const Array& array, uint64_t i) {
  const Box box = array.shape().empty() ? Box{} : range(i, 1);
  std::vector<double> number;
  append_doubles(array.dtype(), array.read(box), number);
  return number.at(0);
}

// Returns the times start + i / rate, in seconds.
ArrayPtr even_times(uint64_t count, const ArrayPtr& start, double rate) {
  const DType seconds = number_type(Kind::real, 8);
  ArrayPtr times = generated(seconds, {count}, [seconds, start, rate](const Box& box) {
    const double first = number_at(*start, 0);
    Elements some = zero_elements(seconds, box.extent[0]);
    const auto values = some.mutable_values<double>();
    for (uint64_t i = 0; i < box.extent[0]; ++i)
      values[i] = static_cast<double>(box.origin[0] + i) / rate + first;
    return some;
  });
  return checked(std::move(times), [start] { start->check(); });
}

// A channel of the data, in their unit.
class Channel : public Slice {
 public:
  Channel(const ArrayPtr& data, uint64_t channel, Scale scale)
      : Slice(data, number_type(Kind::real, 8), part_of(data->shape(), channel), {0}),
        channel_(channel),
        scale_(std::move(scale)) {}
  // Releases nothing: the other channels of the same chunks are read beside this one.
  void release(const Box&) const override {}

 private:
  static Box part_of(const Shape& shape, uint64_t channel) {
    return shape.size() == 1 ? whole(shape) : at_index(shape, 1, channel);
  }
  Elements derived(Elements stored, const Box&) const override {
    const double factor = scale_.conversion * (scale_.channels ? number_at(*scale_.channels, channel_) : 1);
    std::vector<double> numbers;
    append_doubles(values().dtype(), stored, numbers);
    Elements scaled = zero_elements(dtype(), stored.count);
    scaled.missing = std::move(stored.missing);
    const auto out = scaled.mutable_values<double>();
    for (uint64_t i = 0; i < stored.count; ++i) out[i] = numbers[i] * factor + scale_.offset;
    return scaled;
  }

  const uint64_t channel_;
  const Scale scale_;
};

// Returns the numbers as doubles.
ArrayPtr as_doubles(ArrayPtr numbers) {
  if (numbers->dtype().size == 8) return numbers;
  return mapped(numbers, number_type(Kind::real, 8), [type = numbers->dtype()](Elements stored, const Box&) {
    std::vector<double> doubles;
    append_doubles(type, stored, doubles);
    Elements elements = zero_elements(number_type(Kind::real, 8), stored.count);
    elements.missing = std::move(stored.missing);
    std::copy(doubles.begin(), doubles.end(), elements.mutable_values<double>().begin());
    return elements;
  });
}

struct Times {
  ArrayPtr seconds;
  ArrayPtr start;  // set if there is a rate
  double rate = 0;
};

std::optional<Times> times_in(const Group& group, uint64_t rows) {
  if (ArrayPtr timestamps = frames::list_part_of(group, "timestamps")) {
    if (frames::is_broken(*timestamps)) return Times{std::move(timestamps), nullptr, 0};
    if (timestamps->dtype().kind != Kind::real) return std::nullopt;
    return Times{as_doubles(std::move(timestamps)), nullptr, 0};
  }
  // A scalar, or a list of one: HDMF-Zarr for Zarr v2 writes every scalar so.
  ArrayPtr start = frames::part_of(group, "starting_time");
  if (!start || frames::is_broken(*start) || start->shape().size() > 1 || start->count() != 1 ||
      !start->dtype().is_numeric())
    return std::nullopt;
  const double rate = start->attributes().number("rate").value_or(0);
  if (!(rate > 0) || !std::isfinite(rate)) return std::nullopt;
  return Times{even_times(rows, start, rate), start, rate};
}

// Returns the factors of the channels; null if there are no fitting ones.
ArrayPtr channel_factors(const Group& group, const Array& data) {
  ArrayPtr factors = frames::list_part_of(group, "channel_conversion");
  const bool fits = factors && data.shape().size() == 2 && factors->dtype().kind == Kind::real &&
                    factors->count() == data.shape()[1];
  return fits ? factors : nullptr;
}

std::string description_of(const Array& data, const Times& times, const Scale& scale,
                           const std::string& unit) {
  std::string text = fmt::format("{}", fmt::join(data.shape(), " × "));
  text += times.start ? fmt::format(", {} Hz from {} s", times.rate, number_at(*times.start, 0))
                      : std::string(", at timestamps");
  text += scale.conversion == 1 ? ", in " : fmt::format(", × {} ", scale.conversion);
  text += unit;
  if (scale.offset != 0) text += fmt::format(" + {}", scale.offset);
  if (scale.channels) text += ", a factor for each channel";
  return text + ": timeseries.csv has seconds and values in that unit";
}

Table series_of(const ArrayPtr& data, const Times& times, const Scale& scale) {
  Table table;
  table.rows = data->shape()[0];
  table.columns.push_back({"time", times.seconds});
  const bool is_one = data->shape().size() == 1;
  for (uint64_t channel = 0; channel < (is_one ? 1 : data->shape()[1]); ++channel)
    table.columns.push_back({is_one ? "value" : fmt::format("value_{}", channel),
                             std::make_shared<Channel>(data, channel, scale)});
  return table;
}

}  // namespace

GroupPtr time_series_in(const GroupPtr& group) {
  if (dynamic_cast<const TimedGroup*>(group.get())) return nullptr;
  if (!group->attributes().text("neurodata_type")) return nullptr;
  const ArrayPtr data = frames::part_of(*group, "data");
  if (!data || frames::is_broken(*data) || data->is_null() || data->column_major()) return nullptr;
  const size_t rank = data->shape().size();
  if ((rank != 1 && rank != 2) || (rank == 2 && data->shape()[1] > kMaxChannels)) return nullptr;
  if (!data->dtype().is_integer() && data->dtype().kind != Kind::real) return nullptr;
  const Attributes attributes = data->attributes();
  const std::optional<std::string> unit = attributes.text("unit");
  if (!unit) return nullptr;
  const std::optional<Times> times = times_in(*group, data->shape()[0]);
  if (!times) return nullptr;
  const Scale scale{attributes.number("conversion").value_or(1), attributes.number("offset").value_or(0),
                    channel_factors(*group, *data)};
  return std::make_shared<TimedGroup>(
      group, series_of(data, *times, scale),
      [data, times = *times, scale, unit = *unit] { return description_of(*data, times, scale, unit); });
}

}  // namespace plainfs::nwb
