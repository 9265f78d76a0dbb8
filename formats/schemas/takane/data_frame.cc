#include "formats/schemas/takane/data_frame.h"

#include <algorithm>
#include <unordered_set>

#include "formats/containers/hdf5/container.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/node.h"
#include "formats/schemas/takane/checks.h"
#include "formats/schemas/takane/columns.h"
#include "formats/schemas/takane/lists.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {
namespace {

// The name that all software uses, and that of the specification page of early 2024, which some writers may
// have followed. The first one that exists is used.
struct FileName {
  const char* real;
  const char* published;
};
constexpr FileName kBasicColumns{"basic_columns.h5", "basic_contents.h5"};
constexpr FileName kOtherColumns{"other_columns", "other_contents"};
constexpr FileName kColumnAnnotations{"column_annotations", "element_annotations"};
constexpr FileName kOtherAnnotations{"other_annotations", "other_annotations"};

// Returns the one of both names that exists in directory; empty if neither does.
std::string present(const std::string& directory, const FileName& name, Context& context) {
  for (const char* candidate : {name.real, name.published})
    if (context.files.kind_of(directory + "/" + candidate) != EntryKind::nothing) return candidate;
  return {};
}

ArrayPtr require_strings(const Group& group, const std::string& name) {
  const std::optional<Node> node = group.find(name);
  if (!node) throw damaged("{} is missing", name);
  const ArrayPtr strings = array_of(*node);
  if (!strings) throw damaged("{} is not a dataset", name);
  if (strings->shape().size() != 1)
    throw damaged("{} has {} dimensions, expected 1", name, strings->shape().size());
  if (!strings->dtype().is_text()) throw damaged("{} is {}, expected strings", name, strings->dtype().name());
  return strings;
}

std::vector<std::string> read_column_names(const Group& frame) {
  const ArrayPtr stored = require_strings(frame, "column_names");
  require_no_null_strings(*stored, "column names");
  const ArrayPtr texts = nul_terminated(stored);
  const Elements elements = read_all(*texts);
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (uint64_t i = 0; i < elements.count; ++i) {
    names.emplace_back(text_of(texts->dtype(), elements, i));
    if (names.back().empty()) throw damaged("column {} has an empty name", i);
    if (!seen.insert(names.back()).second) throw damaged("the column name '{}' is repeated", names.back());
  }
  return names;
}

uint64_t read_row_count(const Group& frame, const std::string& path, Context& context) {
  const ArrayPtr count = hdf5::attribute(frame, "row-count");
  if (!count) throw damaged("the attribute \"row-count\" is missing");
  if (!count->shape().empty() || count->is_null()) throw damaged("row-count is not a scalar");
  if (count->dtype().kind != Kind::integer && count->dtype().kind != Kind::unsigned_integer)
    throw damaged("row-count is {}, expected an integer", count->dtype().name());
  const Elements value = read_all(*count);
  return visit_number(count->dtype(), [&](auto example) -> uint64_t {
    using T = decltype(example);
    if constexpr (std::is_integral_v<T>) {
      const T rows = value.values<T>()[0];
      if (rows < 0) throw damaged("row-count is negative: {}", rows);
      if (std::is_signed_v<T>) context.warn(path + ": row-count is not unsigned: " + count->dtype().name());
      return static_cast<uint64_t>(rows);
    }
    return 0;
  });
}

// Returns the row names; null if they are absent.
ArrayPtr read_row_names(const Group& frame) {
  if (!frame.find("row_names")) return nullptr;
  const ArrayPtr names = require_strings(frame, "row_names");
  return checked(nul_terminated(names), [names] { require_no_null_strings(*names, "row names"); });
}

// The contents of the files, before any rule about columns is checked.
struct StoredFrame {
  unsigned minor_version;
  GroupPtr frame;  // the group data_frame
  GroupPtr data;
  std::vector<std::string> column_names;
};

StoredFrame open_stored(const ObjectPlace& place, const ObjectFile& object, Context& context) {
  StoredFrame stored;
  stored.minor_version = check_version(object, "data_frame");
  const std::string name = present(place.directory, kBasicColumns, context);
  if (name.empty()) throw damaged("the file {} is missing", kBasicColumns.real);
  try {
    const GroupPtr file = hdf5::open_group(place.directory + "/" + name, context);
    stored.frame = find_group(*file, "data_frame");
    if (!stored.frame) throw damaged("the group data_frame is missing");
    stored.data = find_group(*stored.frame, "data");
    if (!stored.data) throw damaged("the group data_frame/data is missing");
    stored.column_names = read_column_names(*stored.frame);
  } catch (const Error& error) {
    throw error.at(name);
  }
  return stored;
}

class DataFrameGroup;
std::shared_ptr<const DataFrameGroup> open_frame(const ObjectPlace& place, const ObjectFile& object,
                                                 ArrayPtr given_names, Role role, Context& context);

class DataFrameGroup : public Group {
 public:
  DataFrameGroup(ObjectPlace place, StoredFrame stored, ArrayPtr given_names, Role role, Context& context)
      : place_(std::move(place)),
        stored_(std::move(stored)),
        given_names_(std::move(given_names)),
        role_(role),
        context_(context) {
    place_.in_frame = true;
    for (size_t i = 0; i < stored_.column_names.size(); ++i) positions_.insert(std::to_string(i));
  }

