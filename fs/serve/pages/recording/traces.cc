#include "fs/serve/pages/recording/traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/trimmed.h"
#include "fs/report/words.h"
#include "fs/serve/http/field_text.h"
#include "fs/serve/pages/model/statistics.h"
#include "fs/serve/plots/plot.h"
#include "fs/serve/site/file_answer.h"
#include "fs/text/text_file.h"
#include "fs/views/file_forms.h"
#include "fs/views/parquet/parquet_files.h"
#include "fs/views/table/table_files.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kTraceSteps = 1'200;
constexpr size_t kFirstChannels = 8, kMaxTraces = 32;
constexpr double kFirstSeconds = 10;  // shown of a long recording by default
constexpr double kLaneOfTrace = 0.92;
constexpr int kLanePixels = 44, kMinPlotHeight = 300, kPlotWidth = 1000;

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

// The samples that a query chooses.
struct TraceChoice {
  Interval all, stretch;
  uint64_t first = 0, count = 0;  // rows
  std::vector<size_t> channels;   // from 0
};

// Returns "0-3, 7".
std::string channel_ranges(const std::vector<size_t>& channels) {
  std::string text;
  for (size_t i = 0; i < channels.size();) {
    size_t end = i + 1;
    while (end < channels.size() && channels[end] == channels[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", channels[i]);
    if (end - i > 1) text += fmt::format("-{}", channels[end - 1]);
    i = end;
  }
  return text;
}

// Returns the channels of "0-3, 7"; nullopt, with a problem, if the series does not have them.
std::optional<std::vector<size_t>> channels_in(const Query& query, const std::string& text, size_t all,
                                               std::vector<Problem>& problems) {
  std::vector<size_t> channels;
  for (const std::string_view item : list_items(text)) {
    const size_t dash = item.find('-');
    const auto low = parsed_number<uint64_t>(trimmed(item.substr(0, dash)));
    const auto high = dash == item.npos ? low : parsed_number<uint64_t>(trimmed(item.substr(dash + 1)));
    if (!low || !high || *low > *high || *high >= all) {
      problems.push_back(
          {fmt::format("channels: '{}' is not from 0 to {}.", shortened(std::string(item), 60), all - 1),
           {{"the first", query.with("channels", {}).href()}}});
      return std::nullopt;
    }
    for (uint64_t channel = *low; channel <= *high && channels.size() <= kMaxTraces; ++channel)
      channels.push_back(channel);
  }
  std::sort(channels.begin(), channels.end());
  channels.erase(std::unique(channels.begin(), channels.end()), channels.end());
  if (channels.size() <= kMaxTraces && !channels.empty()) return channels;
  problems.push_back(
      {fmt::format("channels: {}.", channels.empty() ? "none" : fmt::format("more than {}", kMaxTraces)),
       {{"the first", query.with("channels", {}).href()}}});
  return std::nullopt;
}

// Returns nullopt for a series without samples, or with times that do not ascend from first to last.
std::optional<TraceChoice> choose_traces(const Query& query, const Table& series,
                                         std::vector<Problem>& problems) {
  if (series.rows == 0 || series.columns.size() < 2) return std::nullopt;
  const Array& times = *series.columns[0].values;
  TraceChoice choice;
  choice.all = {numbers_of(times, 0, 1)[0], numbers_of(times, series.rows - 1, 1)[0]};
  if (!std::isfinite(choice.all.low) || !std::isfinite(choice.all.high) || choice.all.high < choice.all.low)
    return std::nullopt;
  choice.stretch = stretch_of(query, choice.all, problems);
  choice.first = std::min(row_at(times, choice.stretch.low), series.rows - 1);
  const uint64_t end = row_at(times, std::nextafter(choice.stretch.high, INFINITY));
  choice.count = std::clamp<uint64_t>(end - std::min(end, choice.first), 1, kMaxSamples);
  const size_t all = series.columns.size() - 1;
  if (const std::optional<std::string> text = query.value("channels"))
    if (std::optional<std::vector<size_t>> chosen = channels_in(query, *text, all, problems)) {
      choice.channels = *std::move(chosen);
      return choice;
    }
  for (size_t channel = 0; channel < std::min(all, kFirstChannels); ++channel)
    choice.channels.push_back(channel);
  return choice;
}

// Returns a line through values at their times; of more than kTraceSteps the least and the greatest of each
// of as many stretches.
std::vector<Spot> trace_spots(const std::vector<double>& seconds, const std::vector<double>& values) {
  std::vector<Spot> spots;
  const uint64_t count = values.size();
  if (count <= kTraceSteps) {
    for (uint64_t i = 0; i < count; ++i) spots.push_back({seconds[i], values[i]});
    return spots;
  }
  for (uint64_t step = 0; step < kTraceSteps; ++step) {
    std::optional<uint64_t> least, greatest;
    for (uint64_t i = step * count / kTraceSteps; i < (step + 1) * count / kTraceSteps; ++i) {
      if (!std::isfinite(values[i])) continue;
      if (!least || values[i] < values[*least]) least = i;
      if (!greatest || values[i] > values[*greatest]) greatest = i;
    }
    if (!least) {
      spots.push_back({seconds[step * count / kTraceSteps], NAN});
      continue;
    }
    for (const uint64_t i : {std::min(*least, *greatest), std::max(*least, *greatest)})
      spots.push_back({seconds[i], values[i]});
  }
  return spots;
}

struct Trace {
  size_t channel;
  std::vector<Spot> spots;
  Statistics numbers;
};

// Moves each trace into a lane of its own, the first on top. The lanes have the same height.
double put_in_lanes(std::vector<Trace>& traces) {
  double height = 0;
  for (const Trace& trace : traces) height = std::max(height, trace.numbers.greatest - trace.numbers.least);
  for (size_t i = 0; i < traces.size(); ++i) {
    const double middle = traces[i].numbers.least / 2 + traces[i].numbers.greatest / 2;
    const double lane = static_cast<double>(traces.size() - 1 - i) + 0.5;
    for (Spot& spot : traces[i].spots)
      spot.y = lane + (height > 0 ? (spot.y - middle) / height * kLaneOfTrace : 0 * spot.y);
  }
  return height;
}

std::string key_of_traces(const std::vector<Trace>& traces, const std::string& unit) {
  std::string html = "<ul class=\"key\">";
  for (const Trace& trace : traces)
    html += fmt::format(
        "<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><path {} stroke-width=\"10\" d=\"M6 "
        "6h0\"/></svg>channel {}: {}</li>",
        Ink::group(trace.channel % kGroupInks).attribute(), trace.channel,
        trace.numbers.values == 0 ? std::string("no value")
                                  : fmt::format("{} to {} {}", number_text(trace.numbers.least),
                                                number_text(trace.numbers.greatest), shown_text(unit)));
  return html + "</ul>";
}

// Adds links to the channels before and after those shown.
void add_channel_links(const Query& query, const TraceChoice& choice, size_t all, PageModel& page) {
  const size_t shown = choice.channels.size();
  if (shown >= all) return;
  Picks picks{fmt::format("{} of {} channels", shown, count_text(all)), {}};
  const auto add = [&](const char* text, size_t first) {
    std::vector<size_t> channels;
    for (size_t i = first; i < std::min(first + shown, all); ++i) channels.push_back(i);
    picks.links.push_back({text, query.with("channels", channel_ranges(channels)).href()});
  };
  const size_t first = choice.channels.front();
  if (first > 0) add("← before", first - std::min(first, shown));
  if (choice.channels.back() + 1 < all) add("next →", choice.channels.back() + 1);
  page.add(std::vector{std::move(picks)});
}

// Returns the chosen samples as a table: the time, and a column for each channel, in the unit.
Table chosen_samples(const Table& series, const TraceChoice& choice) {
  Table table;
  table.rows = choice.count;
  const auto add = [&](const Column& column) {
    table.columns.push_back({column.name, slice(column.values, range(choice.first, choice.count))});
  };
  add(series.columns[0]);
  for (const size_t channel : choice.channels) add(series.columns[channel + 1]);
  return table;
}

}  // namespace

std::vector<double> numbers_of(const Array& array, uint64_t first, uint64_t count) {
  std::vector<double> numbers;
  append_doubles(array.dtype(), array.read(range(first, count)), numbers);
  return numbers;
}

Interval stretch_of(const Query& query, const Interval& all, std::vector<Problem>& problems) {
  for (const char* const name : {"start", "seconds"})
    if (query.value(name) && !query.decimal(name))
      problems.push_back(
          {fmt::format("{}: '{}' is not a number of seconds.", name, shortened(*query.value(name), 60)),
           {{"the beginning", query.with(name, {}).href()}}});
  const double wanted = query.decimal("start").value_or(all.low);
  if (wanted < all.low || wanted > all.high)
    problems.push_back({fmt::format("start: {} is beyond the recording, which ranges from {} to {} seconds.",
                                    number_text(wanted), number_text(all.low), number_text(all.high)),
                        {{"the beginning", query.with("start", {}).href()}}});
  const double start = wanted < all.low || wanted > all.high ? all.low : wanted;
  const double seconds = std::max(0.0, query.decimal("seconds").value_or(kFirstSeconds));
  return {start, std::min(all.high, start + seconds)};
}

void add_stretch_form(const Query& query, const Interval& stretch, std::vector<FormField> fields,
                      PageModel& page) {
  std::vector<std::string> names{"start", "seconds"};
  for (const FormField& field : fields) names.push_back(field.name);
  Form form{std::move(fields)};
  for (const bool is_start : {true, false}) {
    form.fields.push_back({is_start ? "From second" : "Seconds", is_start ? "start" : "seconds",
                           fmt::format("{:.6g}", is_start ? stretch.low : stretch.high - stretch.low)});
    form.fields.back().is_number = true;
  }
  form.hidden = query.rest(names);
  page.add(std::move(form));
}

void add_traces(const Query& query, const Node& node, const Table& series, PageModel& page) {
  const std::optional<TraceChoice> choice = choose_traces(query, series, page.problems);
  if (!choice) return;
  const std::vector<double> seconds = numbers_of(*series.columns[0].values, choice->first, choice->count);
  const std::string unit = unit_of(node);
  const size_t all = series.columns.size() - 1, shown = choice->channels.size();
  Counting counting;
  std::vector<Trace> traces;
  for (const size_t channel : choice->channels) {
    const std::vector<double> values =
        numbers_of(*series.columns[channel + 1].values, choice->first, choice->count);
    counting.add(values);
    Counting own;
    own.add(values);
    traces.push_back({channel, trace_spots(seconds, values), own.finish()});
  }
  const Statistics numbers = counting.finish();
  Plot plot{"trace",
            {},
            {},
            {"seconds", {seconds.front(), seconds.back()}},
            {unit, {numbers.least, numbers.greatest}}};
  plot.width = kPlotWidth;
  plot.height = std::max(kMinPlotHeight, kLanePixels * static_cast<int>(shown) + 60);
  plot.title = fmt::format(
      "{} of {} samples of {}", count_text(choice->count), count_text(series.rows),
      all == 1       ? std::string("1 channel")
      : shown == all ? fmt::format("{} channels", all)
                     : fmt::format("channels {} of {}", channel_ranges(choice->channels), count_text(all)));
  plot.description =
      fmt::format("From {} to {} seconds, in a recording from {} to {}. {}", number_text(seconds.front()),
                  number_text(seconds.back()), number_text(choice->all.low), number_text(choice->all.high),
                  range_sentence(numbers));
  std::string caption = plot.title + ". " + plot.description;
  if (shown > 1) {
    const double height = put_in_lanes(traces);
    plot.y = {unit, {0, static_cast<double>(shown)}, false};
    caption += fmt::format(" Each channel has a lane of {} {}, the first on top.",
                           number_text(height / kLaneOfTrace), unit);
  }
  for (size_t i = 0; i < traces.size(); ++i)
    plot.marks.emplace_back(Line{std::move(traces[i].spots), Ink::group(traces[i].channel % kGroupInks)});
  std::vector<FormField> fields;
  if (all > 1)
    fields.push_back(
        {fmt::format("Channels, 0 to {}", all - 1), "channels", channel_ranges(choice->channels)});
  add_stretch_form(query, choice->stretch, std::move(fields), page);
  add_channel_links(query, *choice, all, page);
  page.add(
      Figure{"Trace", svg_of(plot) + (shown > 1 ? key_of_traces(traces, unit) : ""), std::move(caption)});
  const Query chosen = query.only({"start", "seconds", "channels"});
  page.add(Forms{"Download what is shown",
                 {{"csv, in " + unit, chosen.with("file", "csv").href()},
                  {"parquet, in " + unit, chosen.with("file", "parquet").href()}},
                 "shown"});
}

bool answer_traces(const Exchange& exchange, const Site::Place& place) {
  const Query query(exchange.target.query);
  if (!place.filesystem || !query.value("file")) return false;
  const OpenMeaning meaning = place.filesystem->meaning(place.inode);
  const TimedGroup* const timed = timed_group(meaning.what.node);
  if (!timed) return false;
  const std::string form = *query.value("file");
  if (form != "csv" && form != "parquet")
    throw InvalidQuery{fmt::format("file={}: expected csv or parquet", shortened(form, 60))};
  std::vector<Problem> problems;
  const std::optional<TraceChoice> choice = choose_traces(query, timed->series(), problems);
  if (!problems.empty()) throw InvalidQuery{problems[0].text};
  if (!choice)
    throw not_found("{}: no samples over time", exchange.names.empty() ? "" : exchange.names.back());
  Context& context = *meaning.what.context;
  const Table samples = chosen_samples(timed->series(), *choice);
  const bool is_csv = form == "csv";
  const std::unique_ptr<ViewFile> file =
      is_csv ? std::unique_ptr<ViewFile>(std::make_unique<TextFile>(csv_of_table(samples, context), context))
             : layout_file(table_parquet(samples, context), context);
  const std::string name = (exchange.names.empty() ? "series" : exchange.names.back()) + "." + form;
  exchange.reply.add("Content-Type", (is_csv ? forms::kTableCsv : forms::kTableParquet).media);
  exchange.reply.add("Content-Disposition", "attachment; filename*=UTF-8''" + percent_encoded(name));
  exchange.reply.add("Content-Security-Policy", "sandbox; default-src 'none'");
  exchange.reply.add("Cache-Control", "no-cache");
  send_view(exchange, *file);
  return true;
}

}  // namespace plainfs::serve
