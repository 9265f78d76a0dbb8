#include "formats/schemas/parquet/table.h"

#include <algorithm>
#include <set>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/text/json.h"
#include "formats/core/text/path_names.h"
#include "formats/schemas/parquet/columns.h"

namespace plainfs::parquet {
namespace {

constexpr std::string_view kMissingFolder = "__HIVE_DEFAULT_PARTITION__";

// Returns whether values of both columns are shown in the same way. One may allow missing values and the
// other not.
bool are_alike(const Column& a, const Column& b) {
  if (a.name != b.name || a.is_leaf != b.is_leaf || a.physical != b.physical || a.length != b.length ||
      !(a.meaning == b.meaning) || a.children.size() != b.children.size() ||
      (a.repetition == Repetition::repeated) != (b.repetition == Repetition::repeated))
    return false;
  return std::equal(a.children.begin(), a.children.end(), b.children.begin(), are_alike);
}

void check_alike(const Part& first, const Part& part) {
  const std::vector<Column>&a = first.footer.root.children, &b = part.footer.root.children;
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size() && i < b.size() && are_alike(a[i], b[i])) continue;
    const std::string& name = i < a.size() ? a[i].name : b[i].name;
    throw damaged("{}: its column {} differs from that of {}", part.name, name, first.name);
  }
}

void check_folders(const TableFile& first, const TableFile& file) {
  const auto has_same_key = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (!std::equal(first.folders.begin(), first.folders.end(), file.folders.begin(), file.folders.end(),
                  has_same_key))
    throw damaged("{}: its folders KEY=VALUE differ from those of {}", file.name, first.name);
}

// Returns whether the text is -?(0|[1-9][0-9]*) of at most 18 digits.
bool is_folder_integer(std::string_view text) {
  constexpr size_t kMaxDigits = 18;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= kMaxDigits && (text.size() == 1 || text.front() != '0') &&
         text.find_first_not_of("0123456789") == text.npos;
}

// A column with the value of the folder KEY=VALUE of each part.
class FolderColumn : public Array {
 public:
  // values: of each part.
  FolderColumn(PartsPtr parts, std::vector<std::optional<std::string>> values)
      : Array(type_of(values), {parts->rows()}), values_(std::move(values)) {
    uint64_t rows = 0;
    for (const Part& part : parts->all()) ends_.push_back(rows += part.footer.rows);
  }

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements elements = zero_elements(dtype(), 0);
    uint64_t row = box.origin[0];
    const uint64_t end = row + box.extent[0];
    while (row < end) {
      const auto part =
          static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
      const uint64_t some = std::min(end, ends_[part]) - row;
      append(dtype(), elements, repeated_element(dtype(), value_of(part), some), 0, some);
      row += some;
    }
    return elements;
  }
  bool may_be_missing() const override {
    return std::any_of(values_.begin(), values_.end(), [](const auto& value) { return !value; });
  }

 private:
  static DType type_of(const std::vector<std::optional<std::string>>& values) {
    bool has_value = false, are_integers = true;
    for (const std::optional<std::string>& value : values) {
      has_value = has_value || value;
      are_integers = are_integers && (!value || is_folder_integer(*value));
    }
    return has_value && are_integers ? number_type(Kind::integer, sizeof(int64_t)) : text_type();
  }

  Elements value_of(size_t part) const {
    const std::optional<std::string>& value = values_[part];
    Elements one = zero_elements(dtype(), 1);
    if (!value) {
      one.missing = {1};
    } else if (dtype().is_integer()) {
      one.mutable_values<int64_t>()[0] = std::stoll(*value);
    } else {
      TextBuilder text(1);
      text.add(*value);
      one = text.finish();
    }
    return one;
  }

  const std::vector<std::optional<std::string>> values_;
  std::vector<uint64_t> ends_;  // row after each part
};

