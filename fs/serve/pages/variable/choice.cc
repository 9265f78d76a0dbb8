#include "fs/serve/pages/variable/choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "fs/report/words.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxShownBytes = 60, kMaxProblems = 8;
constexpr std::string_view kFieldPrefix = "at.";

std::string in_quotes(const std::string& text) {
  return "'" + shortened(text, kMaxShownBytes) + "'";
}

// Returns where a further part of a list DIM:VALUE,DIM:VALUE begins: a comma before a dimension's name and a
// colon. Other commas are part of a value.
size_t end_of_part(const std::string& text, size_t from, const std::vector<AxisValues>& axes) {
  for (size_t comma = text.find(',', from); comma != std::string::npos; comma = text.find(',', comma + 1))
    if (std::any_of(axes.begin(), axes.end(), [&](const AxisValues& axis) {
          return text.compare(comma + 1, axis.dimension().size() + 1, axis.dimension() + ":") == 0;
        }))
      return comma;
  return text.size();
}

}  // namespace

VariableChoice::VariableChoice(const Query& query, const std::vector<AxisValues>& axes,
                               std::vector<Problem>& problems)
    : query_(query), axes_(axes), problems_(problems), places_(axes.size()) {
  std::vector<std::optional<std::string>> values(axes.size());
  if (const std::optional<std::string> list = query.value("at")) read_list(*list, values);
  for (const auto& [name, value] : query.rest({}))
    if (name.starts_with(kFieldPrefix) && !value.empty() && problems_.size() < kMaxProblems)
      if (const std::optional<size_t> axis = axis_named(name.substr(kFieldPrefix.size())))
        values[*axis] = value;
  // The last value of an axis counts, and only that one is searched for.
  for (size_t axis = 0; axis < axes.size(); ++axis)
    if (values[axis]) choose(axis, *values[axis]);
  if (const std::optional<std::string> name = query.value("along")) along_ = axis_named(*name);
  if (const std::optional<std::string> names = query.value("map")) read_map(*names);
}

std::optional<size_t> VariableChoice::axis_named(const std::string& dimension) {
  for (size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].dimension() == dimension) return i;
  std::string names;
  for (const AxisValues& axis : axes_) names += (names.empty() ? "" : ", ") + axis.dimension();
  problems_.push_back({fmt::format("{} is no dimension here; there is {}.", in_quotes(dimension), names)});
  return std::nullopt;
}

void VariableChoice::read_list(const std::string& text, std::vector<std::optional<std::string>>& values) {
  for (size_t at = 0; at < text.size() && problems_.size() < kMaxProblems;) {
    const size_t end = end_of_part(text, at, axes_);
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    const auto named = std::find_if(axes_.begin(), axes_.end(), [&](const AxisValues& axis) {
      return part.starts_with(axis.dimension() + ":");
    });
    if (named != axes_.end())
      values[static_cast<size_t>(named - axes_.begin())] = part.substr(named->dimension().size() + 1);
    else if (const size_t colon = part.find(':'); colon != std::string::npos)
      axis_named(part.substr(0, colon));
    else
      problems_.push_back({fmt::format("{} is no DIMENSION:VALUE.", in_quotes(part))});
  }
}

void VariableChoice::read_map(const std::string& text) {
  for (size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1)) {
    const std::string row = text.substr(0, comma), column = text.substr(comma + 1);
    const auto index_of = [&](const std::string& name) {
      return static_cast<size_t>(
          std::find_if(axes_.begin(), axes_.end(),
                       [&](const AxisValues& axis) { return axis.dimension() == name; }) -
          axes_.begin());
    };
    const size_t rows = index_of(row), columns = index_of(column);
    if (rows == axes_.size() || columns == axes_.size() || rows == columns) continue;
    map_ = {rows, columns};
    return;
  }
  problems_.push_back({fmt::format("{} is no pair of dimensions for a map.", in_quotes(text)),
                       {{"the usual map", query_.with("map", "").href()}}});
}

void VariableChoice::choose(size_t axis, const std::string& value) {
  const AxisValues& values = axes_[axis];
  const AxisValues::Found found = values.find(value);
  if (found.index) {
    places_[axis] = {found.index, found.is_nearest ? value : std::string()};
    return;
  }
  Problem problem{fmt::format("{} has no value {}.", values.dimension(), in_quotes(value))};
  if (!found.suggested.empty())
    if (const AxisValues::Found near = values.find(found.suggested); near.index)
      problem.near.push_back({found.suggested, href_with({{axis, *near.index}})});
  problems_.push_back(std::move(problem));
}

Query VariableChoice::without_places() const {
  Query query("page");
  for (const char* name : {"along", "map", "low", "high"})
    if (const std::optional<std::string> value = query_.value(name)) query = query.with(name, *value);
  return query;
}

Query VariableChoice::canonical(const std::vector<std::pair<size_t, uint64_t>>& indices) const {
  std::string list;
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    std::optional<uint64_t> index = places_[axis].index;
    for (const auto& [of, other] : indices)
      if (of == axis) index = other;
    if (index)
      list += (list.empty() ? "" : ",") + axes_[axis].dimension() + ":" + axes_[axis].name_of(*index);
  }
  return without_places().with("at", list);
}

std::string VariableChoice::href_with(const std::vector<std::pair<size_t, uint64_t>>& indices) const {
  return canonical(indices).href();
}

std::string VariableChoice::href_along(size_t axis) const {
  return canonical({}).with("along", axes_[axis].dimension()).href();
}

std::string VariableChoice::href_of_map(size_t row_axis, size_t column_axis) const {
  return canonical({}).with("map", axes_[row_axis].dimension() + "," + axes_[column_axis].dimension()).href();
}

}  // namespace plainfs::serve