  std::vector<Member> members() const override {
    std::vector<Member> found;
    found.push_back({"data_frame", frame_node()});
    for (const FileName& name : {kOtherColumns, kColumnAnnotations, kOtherAnnotations})
      if (const std::string folder = present(place_.directory, name, context_); !folder.empty())
        found.push_back({folder, open_directory(place_.inside(folder, shared_from_this()), {}, context_)});
    for (const std::string& name : directory_entries(place_.directory, context_))
      if (is_file_of_its_own(name)) found.push_back(plain_file_member(place_.directory, name));
    return found;
  }
  // Reads the table only if it is requested: every schema looks for its own names in an opened node.
  std::optional<Node> find(std::string_view name) const override {
    if (name == "data_frame") return frame_node();
    if (name.empty()) return std::nullopt;
    for (const FileName& folder : {kOtherColumns, kColumnAnnotations, kOtherAnnotations})
      if (name == present(place_.directory, folder, context_))
        return open_directory(place_.inside(std::string(name), shared_from_this()), {}, context_);
    if (!is_file_of_its_own(name)) return std::nullopt;
    const std::vector<std::string> names = directory_entries(place_.directory, context_);
    if (std::find(names.begin(), names.end(), name) == names.end()) return std::nullopt;
    return plain_file_member(place_.directory, std::string(name)).node;
  }
  GroupPtr parent() const override { return place_.parent; }
  std::string path() const override { return place_.path; }

  // Returns the whole table, or an Error that names the broken rule, with the members of data_frame/.
  Node frame_node() const {
    std::vector<Member> members;
    Node node{.role = role_};
    try {
      std::optional<Error> broken;
      Table table = build_table(members, broken);
      if (broken) throw *broken;
      node.content = std::move(table);
    } catch (const Error& error) {
      node.content = error;
      if (is_transient(error)) {  // columns that could not be read now may be missing
        node.parts = std::make_shared<BrokenGroup>(shared_from_this(), frame_path(), error);
        return node;
      }
    }
    node.parts = std::make_shared<ListedGroup>(shared_from_this(), frame_path(), std::move(members),
                                               [frame = stored_.frame] { return frame->attributes(); });
    return node;
  }

 private:
  static bool is_file_of_its_own(std::string_view name) { return name == "OBJECT" || name.starts_with('_'); }
  std::string frame_path() const { return member_path(*this, "data_frame"); }
  void warn(const std::string& message) const { context_.warn(frame_path() + ": " + message); }

  // Returns the table and fills members with every column that can be listed. broken: the first violation
  // that forbids the table, or a transient error.
  Table build_table(std::vector<Member>& members, std::optional<Error>& broken) const {
    Table table;
    std::optional<uint64_t> rows;
    const auto guard = [&broken](auto&& part) {
      try {
        part();
      } catch (const Error& error) {
        if (!broken || (is_transient(error) && !is_transient(*broken))) broken = error;
      }
    };
    guard([&] { rows = read_row_count(*stored_.frame, frame_path(), context_); });
    table.rows = rows.value_or(0);
    guard([&] { table.row_names = row_names(rows); });
    warn_of_extra_members();
    for (size_t i = 0; i < stored_.column_names.size(); ++i)
      guard([&] { add_column(i, rows, table, members); });
    guard([&] { check_annotations(); });
    return table;
  }

  ArrayPtr row_names(std::optional<uint64_t> rows) const {
    ArrayPtr names = read_row_names(*stored_.frame);
    if (!names && rows) return frames::fitting_names(given_names_, *rows, place_.path + ": rows", context_);
    if (names && rows && names->count() != *rows)
      throw damaged("row_names has {1} names for {0} rows", *rows, names->count());
    return names;
  }

  void add_column(size_t i, std::optional<uint64_t> rows, Table& table, std::vector<Member>& members) const {
    const std::string& name = stored_.column_names[i];
    const std::string position = std::to_string(i);
    const std::optional<Node> basic = stored_.data->find(position);
    const std::string others = present(place_.directory, kOtherColumns, context_);
    const bool other = !others.empty() && context_.files.kind_of(place_.directory + "/" + others + "/" +
                                                                 position) != EntryKind::nothing;
    if (basic && other) warn(fmt::format("column {} is stored twice; its basic form is shown", position));
    if (!basic && !other) {
      members.push_back({name, Node{.content = damaged("column {} is missing", position)}});
      throw damaged("column {} is missing", position);
    }
    if (basic) {
      const ColumnPlace where{name, frame_path() + "/" + name, rows, stored_.minor_version >= 1};
      BasicColumn column = open_basic_column(*basic, where, context_);
      std::move(column.members.begin(), column.members.end(), std::back_inserter(members));
      if (column.error) throw column.error->at("column '" + name + "'");
      table.columns.push_back({name, column.values});
    } else {
      add_other_column(name, place_.inside(others, shared_from_this()).inside(position, nullptr), rows, table,
                       members);
    }
  }

