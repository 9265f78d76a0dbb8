#include "fs/serve/pages/recording/recording_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/model/derived_group.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/statistics.h"
#include "fs/serve/pages/recording/traces.h"
#include "fs/serve/plots/plot.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxSpikes = uint64_t{1} << 22;
constexpr uint64_t kMaxUnits = 60;
constexpr uint64_t kMaxTrials = 100'000;

// Returns the trials of the file that contains a group, as pairs of their first and last second within
// `stretch`; nullopt if it states none.
std::optional<std::vector<Interval>> trials_around(const plainfs::Group& group, const Interval& stretch) {
  GroupPtr root = group.parent();
  while (root && root->parent()) root = root->parent();
  if (!root) return std::nullopt;
  const std::string path[] = {"intervals", "trials"};
  const std::optional<Node> trials = find_path(*root, path);
  if (!trials || !trials->parts) return std::nullopt;
  const ArrayPtr start = find_array(*trials->parts, "start_time"),
                 stop = find_array(*trials->parts, "stop_time");
  if (!start || !stop || start->shape().size() != 1 || start->shape() != stop->shape() ||
      !start->dtype().is_numeric() || !stop->dtype().is_numeric())
    return std::nullopt;
  const uint64_t count = std::min(start->count(), kMaxTrials);
  const std::vector<double> begin = numbers_of(*start, 0, count), end = numbers_of(*stop, 0, count);
  std::vector<Interval> inside;
  for (uint64_t i = 0; i < count; ++i)
    if (std::isfinite(begin[i]) && std::isfinite(end[i]) && begin[i] <= end[i] && end[i] >= stretch.low &&
        begin[i] <= stretch.high)
      inside.push_back({std::max(begin[i], stretch.low), std::min(end[i], stretch.high)});
  return inside;
}

void add_raster(const Query& query, const Node& node, const NestedArray& spikes, PageModel& page) {
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
  const Interval stretch = stretch_of(query, *all, page.problems);
  Ticks ticks{{}, Ink::group(0)};
  uint64_t at = 0;
  for (uint64_t unit = 0; unit < units; ++unit)
    for (; at < all_count && static_cast<double>(at) < ends[unit]; ++at)
      if (seconds[at] >= stretch.low && seconds[at] <= stretch.high)
        ticks.spots.push_back({seconds[at], static_cast<double>(units - 1 - unit)});
  Plot plot{"raster",
            "Spikes of " + (units < all_units ? fmt::format("the first {} of ", units) : std::string()) +
                count_text(all_units, "unit"),
            {},
            {"seconds", stretch},
            {"units", {0, static_cast<double>(units)}, false}};
  plot.width = 1000;
  plot.height = 360;
  plot.description =
      fmt::format("{} from {} to {} seconds, in a recording from {} to {}, the first unit on top{}.",
                  count_text(ticks.spots.size(), "spike"), number_text(stretch.low),
                  number_text(stretch.high), number_text(all->low), number_text(all->high),
                  ends.back() > static_cast<double>(all_count)
                      ? fmt::format("; of the first {} spikes", count_text(all_count))
                      : std::string());
  if (std::optional<std::vector<Interval>> trials =
          node.parts ? trials_around(*node.parts, stretch) : std::nullopt) {
    plot.description += fmt::format(" {} {} shaded.", count_text(trials->size(), "trial"),
                                    trials->size() == 1 ? "is" : "are");
    plot.marks.emplace_back(Bands{*std::move(trials)});
  }
  plot.marks.emplace_back(std::move(ticks));
  if (!page.find<Form>()) add_stretch_form(query, stretch, {}, page);
  page.add(Figure{"Spikes", svg_of(plot), plot.title + ". " + plot.description});
}

// Returns the column of spike times; null if the node has none.
const NestedArray* spikes_of(const Node& node) {
  const auto* table = std::get_if<Table>(&node.content);
  const ArrayPtr times = table ? column_values(table->columns, "spike_times") : nullptr;
  return dynamic_cast<const NestedArray*>(times.get());
}

}  // namespace

uint64_t recorded_values(const Node& node) {
  if (const TimedGroup* const timed = timed_group(node)) return std::min(timed->series().rows, kMaxSamples);
  const NestedArray* const spikes = spikes_of(node);
  return spikes ? std::min(spikes->elements().values->count(), kMaxSpikes) : 0;
}

void add_recording(const Query& query, const Node& node, PageModel& page) {
  if (const TimedGroup* const timed = timed_group(node))
    return add_traces(query, node, timed->series(), page);
  if (const NestedArray* const spikes = spikes_of(node)) add_raster(query, node, *spikes, page);
}

}  // namespace plainfs::serve
