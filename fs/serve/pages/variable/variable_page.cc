#include "fs/serve/pages/variable/variable_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/percent.h"
#include "fs/report/columns.h"
#include "fs/report/words.h"
#include "fs/serve/pages/variable/choice.h"
#include "fs/serve/pages/variable/sampled_values.h"
#include "fs/serve/plots/field_plot.h"
#include "fs/views/cf/cf_files.h"
#include "fs/views/file_forms.h"
#include "fs/views/names.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxOptions = 60;   // of a list to choose from
constexpr uint64_t kMaxCurve = 1'200;  // spots of a curve, about two per pixel
constexpr uint32_t kMaxLinkColumns = 36, kMaxLinkRows = 22;
constexpr size_t kTicksX = 6, kTicksY = 7, kMaxMaps = 6;
constexpr uint64_t kMaxRowsOfSheet = 1'048'575;  // of a workbook, without the header
constexpr uint64_t kShownRows = 12, kShownColumns = 12;

std::string attribute_text(const Attributes& attributes, std::string_view name) {
  return attributes.readable().text(name);
}

// Returns whether the first element along an axis is at the top of a map.
bool begins_at_top(const AxisValues& axis) {
  if (axis.is_time() || axis.is_text()) return !axis.is_descending();
  return axis.is_positive_down() != axis.is_descending();
}

// A direction of a map: where the drawn elements of an axis lie, as parts of its length.
struct Direction {
  const AxisValues& axis;
  uint64_t step, drawn;
  bool is_turned;  // the last element comes first

  double part(double index) const {
    const double from_first =
        std::clamp((index / static_cast<double>(step) + 0.5) / static_cast<double>(drawn), 0.0, 1.0);
    return is_turned ? 1 - from_first : from_first;
  }
  // Returns the drawn element at a place, counted as drawn.
  uint64_t drawn_at(uint64_t place) const { return is_turned ? drawn - 1 - place : place; }

  TickedAxis ticks(size_t most) const {
    const bool is_in_degrees =
        axis.is_monotonic() && (axis.kind() == AxisKind::latitude || axis.kind() == AxisKind::longitude);
    TickedAxis ticked{is_in_degrees ? "" : axis.dimension(), axis.ticks(most)};
    if (!is_in_degrees && !axis.is_time() && !axis.units().empty()) ticked.name += " (" + axis.units() + ")";
    for (Tick& tick : ticked.ticks) tick.at = part(tick.at);
    return ticked;
  }
};

class VariablePage {
 public:
  VariablePage(const Query& query, const CfDataset& dataset, const CfVariable& variable, PageModel& page)
      : query_(query),
        dataset_(dataset),
        variable_(variable),
        values_(*variable.decoded),
        shape_(values_.shape()),
        units_(attribute_text(variable.attributes, "units")),
        page_(page) {
    for (size_t axis = 0; axis < shape_.size(); ++axis)
      axes_.emplace_back(dataset, variable.dimensions[axis], shape_[axis]);
  }

  void add() {
    add_facts();
    choice_.emplace(query_, axes_, page_.problems);
    read_colours();
    if (!page_.problems.empty()) page_.status = 400;
    if (element_count(shape_) == 0 || shape_.empty()) return;
    choose_axes();
    at_ = Shape(shape_.size(), 0);
    for (size_t axis = 0; axis < shape_.size(); ++axis) at_[axis] = index_along(axis);
    if (element_count(shape_) > 1) add_form();
    if (values_.dtype().is_numeric()) add_pictures();
    add_values();
  }

