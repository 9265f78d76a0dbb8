#include "fs/report/summary.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/core/base/location.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/cf/decoded.h"
#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "formats/registry.h"
#include "fs/command_line/exit_code.h"
#include "fs/report/columns.h"
#include "fs/report/facts.h"
#include "fs/report/headline.h"
#include "fs/report/one_value.h"
#include "fs/report/words.h"
#include "fs/views/table/csv_nested.h"

namespace plainfs {
namespace {

constexpr size_t kDeepest = 64;  // groups inside each other
constexpr char kTimes[] = " \u00d7 ";

struct Line : Described {
  std::string path;
};

std::string number_text(uint64_t number, Digits digits) {
  return digits == Digits::plain ? std::to_string(number) : count_text(number);
}

constexpr uint64_t kLongestCell = 32'767;   // characters that a cell of Excel or LibreOffice can hold
constexpr uint64_t kMaxLeaves = 64 * 1024;  // limit for formatting a cell to find its length

// Returns the length of the cell with the most values, estimated if it is very long.
uint64_t longest_cell(const NestedArray& array) {
  const RowElements& elements = array.elements();
  NestedCells cells(elements);
  uint64_t most = 0, row_of_most = 0;
  for (uint64_t row = 0; row < cells.rows(); ++row)
    if (const uint64_t leaves = cells.leaves_of_row(row).size(); leaves > most) {
      most = leaves;
      row_of_most = row;
    }
  if (most == 0) return 0;
  if (most > kMaxLeaves) return most * (json_width(*elements.values) + 1);
  return array.read(range(row_of_most, 1)).text(0).size();
}

// Returns ", cells of spike_times have up to 362185 characters, ..."; "" if a spreadsheet can hold all of
// them.
std::string long_cells_text(const Table& table) {
  std::string text;
  for (const Column& column : table.columns) {
    const auto* nested = dynamic_cast<const NestedArray*>(column.values.get());
    if (!nested || nested->elements().ends.empty()) continue;
    if (const uint64_t longest = longest_cell(*nested); longest > kLongestCell)
      text +=
          fmt::format(", a cell of {} has about {} characters, but a spreadsheet takes {}: -o ragged=count",
                      column.name, longest, kLongestCell);
  }
  return text;
}

// Returns "60 rows × 7 columns" for a table, "c 2 × y 2048" for an image, otherwise "60 × 7".
std::string extents_text(const ContentFacts& facts, Digits digits) {
  std::string text;
  for (const ContentFacts::Extent& extent : facts.extents) {
    const std::string length = number_text(extent.length, digits);
    text += text.empty() ? "" : kTimes;
    text += facts.kind == "table"   ? length + " " + extent.name
            : !facts.format.empty() ? extent.name + " " + length
                                    : length;
  }
  return text.empty() && facts.kind == "array" ? "one value" : text;
}

// Returns "80 × 200, 1234 values (integer), by column".
std::string line_of(const ContentFacts& facts, Digits digits) {
  std::vector<std::string> parts;
  if (!facts.format.empty()) parts.push_back(facts.format);
  if (std::string extents = extents_text(facts, digits); !extents.empty())
    parts.push_back(std::move(extents));
  for (const ContentFacts::Count& count : facts.counts)
    parts.push_back(number_text(count.number, digits) + " " + count.name);
  if (facts.values && !parts.empty()) parts.back() += fmt::format(" ({})", facts.values->dtype().name());
  for (const ContentFacts::Detail& detail : facts.details)
    if (!detail.in_line.empty()) parts.push_back(detail.in_line);
  return printable(fmt::format("{}", fmt::join(parts, ", ")));
}

// Returns "from 2020-01-01T00:00:00 to 2020-01-31T23:00:00": the earliest and the latest time of a
// coordinate, in any order, without missing ones. If there are too many to read, returns the first and the
// last, called so. Requires: the coordinate has an element.
std::string range_of_times(const CfVariable& coordinate, const TimeReference& times) {
  constexpr uint64_t kMaxRead = uint64_t{1} << 20;
  const Array& decoded = *coordinate.decoded;
  const uint64_t length = decoded.shape()[0];
  if (length > kMaxRead)
    return fmt::format("first {}, last {}", plain_text(decoded.dtype(), decoded.peek(range(0, 1)), 0),
                       plain_text(decoded.dtype(), decoded.peek(range(length - 1, 1)), 0));
  const Elements all = decoded.peek(range(0, length));
  std::optional<std::pair<Nanoseconds, uint64_t>> earliest, latest;
  for (uint64_t i = 0; i < length; ++i) {
    const auto time = all.is_missing(i) ? std::nullopt : times.parse_time(all.text(i));
    if (!time) continue;
    if (!earliest || *time < earliest->first) earliest = {*time, i};
    if (!latest || *time > latest->first) latest = {*time, i};
  }
  if (!earliest) return "without a time";
  return fmt::format("from {} to {}", plain_text(decoded.dtype(), all, earliest->second),
                     plain_text(decoded.dtype(), all, latest->second));
}

// Returns "time × latitude × longitude, K: 2 metre temperature".
std::string variable_text(const CfVariable& variable) {
  std::string text = fmt::format("{}", fmt::join(variable.dimensions, kTimes));
  const std::string units = variable.attributes.readable().text("units"),
                    name = variable.attributes.readable().text("long_name");
  if (!units.empty()) text += ", " + units;
  if (!name.empty()) text += ": " + name;
  return text;
}

Node member_of(const Node& node, const std::string& name, Context& context) {
  if (node.parts)
    for (Member& member : node.parts->members())
      if (member.name == name) return refine(std::move(member.node), context);
  throw not_found("{} does not exist", name);
}

Node node_at(const Node& root, const std::string& path, Context& context) {
  Node node = root;
  for (const std::string& name : path_names(path)) node = member_of(node, name, context);
  return node;
}

class Summary {
 public:
  // shows_values: whether to read the value of each array that has only one.
  Summary(Context& context, size_t max_lines, bool shows_values)
      : context_(context), max_lines_(max_lines), shows_values_(shows_values) {}