  void add_other_column(const std::string& name, const ObjectPlace& place, std::optional<uint64_t> rows,
                        Table& table, std::vector<Member>& members) const {
    members.push_back({name, Node{.content = link_to(place.path)}});
    try {
      const ObjectFile object = read_object_file(place.directory, context_);
      const std::optional<uint64_t> height = height_of(place, object, context_);
      if (!height)
        return warn(fmt::format("column '{}' is left out: the type '{}' has no height", name, object.type));
      if (rows && *height != *rows) throw damaged("has {1} rows, expected {0}", *rows, *height);
      if (object.type != "data_frame") return;
      for (const Column& column : data_frame_table(place, object, context_).columns)
        table.columns.push_back({name + "." + column.name, column.values});
    } catch (const Error& error) {
      throw error.at("column '" + name + "'");
    }
  }

  void warn_of_extra_members() const {
    for (const Member& member : stored_.data->members())
      if (!positions_.contains(member.name)) warn(fmt::format("'{}' in data is not a column", member.name));
    const std::string others = present(place_.directory, kOtherColumns, context_);
    if (others.empty()) return;
    for (const std::string& name : directory_entries(place_.directory + "/" + others, context_))
      if (!name.starts_with('_') && !positions_.contains(name))
        warn(fmt::format("'{1}' in {0} is not a column", others, name));
  }

  // Checks the annotations. Broken ones do not affect the table: they only log a warning.
  void check_annotations() const {
    const auto check = [this](const FileName& folder, auto&& rule) {
      const std::string name = present(place_.directory, folder, context_);
      if (name.empty()) return;
      const ObjectPlace place = place_.inside(name, nullptr);
      try {
        rule(place, read_object_file(place.directory, context_));
      } catch (const Error& error) {
        warn(name + ": " + error.what());
      }
    };
    check(kColumnAnnotations, [this](const ObjectPlace& place, const ObjectFile& object) {
      if (object.type != "data_frame") throw damaged("the type is '{}', expected data_frame", object.type);
      const uint64_t rows = data_frame_rows(place, object, context_);
      if (rows != stored_.column_names.size())
        throw damaged("has {1} rows for {0} columns", stored_.column_names.size(), rows);
    });
    check(kOtherAnnotations, [this](const ObjectPlace& place, const ObjectFile& object) {
      if (object.type != "simple_list") throw damaged("the type is '{}', expected simple_list", object.type);
      height_of(place, object, context_);
    });
  }

  ObjectPlace place_;
  StoredFrame stored_;
  ArrayPtr given_names_;  // of the rows if none are stored; null = unknown
  Role role_;             // of the table
  Context& context_;
  std::unordered_set<std::string> positions_;  // "0", "1", … one for each column
};

std::shared_ptr<const DataFrameGroup> open_frame(const ObjectPlace& place, const ObjectFile& object,
                                                 ArrayPtr given_names, Role role, Context& context) {
  if (place.depth > kMaxNested) throw damaged("data frames are nested more than {} deep", kMaxNested);
  return std::make_shared<DataFrameGroup>(place, open_stored(place, object, context), std::move(given_names),
                                          role, context);
}

}  // namespace

Node open_data_frame(const Opening& opening) {
  return Node{.parts = open_frame(opening.place, opening.object, opening.sides.rows, opening.sides.role,
                                  opening.context)};
}

FrameRows data_frame_rows_and_names(const ObjectPlace& place, const ObjectFile& object, Context& context) {
  const GroupPtr frame = open_stored(place, object, context).frame;
  FrameRows rows{{}, read_row_names(*frame)};
  try {
    rows.count = read_row_count(*frame, place.path, context);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
  }
  return rows;
}

uint64_t data_frame_rows(const ObjectPlace& place, const ObjectFile& object, Context& context) {
  return read_row_count(*open_stored(place, object, context).frame, place.path, context);
}

Table data_frame_table(const ObjectPlace& place, const ObjectFile& object, Context& context) {
  if (object.type != "data_frame") throw damaged("the type is '{}', expected data_frame", object.type);
  Node frame = open_frame(place, object, nullptr, Role::none, context)->frame_node();
  if (const Error* error = std::get_if<Error>(&frame.content)) throw *error;
  return std::get<Table>(std::move(frame.content));
}

}  // namespace plainfs::takane
