#include "formats/schemas/takane/genomic_objects.h"

#include <array>
#include <memory>
#include <optional>

#include "cache/lazy.h"
#include "formats/core/frames/parts.h"
#include "formats/schemas/takane/data_frame.h"
#include "formats/schemas/takane/lists.h"
#include "formats/schemas/takane/object.h"

namespace plainfs::takane {
namespace {

constexpr const char* kRowData = "row_data";
constexpr const char* kColumnData = "column_data";

// A data frame in a folder of an experiment, and its required number of rows, if OBJECT states it.
struct FrameOfSide {
  const char* folder;
  std::optional<uint64_t> rows;
};

std::optional<uint64_t> stated_extent(const ObjectFile& object, size_t dimension) {
  const Json* properties = object.properties_of(kExperiment);
  const Json* dimensions = properties ? properties->find("dimensions") : nullptr;
  const Json::List* list = dimensions ? dimensions->list() : nullptr;
  return list && list->size() == 2 ? (*list)[dimension].as_uint64() : std::nullopt;
}

// Returns the row names of the frame; null if it has none or they are invalid; a broken array after a
// transient error. Logs a warning if the frame's number of rows differs from the experiment's.
ArrayPtr names_in(const ObjectPlace& experiment, const FrameOfSide& side, Context& context) {
  const char* const folder = side.folder;
  const std::string directory = experiment.directory + "/" + folder;
  const ObjectPlace place = experiment.inside(folder, nullptr);
  try {
    if (context.files.kind_of(directory) == EntryKind::nothing) return nullptr;
    context.files.bounds().check(directory);
    const ObjectFile object = read_object_file(directory, context);
    if (object.type != "data_frame") throw damaged("the type is '{}', expected data_frame", object.type);
    const FrameRows rows = data_frame_rows_and_names(place, object, context);
    if (side.rows && rows.count && *rows.count != *side.rows)
      context.warn(
          fmt::format("{}: has {} rows, but the experiment has {}", place.path, *rows.count, *side.rows));
    return rows.names;
  } catch (const Error& error) {
    if (is_transient(error)) return std::make_shared<BrokenArray>(text_type(), error);
    context.warn(fmt::format("{}: the names are not known: {}", place.path, error.what()));
    return nullptr;
  }
}

// The names of the rows and columns of an experiment's parts, looked up on first use. Thread-safe.
class Experiment {
 public:
  explicit Experiment(const Opening& opening)
      : place_(opening.place),
        sides_(opening.sides),
        context_(opening.context),
        row_data_{kRowData, stated_extent(opening.object, 0)},
        column_data_{kColumnData, stated_extent(opening.object, 1)} {}

  // Returns the names for the contents of a folder.
  SideNames sides_in(const std::string& folder) const {
    if (folder == "assays") return {rows(), columns(), Role::none, true};
    if (folder == "reduced_dimensions") return {columns(), nullptr, Role::embedding};
    if (folder == kColumnData) return {nullptr, nullptr, Role::main_table};
    if (folder == "alternative_experiments") return {nullptr, columns()};
    return {};
  }

 private:
  ArrayPtr rows() const {
    const ArrayPtr names = names_of(row_data_, rows_);
    return names ? names : sides_.rows;
  }
  ArrayPtr columns() const {
    const ArrayPtr names = names_of(column_data_, columns_);
    return names ? names : sides_.columns;
  }
  // Keeps the names in `known` unless reading them had a transient error.
  ArrayPtr names_of(const FrameOfSide& side, const Lazy<ArrayPtr>& known) const {
    return known.get([&] { return names_in(place_, side, context_); },
                     [](const ArrayPtr& names) { return !names || !frames::is_broken(*names); });
  }

  const ObjectPlace place_;
  const SideNames sides_;
  Context& context_;
  const FrameOfSide row_data_, column_data_;
  Lazy<ArrayPtr> rows_, columns_;
};

Json names_json(const std::string& directory, Context& context) {
  Json::List list;
  for (const std::string& name : names_of_list(directory, context)) list.emplace_back(name);
  return list;
}

}  // namespace

std::vector<Member> frame_links(const ObjectPlace& place, std::initializer_list<const char*> folders,
                                Context& context) {
  std::vector<Member> links;
  for (const char* folder : folders) {
    const ObjectPlace frame = place.inside(folder, nullptr);
    if (context.files.kind_of(frame.directory) != EntryKind::folder) continue;
    Link link = link_to(frame.path + "/data_frame");
    link.only = ".csv";
    links.push_back({folder, Node{.content = std::move(link)}});
  }
  return links;
}

Node open_experiment(const Opening& opening) {
  check_version(opening.object, std::string(kExperiment));
  const auto experiment = std::make_shared<const Experiment>(opening);
  DirectoryGroup::Rules rules;
  rules.sides = [experiment](const std::string& folder) { return experiment->sides_in(folder); };
  rules.added = [place = opening.place, &context = opening.context](const GroupPtr&) {
    return frame_links(place, {kRowData, kColumnData}, context);
  };
  return Node{.parts = std::make_shared<DirectoryGroup>(opening.place, std::move(rules), opening.context)};
}

Json describe_experiment(const std::string& directory, const ObjectFile& object, Context& context) {
  Json::Object about;
  if (const Json* properties = object.properties_of(kExperiment))
    if (const Json* dimensions = properties->find("dimensions"))
      about.emplace_back("dimensions", *dimensions);
  for (const char* folder : {"assays", "reduced_dimensions", "alternative_experiments"})
    about.emplace_back(folder, names_json(directory + "/" + folder, context));
  return about;
}

Node open_multi_sample_dataset(const Opening& opening) {
  check_version(opening.object, "multi_sample_dataset");
  DirectoryGroup::Rules rules;
  rules.added = [place = opening.place, &context = opening.context](const GroupPtr&) {
    return frame_links(place, {"sample_data"}, context);
  };
  return Node{.parts = std::make_shared<DirectoryGroup>(opening.place, std::move(rules), opening.context)};
}

}  // namespace plainfs::takane