 private:
  void add_facts() {
    const std::string name = attribute_text(variable_.attributes, "long_name"),
                      standard = attribute_text(variable_.attributes, "standard_name");
    page_.kind = variable_.role == Role::coordinate ? "coordinate" : "variable";
    page_.sub = !name.empty() ? name : standard;
    page_.sub += (page_.sub.empty() ? "" : " · ") + page_.kind + " of a CF dataset";
    if (values_.dtype().name() != variable_.values->dtype().name() && values_.dtype().is_numeric())
      page_.sub += ", packed as " + variable_.values->dtype().name();
    page_.facts.clear();
    for (const AxisValues& axis : axes_) page_.facts.push_back({axis.dimension(), count_text(axis.length())});
    if (!units_.empty()) page_.facts.push_back({"unit", units_});
    page_.facts.push_back({"type", type_text(values_)});
    for (const AxisValues& axis : axes_)
      if (axis.is_time() && axis.length() > 0 && axis.length() <= kMaxCoordinate)
        page_.facts.push_back({"calendar", axis.calendar()});
  }

  void read_colours() {
    for (const char* field : {"low", "high"}) {
      const std::optional<std::string> text = query_.value(field);
      if (!text || query_.decimal(field)) continue;
      page_.problems.push_back({fmt::format("'{}' is no number for {}.", shortened(*text, 60), field)});
    }
    low_ = query_.decimal("low");
    high_ = query_.decimal("high");
    if (!low_ || !high_ || *low_ < *high_) return;
    page_.problems.push_back({fmt::format("The colours cannot go from {} up to {}.", *low_, *high_)});
    low_ = high_ = std::nullopt;
  }

  // Returns the axes with more than one element.
  std::vector<size_t> long_axes() const {
    std::vector<size_t> found;
    for (size_t axis = 0; axis < shape_.size(); ++axis)
      if (shape_[axis] > 1) found.push_back(axis);
    return found;
  }

  std::optional<size_t> last_of_kind(AxisKind kind) const {
    for (size_t axis = shape_.size(); axis-- > 0;)
      if (axes_[axis].kind() == kind && shape_[axis] > 1) return axis;
    return std::nullopt;
  }

  // Chooses the axes of the map and of the line.
  void choose_axes() {
    const std::vector<size_t> candidates = long_axes();
    if (choice_->map()) {
      map_ = choice_->map();
    } else if (candidates.size() >= 2) {
      map_ = {candidates[candidates.size() - 2], candidates.back()};
      for (const auto& [row, column] :
           {std::pair{AxisKind::y, AxisKind::x}, std::pair{AxisKind::latitude, AxisKind::longitude}}) {
        const std::optional<size_t> rows = last_of_kind(row), columns = last_of_kind(column);
        if (rows && columns) map_ = {*rows, *columns};
      }
    }
    along_ = choice_->along();
    if (along_ || candidates.empty()) return;
    along_ = last_of_kind(AxisKind::time);
    if (along_ && (!map_ || !is_of_map(*along_))) return;
    const auto other = std::find_if(candidates.begin(), candidates.end(),
                                    [&](size_t axis) { return !map_ || !is_of_map(axis); });
    along_ = other == candidates.end() ? map_->second : *other;
  }

  bool is_of_map(size_t axis) const { return map_ && (axis == map_->first || axis == map_->second); }

  // Returns the chosen index, or else the first one, and along an axis of the map the middle one.
  uint64_t index_along(size_t axis) const {
    return choice_->place(axis).index.value_or(is_of_map(axis) ? shape_[axis] / 2 : 0);
  }

  bool shows_line() const {
    if (!along_) return false;
    if (!map_ || choice_->along()) return true;
    return choice_->place(map_->first).index || choice_->place(map_->second).index;
  }

  void add_form() {
    Form form;
    for (const size_t axis : long_axes()) {
      if (!map_ && axis == along_) continue;
      const AxisValues& values = axes_[axis];
      FormField field{
          values.dimension() + (values.units().empty() || values.is_time() ? "" : ", " + values.units()),
          "at." + values.dimension(), ""};
      if (choice_->place(axis).index || !is_of_map(axis)) field.value = values.name_of(at_[axis]);
      if (!is_of_map(axis) && values.length() <= kMaxOptions) {
        field.is_choice = true;
        for (uint64_t i = 0; i < values.length(); ++i)
          field.options.push_back({values.name_of(i), values.text(i)});
      }
      form.fields.push_back(std::move(field));
    }
    if (map_ && values_.dtype().is_numeric())
      for (const auto& [name, label] : {std::pair{"low", "Colours from"}, std::pair{"high", "to"}}) {
        form.fields.push_back({label, name, query_.value(name).value_or("")});
        form.fields.back().is_number = true;
      }
    if (form.fields.empty()) return;
    form.hidden = choice_->without_places().rest({"low", "high"});
    page_.add(std::move(form));
    add_picks();
  }