  void add(const std::string& path, const Node& node, size_t depth) {
    Line line{described(node), path.empty() ? "." : printable(path)};
    const auto* file = std::get_if<PlainFile>(&node.content);
    if (!node.store.empty()) {
      static_cast<Described&>(line) = describe_store(node.store, context_.of_store(node.store));
      ++stores_[line.kind];
    } else if (file && file->no_store) {
      static_cast<Described&>(line) = {kDoesNotOpen, printable(file->no_store->what())};
      ++stores_[line.kind];
    }
    const bool is_data = !line.kind.empty();
    if (is_data) keep(std::move(line));
    // The parts of a table, a factor or a matrix are not listed again. An image may have other members beside
    // its levels.
    const auto* image = std::get_if<Image>(&node.content);
    if (!is_data) add_dataset(path, node);
    if (node.parts && (!is_data || image) && depth < kDeepest && !is_cut_)
      add_members(path, *node.parts, image, depth);
  }

  std::string text() const {
    size_t path_width = 0, kind_width = 0;
    for (const Line& line : lines_) {
      path_width = std::max(path_width, std::min<size_t>(line.path.size(), 60));
      kind_width = std::max(kind_width, line.kind.size());
    }
    std::string text;
    for (const Line& line : lines_)
      text += fmt::format("{:<{}}  {:<{}}  {}\n", line.path, path_width, line.kind, kind_width, line.what);
    if (is_cut_) text += "… and more: plainfs ls -R lists everything\n";
    return text;
  }

  const std::map<std::string, size_t>& stores() const { return stores_; }

 private:
  void keep(Line line) {
    if (lines_.size() < max_lines_)
      lines_.push_back(std::move(line));
    else
      is_cut_ = true;
  }

  Described described(const Node& node) const {
    Described all = describe(node, Digits::plain);
    const auto* table = std::get_if<Table>(&node.content);
    if (std::optional<std::string> value = shows_values_ ? one_value_text(node.content) : std::nullopt)
      all.what = *std::move(value);
    if (!table || context_.options.ragged_as_count) return all;
    try {
      all.what += printable(long_cells_text(*table));
    } catch (const Error& error) {
      all.what = printable(error.what());
    }
    return all;
  }

  void add_members(const std::string& path, const Group& group, const Image* image, size_t depth) {
    const auto is_described = [&](const Member& member) {
      return image && std::any_of(image->levels.begin(), image->levels.end(), [&](const ImageLevel& level) {
               return level.path == std::vector{member.name};
             });
    };
    try {
      const auto* const named = dynamic_cast<const CfGroup*>(&group);
      const CfDatasetPtr dataset = named ? named->dataset() : nullptr;
      for (Member& member : group.members()) {
        if (is_cut_) return;
        if (is_described(member)) continue;
        const size_t before = lines_.size();
        add(joined_path(path, member.name), refine(std::move(member.node), context_), depth + 1);
        const CfVariable* const variable = dataset ? dataset->find(member.name) : nullptr;
        if (variable && !variable->dimensions.empty() && lines_.size() == before + 1)
          lines_.back().what += ", " + printable(variable_text(*variable));
      }
    } catch (const Error& error) {
      keep({{kind_of(error.code()), printable(error.what())}, printable(path)});
    }
  }