// Returns the names of the columns with geometries in WKB, from the key geo.
std::set<std::string> wkb_columns(const Json& geo) {
  std::set<std::string> names;
  const Json* columns = geo.object() ? geo.find("columns") : nullptr;
  if (!columns || !columns->object()) return names;
  for (const auto& [name, about] : *columns->object()) {
    const Json* encoding = about.object() ? about.find("encoding") : nullptr;
    if (!encoding || (encoding->text() && *encoding->text() == "WKB")) names.insert(name);
  }
  return names;
}

// Returns row names that count from `start` in steps.
ArrayPtr range_names(uint64_t rows, int64_t start, int64_t step) {
  return generated(number_type(Kind::integer, sizeof(int64_t)), {rows}, [start, step](const Box& box) {
    Elements elements;
    elements.count = box.extent[0];
    elements.bytes.resize(checked_size(elements.count, sizeof(int64_t)));
    const auto values = elements.mutable_values<int64_t>();
    for (uint64_t i = 0; i < elements.count; ++i)
      values[i] = static_cast<int64_t>(static_cast<uint64_t>(start) +
                                       (box.origin[0] + i) * static_cast<uint64_t>(step));
    return elements;
  });
}

// Returns the JSON of a key of the footer; null if it is absent or cannot be parsed.
Json json_key(const Footer& footer, std::string_view name, const std::string& place, const Context& context) {
  const std::string* text = footer.key(name);
  if (!text || text->empty()) return nullptr;
  try {
    return parse_json(*text);
  } catch (const Error& error) {
    context.warn(fmt::format("{}: the key {} is not used: {}", place, name, error.what()));
    return nullptr;
  }
}

std::vector<Part> read_parts(std::vector<TableFile>& files, Context& context) {
  std::vector<Part> parts(files.size());
  context.workers.parallel_for(files.size(), [&](size_t i) {
    parts[i].name = files[i].name;
    parts[i].bytes = std::move(files[i].bytes);
    try {
      parts[i].footer = read_footer(*parts[i].bytes);
    } catch (const Error& error) {
      if (files.size() == 1) throw;
      throw error.at(files[i].name);
    }
  });
  return parts;
}

}  // namespace

TableFiles TableFiles::open(std::vector<TableFile> files, const std::string& place, Context& context) {
  std::vector<Part> parts = read_parts(files, context);
  for (size_t i = 0; i < parts.size(); ++i) {
    check_alike(parts.front(), parts[i]);
    check_folders(files.front(), files[i]);
    const Footer& footer = parts[i].footer;
    if (footer.stated_rows != footer.rows)
      context.warn(fmt::format("{}: the file states {} rows, its row groups have {}",
                               parts.size() == 1 ? place : place + "/" + parts[i].name, footer.stated_rows,
                               footer.rows));
  }
  TableFiles table(std::make_shared<const Parts>(std::move(parts)), place, context);
  table.add_columns();
  table.add_folder_columns(files);
  return table;
}

void TableFiles::add_columns() {
  const Footer& footer = parts_->all().front().footer;
  const std::set<std::string> wkb = wkb_columns(json_key(footer, "geo", place_, *context_));
  const std::vector<Column>& columns = footer.root.children;
  for (size_t i = 0; i < columns.size(); ++i)
    columns_.push_back({columns[i].name, column_array(parts_, i, wkb.contains(columns[i].name), *context_)});
}

void TableFiles::add_folder_columns(const std::vector<TableFile>& files) {
  for (size_t i = 0; i < files.front().folders.size(); ++i) {
    std::vector<std::optional<std::string>> values;
    for (const TableFile& file : files) {
      const std::string& value = file.folders[i].second;
      values.push_back(value == kMissingFolder ? std::nullopt : std::optional(value));
    }
    columns_.push_back(
        {files.front().folders[i].first, std::make_shared<FolderColumn>(parts_, std::move(values))});
  }
}