  void add_picks() {
    std::vector<Picks> lists;
    for (const size_t axis : long_axes()) {
      if (is_of_map(axis) || (!map_ && axis == along_)) continue;
      Picks picks{axes_[axis].dimension(), {}};
      if (at_[axis] > 0)
        picks.links.push_back(
            {"← " + axes_[axis].text(at_[axis] - 1), choice_->href_with({{axis, at_[axis] - 1}})});
      if (at_[axis] + 1 < shape_[axis])
        picks.links.push_back(
            {axes_[axis].text(at_[axis] + 1) + " →", choice_->href_with({{axis, at_[axis] + 1}})});
      lists.push_back(std::move(picks));
    }
    const std::vector<size_t> candidates = long_axes();
    if (values_.dtype().is_numeric() && candidates.size() > 1) {
      Picks lines{"Line along", {}, shows_line() ? axes_[*along_].dimension() : ""};
      for (const size_t axis : candidates)
        lines.links.push_back({axes_[axis].dimension(), choice_->href_along(axis)});
      lists.push_back(std::move(lines));
    }
    if (values_.dtype().is_numeric() && candidates.size() > 2) {
      Picks maps{"Map of", {}, map_name(map_->first, map_->second)};
      for (size_t i = candidates.size(); i-- > 0;)
        for (size_t k = i; k-- > 0 && maps.links.size() < kMaxMaps;)
          add_map_link(candidates[k], candidates[i], maps);
      lists.push_back(std::move(maps));
    }
    if (!lists.empty()) page_.add(std::move(lists));
  }

  // Times run to the right, except over longitudes.
  void add_map_link(size_t row_axis, size_t column_axis, Picks& maps) const {
    if (axes_[row_axis].is_time() && axes_[column_axis].kind() != AxisKind::longitude)
      std::swap(row_axis, column_axis);
    maps.links.push_back({map_name(row_axis, column_axis), choice_->href_of_map(row_axis, column_axis)});
  }

  std::string map_name(size_t row_axis, size_t column_axis) const {
    return axes_[row_axis].dimension() + " × " + axes_[column_axis].dimension();
  }

  void add_pictures() {
    SideBySide both;
    if (map_) {
      both.first.push_back({map_figure()});
      add_download("Download this map", {map_->first, map_->second}, both.first);
    }
    if (shows_line()) {
      std::vector<Section>& place = map_ ? both.second : both.first;
      place.push_back({line_figure()});
      if (map_) add_download("Download this line", {*along_}, place);
    }
    if (!both.first.empty()) page_.add(std::move(both));
  }

  Figure map_figure() {
    const auto [row_axis, column_axis] = *map_;
    const SampledPlane plane = sampled_plane(values_, at_, row_axis, column_axis);
    const Direction rows{axes_[row_axis], plane.row_step, plane.rows, !begins_at_top(axes_[row_axis])},
        columns{axes_[column_axis], plane.column_step, plane.columns, axes_[column_axis].is_descending()};
    FieldPlot plot{"map", fmt::format("Map of {}", variable_.name), range_sentence(plane.statistics)};
    plot.columns = static_cast<uint32_t>(plane.columns);
    plot.rows = static_cast<uint32_t>(plane.rows);
    for (uint64_t row = 0; row < plane.rows; ++row)
      for (uint64_t column = 0; column < plane.columns; ++column)
        plot.values.push_back(plane.values[rows.drawn_at(row) * plane.columns + columns.drawn_at(column)]);
    plot.range = {low_.value_or(plane.statistics.least), high_.value_or(plane.statistics.greatest)};
    // One end of the address may lie beyond all values.
    if (plot.range.low > plot.range.high)
      (low_ ? plot.range.high : plot.range.low) = low_.value_or(plot.range.high);
    plot.aspect = aspect();
    plot.x = columns.ticks(kTicksX);
    plot.y = rows.ticks(kTicksY);
    if (choice_->place(row_axis).index || choice_->place(column_axis).index)
      plot.mark = Spot{columns.part(static_cast<double>(at_[column_axis])),
                       rows.part(static_cast<double>(at_[row_axis]))};
    add_links(rows, columns, plot);
    const bool has_values = plane.statistics.values > 0;
    const std::string key = has_values
                                ? field_key(number_text(plot.range.low), number_text(plot.range.high), units_)
                                : std::string();
    return {map_name(row_axis, column_axis), field_html(plot) + key, map_caption(plane)};
  }