  void add_dataset(const std::string& path, const Node& node) {
    try {
      if (const CfDatasetPtr dataset = cf_dataset(node))
        keep({{"CF dataset", printable(dataset_text(*dataset))}, path.empty() ? "." : printable(path)});
    } catch (const Error&) {
      // the members below report the error
    }
  }

  Context& context_;
  const size_t max_lines_;
  const bool shows_values_;
  std::vector<Line> lines_;
  std::map<std::string, size_t> stores_;  // in a mirrored folder, by kind
  bool is_cut_ = false;                   // there are more lines than max_lines_
};

}  // namespace

std::string dataset_text(const CfDataset& dataset) {
  std::vector<std::string> dimensions, ranges;
  for (const CfVariable& variable : dataset.variables) {
    if (variable.is_inherited) continue;
    for (size_t axis = 0; axis < variable.dimensions.size(); ++axis) {
      const std::string text =
          fmt::format("{} {}", variable.dimensions[axis], variable.values->shape()[axis]);
      if (std::find(dimensions.begin(), dimensions.end(), text) == dimensions.end())
        dimensions.push_back(text);
    }
    const uint64_t length = variable.is_coordinate() ? variable.values->shape()[0] : 0;
    const std::optional<TimeReference> times = length > 0 ? cf_times(variable, nullptr) : std::nullopt;
    if (!times) continue;
    const std::string calendar = variable.attributes.readable().text("calendar");
    ranges.push_back(fmt::format("{} {} ({})", variable.name, range_of_times(variable, *times),
                                 calendar.empty() ? "standard" : calendar));
  }
  std::string text = fmt::format("{}", fmt::join(dimensions, kTimes));
  for (const std::string& range : ranges) text += "; " + range;
  return text;
}

Described describe(const Node& node, Digits digits) {
  const ContentFacts facts = facts_of(node.content);
  Described all{facts.kind, facts.error ? "" : line_of(facts, digits)};
  try {
    if (facts.error) throw *facts.error;
    if (const TimedGroup* const timed = timed_group(node))
      all = {"time series", printable(timed->describe())};
  } catch (const Error& error) {
    all.what = printable(error.what());
    if (all.kind.empty()) all.kind = kind_of(error.code());
  }
  return all;
}

namespace {

// Returns "  leiden  factor  12 levels: B cell, NK, …", one line per column.
std::string columns_text(const Table& table, size_t max_lines) {
  const std::vector<ColumnSummary> columns = column_summaries(table);
  const size_t shown = std::min(columns.size(), max_lines);
  size_t name_width = 0, type_width = 0;
  for (size_t i = 0; i < shown; ++i) {
    name_width = std::max(name_width, std::min<size_t>(columns[i].name.size(), 40));
    type_width = std::max(type_width, columns[i].type.size());
  }
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const ColumnSummary& column = columns[i];
    std::string line =
        fmt::format("  {:<{}}  {:<{}}", printable(column.name), name_width, column.type, type_width);
    if (column.level_count) line += "  " + count_text(*column.level_count, "level");
    for (size_t k = 0; k < column.first_levels.size(); ++k)
      line += (k == 0 ? ": " : ", ") + printable(column.first_levels[k]);
    if (!column.first_levels.empty() && column.first_levels.size() < *column.level_count) line += ", …";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (shown < columns.size()) text += fmt::format("  … and {} more columns\n", columns.size() - shown);
  return text;
}

}  // namespace

std::string summary_of(const Store& store, Context& context, const std::string& path, size_t max_lines) {
  Summary summary(context, max_lines, !is_remote(store));
  const Node node = node_at(store.root, path, context);
  summary.add(path, node, 0);
  const auto* table = std::get_if<Table>(&node.content);
  return summary.text() + (table && !path.empty() ? columns_text(*table, max_lines) : "");
}

FolderSummary summary_of_folder(const Store& folder, Context& context) {
  Summary summary(context, std::numeric_limits<size_t>::max(), false);
  summary.add("", folder.root, 0);
  FolderSummary all{0, {}, summary.text()};
  std::vector<std::pair<size_t, std::string>> kinds;
  for (const auto& [kind, count] : summary.stores()) {
    all.stores += count;
    kinds.emplace_back(count, kind);
  }
  // Stores that do not open are last.
  std::sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
    const bool opens_a = a.second != kDoesNotOpen, opens_b = b.second != kDoesNotOpen;
    return std::tuple(!opens_a, b.first, a.second) < std::tuple(!opens_b, a.first, b.second);
  });
  for (const auto& [count, kind] : kinds)
    all.kinds += fmt::format("{}{} {}", all.kinds.empty() ? "" : ", ", count_text(count),
                             kind == kDoesNotOpen && count != 1 ? "that do not open"
                             : kind == kDoesNotOpen             ? "that does not open"
                                                                : kind);
  return all;
}

}  // namespace plainfs