// Returns the numbers of the columns that pandas keeps as row names. A range becomes the row names of the
// table.
std::vector<size_t> TableFiles::index_columns(Table& table) const {
  std::vector<size_t> found;
  const Json pandas = json_key(parts_->all().front().footer, "pandas", place_, *context_);
  const Json* index = pandas.object() ? pandas.find("index_columns") : nullptr;
  if (!index || !index->list()) return found;
  std::optional<std::pair<int64_t, int64_t>> range;
  for (const Json& entry : *index->list()) {
    if (entry.text()) {
      const auto column = std::find_if(columns_.begin(), columns_.end(), [&](const plainfs::Column& each) {
        return each.name == *entry.text();
      });
      const auto number = static_cast<size_t>(column - columns_.begin());
      if (column == columns_.end())
        context_->warn(fmt::format("{}: the row names {} are not a column", place_, *entry.text()));
      else if (std::find(found.begin(), found.end(), number) == found.end())
        found.push_back(number);
    } else if (entry.object()) {
      const auto number = [&](const char* key, int64_t otherwise) {
        const Json* value = entry.find(key);
        return value ? value->as_int64().value_or(otherwise) : otherwise;
      };
      range = {number("start", 0), number("step", 1)};
    }
  }
  const bool is_counted = range && *range != std::pair<int64_t, int64_t>(0, 1);
  if (found.empty() && is_counted && parts_->all().size() == 1)
    table.row_names = range_names(parts_->rows(), range->first, range->second);
  return found;
}

Table TableFiles::table() const {
  Table table;
  table.rows = parts_->rows();
  const std::vector<size_t> index = index_columns(table);
  for (const size_t number : index) {
    if (table.row_names)
      table.columns.push_back({"", columns_[number].values});
    else
      table.row_names = columns_[number].values;
  }
  for (size_t i = 0; i < columns_.size(); ++i)
    if (std::find(index.begin(), index.end(), i) == index.end()) table.columns.push_back(columns_[i]);
  return table;
}

std::vector<TableFile> files_at(const std::string& location, Context& context) {
  if (context.files.kind_of(location) != EntryKind::folder)
    return {{std::string(last_name(location)), std::make_shared<FileValue>(context.files.open(location))}};
  const KeyStorePtr folder = context.files.open_folder(location);
  std::vector<TableFile> files;
  for (PartFile& part : parts_below(*folder, ""))
    files.push_back({part.key, std::make_shared<FileValue>(context.files.open(location + "/" + part.key)),
                     std::move(part.folders)});
  if (files.empty()) throw damaged("a folder without a Parquet file");
  return files;
}

namespace {

// Collects the files of a member, and of the members below it.
class FileFinder {
 public:
  explicit FileFinder(Context& context) : context_(context) {}

  void add(const Member& member, const std::string& path,
           const std::vector<std::pair<std::string, std::string>>& folders, int depth) {
    constexpr int kMaxGroupDepth = 32;
    if (depth > kMaxGroupDepth)
      throw unsupported("{}: parts are more than {} folders deep", path, kMaxGroupDepth);
    const auto* file = std::get_if<PlainFile>(&member.node.content);
    if (member.node.parts) {
      auto below = folders;
      if (auto column = folder_column(member.name)) below.push_back(*std::move(column));
      for (const Member& inner : member.node.parts->members())
        if (!is_hidden_part(inner.name)) add(inner, path + "/" + inner.name, below, depth + 1);
    } else if (file && has_parquet_name(member.name)) {
      ValuePtr bytes =
          file->open ? file->open() : std::make_shared<FileValue>(context_.files.open(file->path));
      files_.push_back({path, std::move(bytes), folders});
    }
  }
  std::vector<TableFile> finish() {
    std::sort(files_.begin(), files_.end(),
              [](const TableFile& a, const TableFile& b) { return is_part_before(a.name, b.name); });
    return std::move(files_);
  }

 private:
  Context& context_;
  std::vector<TableFile> files_;
};

}  // namespace

std::vector<TableFile> files_in(const Member& member, Context& context) {
  FileFinder finder(context);
  finder.add(member, member.name, {}, 0);
  return finder.finish();
}

Table read_table(const std::string& location, Context& context) {
  return TableFiles::open(files_at(location, context), location, context).table();
}

}  // namespace plainfs::parquet