  // Adds links that choose a point: to each drawn element, or to the middle ones of larger parts.
  void add_links(const Direction& rows, const Direction& columns, FieldPlot& plot) const {
    plot.link_columns = std::min(plot.columns, kMaxLinkColumns);
    plot.link_rows = std::min(plot.rows, kMaxLinkRows);
    const auto [row_axis, column_axis] = *map_;
    for (uint32_t row = 0; row < plot.link_rows; ++row)
      for (uint32_t column = 0; column < plot.link_columns; ++column) {
        const uint64_t r = (2 * uint64_t{row} + 1) * plot.rows / (2 * uint64_t{plot.link_rows}),
                       c = (2 * uint64_t{column} + 1) * plot.columns / (2 * uint64_t{plot.link_columns});
        plot.links.push_back({column, row,
                              choice_->href_with({{row_axis, rows.drawn_at(r) * rows.step},
                                                  {column_axis, columns.drawn_at(c) * columns.step}})});
      }
  }

  // Returns the width of the map by its height: true to scale if both axes have one unit.
  double aspect() const {
    const AxisValues &rows = axes_[map_->first], &columns = axes_[map_->second];
    const auto length = [](const AxisValues& axis) {
      const double count = static_cast<double>(axis.length());
      return axis.is_monotonic()
                 ? std::abs(axis.positions().back() - axis.positions().front()) * count / (count - 1)
                 : count;
    };
    const bool is_geographic = rows.kind() == AxisKind::latitude && columns.kind() == AxisKind::longitude;
    const bool is_grid = rows.kind() == AxisKind::y && columns.kind() == AxisKind::x;
    const bool is_measured = rows.is_monotonic() && columns.is_monotonic();
    if (is_measured && (is_geographic || (is_grid && rows.units() == columns.units())))
      return length(columns) / length(rows);
    if (is_grid && !rows.has_coordinate() && !columns.has_coordinate()) return length(columns) / length(rows);
    constexpr double kUsual = 1.6;
    return kUsual;
  }

  std::string map_caption(const SampledPlane& plane) const {
    const auto [row_axis, column_axis] = *map_;
    std::string text = place_text({row_axis, column_axis});
    if (!text.empty()) text += ": ";
    text += values_text(plane.statistics);
    if (!plane.is_whole)
      text += fmt::format(
          " These are every {} along {} and every {} along {} only, because more would take "
          "too long.",
          ordinal(plane.row_step), axes_[row_axis].dimension(), ordinal(plane.column_step),
          axes_[column_axis].dimension());
    else if (plane.row_step > 1 || plane.column_step > 1)
      text += fmt::format(" Of {} × {} values every {} along {} and every {} along {} is drawn.",
                          count_text(shape_[row_axis]), count_text(shape_[column_axis]),
                          ordinal(plane.row_step), axes_[row_axis].dimension(), ordinal(plane.column_step),
                          axes_[column_axis].dimension());
    if (plane.statistics.missing + plane.statistics.infinite > 0) text += " Hatched: no value.";
    for (const size_t axis : {row_axis, column_axis})
      if (axes_[axis].is_monotonic() && !axes_[axis].is_even())
        text += fmt::format(" {} has uneven steps, which are drawn alike.", axes_[axis].dimension());
    text += two_dimensional_text() + nearest_text(false);
    return shows_line() ? text
                        : text + " Choose a point on the map, or type it, to see the values along a line.";
  }

