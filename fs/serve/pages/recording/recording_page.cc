#include "fs/serve/pages/recording/recording_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/number_cast.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/samples.h"
#include "fs/serve/pages/model/statistics.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxSamples = uint64_t{1} << 20;
constexpr uint64_t kMaxSpikes = uint64_t{1} << 22;
constexpr uint64_t kTraceSteps = 1'200;
constexpr size_t kMaxChannels = 8;
constexpr uint64_t kMaxUnits = 60;
constexpr double kFirstSeconds = 10;  // shown of a long recording by default

std::vector<double> numbers_of(const Array& array, uint64_t first, uint64_t count) {
  std::vector<double> numbers;
  append_doubles(array.dtype(), array.read(range(first, count)), numbers);
  return numbers;
}

// Returns the stretch of seconds in the address, cut to the recording.
Interval stretch_of(const Query& query, const Interval& all, PageModel& page) {
  for (const char* const name : {"start", "seconds"})
    if (query.value(name) && !query.decimal(name))
      page.problems.push_back(
          {fmt::format("'{}' is not a number of seconds.", shortened(*query.value(name), 60)),
           {{"the beginning", query.with(name, {}).href()}}});
  const double wanted = query.decimal("start").value_or(all.low);
  if (wanted < all.low || wanted > all.high)
    page.problems.push_back({fmt::format("{} is beyond the recording, which ranges from {} to {} seconds.",
                                         number_text(wanted), number_text(all.low), number_text(all.high)),
                             {{"the beginning", query.with("start", {}).href()}}});
  const double start = wanted < all.low || wanted > all.high ? all.low : wanted;
  const double seconds = std::max(0.0, query.decimal("seconds").value_or(kFirstSeconds));
  return {start, std::min(all.high, start + seconds)};
}

void add_stretch_form(const Query& query, const Interval& stretch, PageModel& page) {
  Form form;
  form.fields.push_back({"From second", "start", fmt::format("{:.6g}", stretch.low)});
  form.fields.push_back({"Seconds", "seconds", fmt::format("{:.6g}", stretch.high - stretch.low)});
  for (FormField& field : form.fields) field.is_number = true;
  form.hidden = query.rest({"start", "seconds"});
  page.add(std::move(form));
}

// Returns the first row with a time of at least `second`. Requires: times are ascending.
uint64_t row_at(const Array& times, double second) {
  uint64_t low = 0, high = times.count();
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (numbers_of(times, middle, 1)[0] < second)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Returns the attribute `unit` of the data.
std::string unit_of(const Node& series) {
  const std::optional<Node> data = series.parts ? series.parts->find("data") : std::nullopt;
  if (!data) return "value";
  const Attributes attributes = attributes_of(*data);
  const Json* const unit = attributes.find("unit");
  return unit && unit->text() ? *unit->text() : "value";
}

void add_trace(const Query& query, const Node& node, const Table& series, PageModel& page) {
  if (series.rows == 0 || series.columns.size() < 2) return;
  const Array& times = *series.columns[0].values;
  const Interval all{numbers_of(times, 0, 1)[0], numbers_of(times, series.rows - 1, 1)[0]};
  if (!std::isfinite(all.low) || !std::isfinite(all.high) || all.high < all.low) return;
  const Interval stretch = stretch_of(query, all, page);
  const uint64_t first = std::min(row_at(times, stretch.low), series.rows - 1);
  const uint64_t count =
      std::clamp<uint64_t>(row_at(times, std::nextafter(stretch.high, INFINITY)) - first, 1, kMaxSamples);
  const std::vector<double> seconds = numbers_of(times, first, count);
  const size_t channels = std::min(series.columns.size() - 1, kMaxChannels);
  Plot plot{"trace", {}, {}, {"seconds", {seconds.front(), seconds.back()}}, {unit_of(node), {}}};
  plot.width = 1000;
  plot.height = 300;
  const double step = count > 1 ? (seconds.back() - seconds.front()) / static_cast<double>(count - 1) : 0;
  Counting counting;
  for (size_t channel = 0; channel < channels; ++channel) {
    const std::vector<double> values = numbers_of(*series.columns[channel + 1].values, first, count);
    counting.add(values);
    plot.marks.emplace_back(Line{envelope(values, seconds.front(), step, kTraceSteps), Ink::group(channel)});
  }
  plot.title = fmt::format("{} of {} samples of {} channel{}", count_text(count), count_text(series.rows),
                           channels == series.columns.size() - 1 ? std::to_string(channels)
                                                                 : fmt::format("the first {}", channels),
                           channels == 1 ? "" : "s");
  const Statistics statistics = counting.finish();
  plot.y.range = {statistics.least, statistics.greatest};
  plot.description = fmt::format("From {} to {} seconds, of {} to {}. {}", number_text(seconds.front()),
                                 number_text(seconds.back()), number_text(all.low), number_text(all.high),
                                 range_sentence(statistics));
  add_stretch_form(query, stretch, page);
  page.add(Figure{"Trace", svg_of(plot), plot.title + ". " + plot.description});
}

void add_raster(const Query& query, const NestedArray& spikes, PageModel& page) {
  const RowElements& elements = spikes.elements();
  if (elements.ends.size() != 1 || !elements.values->dtype().is_numeric() ||
      elements.values->shape().size() != 1)
    return;
  const uint64_t all_units = elements.ends[0]->count();
  std::vector<double> ends = numbers_of(*elements.ends[0], 0, std::min<uint64_t>(all_units, kMaxUnits));
  const uint64_t count = elements.values->count();
  // Units are shown with all of their spikes.
  while (ends.size() > 1 && ends.back() > static_cast<double>(kMaxSpikes)) ends.pop_back();
  if (ends.empty() || !(ends.back() >= 1)) return;
  const auto all_count =
      static_cast<uint64_t>(std::min(ends.back(), static_cast<double>(std::min(count, kMaxSpikes))));
  const uint64_t units = ends.size();
  const std::vector<double> seconds = numbers_of(*elements.values, 0, all_count);
  const std::optional<Interval> all = range_of(seconds, 0);
  if (!all) return;
  const Interval stretch = stretch_of(query, *all, page);
  Ticks ticks{{}, Ink::group(0)};
  uint64_t at = 0;
  for (uint64_t unit = 0; unit < units; ++unit)
    for (; at < all_count && static_cast<double>(at) < ends[unit]; ++at)
      if (seconds[at] >= stretch.low && seconds[at] <= stretch.high)
        ticks.spots.push_back({seconds[at], static_cast<double>(units - 1 - unit)});
  Plot plot{"raster",
            fmt::format(
                "Spikes of {}{} unit{}", units < all_units ? "the first " : "",
                units < all_units ? fmt::format("{} of {}", units, count_text(all_units)) : count_text(units),
                all_units == 1 ? "" : "s"),
            {},
            {"seconds", stretch},
            {"units", {0, static_cast<double>(units)}, false}};
  plot.width = 1000;
  plot.height = 360;
  plot.description = fmt::format("{} spike{} from {} to {} seconds, of {} to {}, the first unit on top{}.",
                                 count_text(ticks.spots.size()), ticks.spots.size() == 1 ? "" : "s",
                                 number_text(stretch.low), number_text(stretch.high), number_text(all->low),
                                 number_text(all->high),
                                 ends.back() > static_cast<double>(all_count)
                                     ? fmt::format("; of the first {} spikes", count_text(all_count))
                                     : std::string());
  plot.marks.emplace_back(std::move(ticks));
  if (!page.find<Form>()) add_stretch_form(query, stretch, page);
  page.add(Figure{"Spikes", svg_of(plot), plot.title + ". " + plot.description});
}

// Returns the column of spike times; null if the node has none.
const NestedArray* spikes_of(const Node& node) {
  const auto* table = std::get_if<Table>(&node.content);
  if (!table) return nullptr;
  for (const Column& column : table->columns)
    if (column.name == "spike_times") return dynamic_cast<const NestedArray*>(column.values.get());
  return nullptr;
}

}  // namespace

uint64_t recorded_values(const Node& node) {
  if (const TimedGroup* const timed = timed_group(node)) return std::min(timed->series().rows, kMaxSamples);
  const NestedArray* const spikes = spikes_of(node);
  return spikes ? std::min(spikes->elements().values->count(), kMaxSpikes) : 0;
}

void add_recording(const Query& query, const Node& node, PageModel& page) {
  if (const TimedGroup* const timed = timed_group(node)) return add_trace(query, node, timed->series(), page);
  if (const NestedArray* const spikes = spikes_of(node)) add_raster(query, *spikes, page);
}

}  // namespace plainfs::serve