  static std::string ordinal(uint64_t number) {
    return number == 1 ? "one" : number == 2 ? "2nd" : number == 3 ? "3rd" : count_text(number) + "th";
  }

  // Returns "744 values from 265.2 to 285.1 K, mean 275.1 K; 3 missing."
  std::string values_text(const Statistics& statistics) const {
    const std::string unit = units_.empty() || units_ == "1" ? "" : " " + units_;
    const std::string left_out = left_out_text(statistics);
    if (statistics.values == 0) return "There is no value" + (left_out.empty() ? "" : "; " + left_out) + ".";
    return fmt::format("{} {} from {} to {}{}, mean {}{}{}.", count_text(statistics.values),
                       statistics.values == 1 ? "value" : "values", number_text(statistics.least),
                       number_text(statistics.greatest), unit, number_text(statistics.mean), unit,
                       left_out.empty() ? "" : "; " + left_out);
  }

  // Returns where the picture is along the axes that it does not show: "time 2020-01-07, level 850 hPa".
  std::string place_text(const std::vector<size_t>& shown) const {
    std::string text;
    for (size_t axis = 0; axis < axes_.size(); ++axis)
      if (std::find(shown.begin(), shown.end(), axis) == shown.end())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axes_[axis].dimension(),
                            axes_[axis].shown(at_[axis]));
    return text;
  }

  // Names the values of the address that no element has. of_map: along the axes of the map.
  std::string nearest_text(bool of_map) const {
    std::string text;
    for (size_t axis = 0; axis < axes_.size(); ++axis)
      if (const std::string& wanted = choice_->place(axis).nearest_to;
          !wanted.empty() && is_of_map(axis) == of_map)
        text += fmt::format(" {} {} is the nearest to {}.", axes_[axis].dimension(),
                            axes_[axis].text(at_[axis]), shortened(wanted, 60));
    return text;
  }

  // Returns a remark on latitudes and longitudes that the variable has for each point of its map.
  std::string two_dimensional_text() const {
    const CfVariable *latitude = nullptr, *longitude = nullptr;
    for (const std::string& name : names_referred_to(variable_)) {
      const CfVariable* const other = dataset_.find(name);
      if (!other || other->rank() != 2 || other->dimensions[0] != axes_[map_->first].dimension() ||
          other->dimensions[1] != axes_[map_->second].dimension() ||
          other->decoded->shape() != Shape{shape_[map_->first], shape_[map_->second]})
        continue;
      const std::string units = attribute_text(other->attributes, "units");
      if (units.starts_with("degree") && units.ends_with("north")) latitude = other;
      if (units.starts_with("degree") && units.ends_with("east")) longitude = other;
    }
    if (!latitude || !longitude) return {};
    const auto value_of = [&](const CfVariable& other) {
      const Elements one = other.decoded->peek({{at_[map_->first], at_[map_->second]}, {1, 1}});
      return plain_text(other.decoded->dtype(), one, 0);
    };
    return fmt::format(
        " {} and {} are given for each point, so that the map is drawn over the axes {} and {}; "
        "the chosen or middle point is at {} {}, {} {}.",
        latitude->name, longitude->name, axes_[map_->first].dimension(), axes_[map_->second].dimension(),
        latitude->name, value_of(*latitude), longitude->name, value_of(*longitude));
  }

  // Returns the place of an element along the line, as a part of its width.
  double part_along(double index) const {
    const AxisValues& axis = axes_[*along_];
    const auto last = static_cast<double>(axis.length() - 1);
    if (!axis.is_monotonic()) return last > 0 ? index / last : 0.5;
    const std::vector<double>& positions = axis.positions();
    const auto before = static_cast<size_t>(std::clamp(std::floor(index), 0.0, last));
    const size_t after = std::min(before + 1, positions.size() - 1);
    const double place =
        positions[before] + (index - static_cast<double>(before)) * (positions[after] - positions[before]);
    const auto [low, high] = std::minmax(positions.front(), positions.back());
    return Interval{low, high}.part(place);
  }

  Figure line_figure() {
    const AxisValues& axis = axes_[*along_];
    const SampledLine line = sampled_line(values_, at_, *along_);
    CurvePlot plot{"line", fmt::format("{} along {}", variable_.name, axis.dimension()),
                   range_sentence(line.statistics)};
    plot.width = map_ ? 440 : 1000;
    plot.height = map_ ? 260 : 300;
    plot.spots = spots_of(line);
    plot.range = {line.statistics.least, line.statistics.greatest};
    plot.y_name = units_.empty() ? variable_.name : units_;
    plot.x.name =
        axis.dimension() + (axis.is_time() || axis.units().empty() ? "" : " (" + axis.units() + ")");
    plot.x.ticks = axis.ticks(kTicksX - 1);
    for (Tick& tick : plot.x.ticks) tick.at = part_along(tick.at);
    if (map_ && (!is_of_map(*along_) || choice_->place(*along_).index))
      plot.mark = part_along(static_cast<double>(at_[*along_]));
    std::string caption = place_text({*along_});
    if (!caption.empty()) caption = "At " + caption + ": ";
    caption += values_text(line.statistics);
    if (line.step > 1)
      caption += fmt::format(" These are every {} of {} values only, because more would take too long.",
                             ordinal(line.step), count_text(axis.length()));
    caption += nearest_text(true);
    if (!map_) caption += nearest_text(false);
    return {"Along " + axis.dimension(), curve_svg(plot), caption};
  }

  // Returns the least and the greatest value of each stretch of a long line.
  std::vector<Spot> spots_of(const SampledLine& line) const {
    const uint64_t stretch = std::max<uint64_t>(1, (line.values.size() + kMaxCurve - 1) / kMaxCurve);
    std::vector<Spot> spots;
    for (uint64_t at = 0; at < line.values.size(); at += stretch) {
      const double x = part_along(static_cast<double>(at * line.step));
      double low = INFINITY, high = -INFINITY;
      for (uint64_t i = at; i < std::min<uint64_t>(at + stretch, line.values.size()); ++i)
        if (std::isfinite(line.values[i])) {
          low = std::min(low, line.values[i]);
          high = std::max(high, line.values[i]);
        }
      spots.push_back({x, low <= high ? low : NAN});
      if (low < high) spots.push_back({x, high});
    }
    return spots;
  }

  // Adds the table of the elements along the shown axes, which the folder of the variable has by name.
  void add_download(const char* heading, const std::vector<size_t>& shown,
                    std::vector<Section>& sections) const {
    if (variable_.is_inherited || variable_.is_coordinate()) return;
    std::set<std::string> names;
    std::string name;
    for (size_t axis = 0; axis < axes_.size(); ++axis) {
      if (!names.insert(axes_[axis].dimension()).second) return;
      if (std::find(shown.begin(), shown.end(), axis) != shown.end()) continue;
      name += (name.empty() ? "" : ",") + encode_name(axes_[axis].dimension()) + "=";
      for (const char c : axes_[axis].name_of(at_[axis]))
        name += c == '%' || c == ',' || c == '/' ? fmt::format("%{:02X}", c) : std::string(1, c);
    }
    if (name.empty()) return;
    uint64_t values = 1;
    for (const size_t axis : shown) values *= shape_[axis];
    const std::string start = percent_encoded(encode_name(variable_.name)) + "/" + percent_encoded(name);
    std::vector<TakeAs> files;
    for (const FileForm* form : {&forms::kTableCsv, &forms::kTableXlsx, &forms::kTableParquet,
                                 &forms::kTableRds, &forms::kVariable}) {
      if (form == &forms::kTableXlsx && values > kMaxRowsOfSheet) continue;
      if (form == &forms::kVariable && !has_netcdf(variable_)) continue;
      files.push_back({std::string(form->ending.substr(1)), start + std::string(form->ending)});
    }
    sections.push_back({Forms{heading, std::move(files)}});
  }

  Grid::Cell cell(const Elements& elements, uint64_t i) const {
    return {plain_text(values_.dtype(), elements, i), elements.is_missing(i)};
  }

  // Adds values beside the pictures, from the chosen place on.
  void add_values() {
    if (!map_ && !along_) return add_lone_value();
    const size_t column_axis = map_ ? map_->second : *along_;
    Box box{at_, Shape(shape_.size(), 1)};
    const auto take = [&](size_t axis, uint64_t most) {
      box.extent[axis] = std::min(most, shape_[axis]);
      const uint64_t from = choice_->place(axis).index.value_or(0);
      box.origin[axis] = std::min(from, shape_[axis] - box.extent[axis]);
    };
    take(column_axis, map_ ? kShownColumns : kShownRows);
    if (map_) take(map_->first, kShownRows);
    const Elements elements = values_.peek(box);
    Grid grid;
    grid.heading = "Values";
    if (map_)
      add_plane_values(box, elements, grid);
    else
      add_line_values(box, elements, grid);
    page_.add(std::move(grid));
  }

  void add_lone_value() {
    Grid grid;
    grid.heading = "Value";
    grid.header = {{""}, {variable_.name, values_.dtype().is_numeric()}};
    grid.rows.push_back({{"value"}, cell(values_.peek({at_, Shape(shape_.size(), 1)}), 0)});
    page_.add(std::move(grid));
  }

  void add_plane_values(const Box& box, const Elements& elements, Grid& grid) const {
    const auto [row_axis, column_axis] = *map_;
    const uint64_t rows = box.extent[row_axis], columns = box.extent[column_axis];
    grid.caption = fmt::format("{} of {} along {}, {} of {} along {}", rows, count_text(shape_[row_axis]),
                               axes_[row_axis].dimension(), columns, count_text(shape_[column_axis]),
                               axes_[column_axis].dimension());
    grid.header.push_back({axes_[row_axis].dimension() + " / " + axes_[column_axis].dimension()});
    for (uint64_t c = 0; c < columns; ++c)
      grid.header.push_back({axes_[column_axis].text(box.origin[column_axis] + c), true});
    const bool is_turned = column_axis < row_axis;
    for (uint64_t r = 0; r < rows; ++r) {
      std::vector<Grid::Cell>& row = grid.rows.emplace_back();
      row.push_back({axes_[row_axis].text(box.origin[row_axis] + r)});
      for (uint64_t c = 0; c < columns; ++c)
        row.push_back(cell(elements, is_turned ? c * rows + r : r * columns + c));
    }
  }

  void add_line_values(const Box& box, const Elements& elements, Grid& grid) const {
    const AxisValues& axis = axes_[*along_];
    grid.caption = fmt::format("{} of {} values", box.extent[*along_], count_text(axis.length()));
    grid.header = {{axis.dimension()}, {variable_.name, values_.dtype().is_numeric()}};
    for (uint64_t i = 0; i < box.extent[*along_]; ++i)
      grid.rows.push_back({{axis.text(box.origin[*along_] + i)}, cell(elements, i)});
  }

  const Query& query_;
  const CfDataset& dataset_;
  const CfVariable& variable_;
  const Array& values_;  // decoded
  const Shape& shape_;
  const std::string units_;
  PageModel& page_;
  std::vector<AxisValues> axes_;
  std::optional<VariableChoice> choice_;
  std::optional<std::pair<size_t, size_t>> map_;  // rows and columns
  std::optional<size_t> along_;
  std::optional<double> low_, high_;  // of the colours
  Shape at_;
};

}  // namespace

void add_variable(const Query& query, const CfDataset& dataset, const CfVariable& variable, PageModel& page) {
  VariablePage(query, dataset, variable, page).add();
}

}  // namespace plainfs::serve
