#include <algorithm>
#include <functional>
#include <utility>

#include "formats/core/frames/names.h"
#include "formats/schemas/robject/meaning.h"
#include "formats/schemas/robject/schema.h"

namespace plainfs::robject {
namespace {

// Returns the list of assays, whatever class wraps it. Before Bioconductor 3.11 the wrapper is a reference
// object with the list as its field data.
ValuePtr assay_list(const Value& object) {
  ValuePtr assays = object.attribute("assays");
  for (int steps = 0; assays && steps < 8; ++steps) {
    if (assays->type == RType::list) return assays;
    ValuePtr inner = assays->attribute("data");
    if (!inner) inner = assays->attribute("listData");
    if (!inner)
      if (const ValuePtr fields = fields_of(*assays)) inner = fields->item("data");
    assays = inner;
  }
  return nullptr;
}

ValuePtr ranges_of(const Value& object) {
  const ValuePtr ranges = object.attribute("rowRanges");
  return ranges && ranges->type == RType::s4 ? ranges : nullptr;
}

// Returns the names of GRanges, or of lists of them, which are named by their partitioning or by the list
// itself.
ArrayPtr names_of_ranges(const Value& ranges) {
  for (const auto& [slot, inner] :
       {std::pair{"ranges", "NAMES"}, {"partitioning", "NAMES"}, {"listData", "names"}})
    if (const ValuePtr part = ranges.attribute(slot))
      if (const ValuePtr names = part->attribute(inner); names && names->type == RType::text)
        return names->vector;
  return nullptr;
}

// The metadata of the rows, and their names.
struct Rows {
  ValuePtr data;
  ArrayPtr names;
};
Rows rows_of(const Value& object) {
  if (const ValuePtr ranges = ranges_of(object))
    return {ranges->attribute("elementMetadata"), names_of_ranges(*ranges)};
  const ValuePtr names = object.attribute("NAMES");
  return {object.attribute("elementMetadata"), names && names->type == RType::text ? names->vector : nullptr};
}

// Returns the columns of a frame that is itself a column of the frame int_colData or int_elementMetadata.
ValuePtr internal_columns(const Value& object, const char* slot, std::string_view name) {
  const ValuePtr internal = object.attribute(slot);
  const ValuePtr list = internal ? internal->attribute("listData") : nullptr;
  const ValuePtr member = list ? list->item(name) : nullptr;
  return member ? member->attribute("listData") : nullptr;
}

using IsShown = std::function<bool(std::string_view name)>;

// Returns a list without the items that are shown in other places; null if nothing remains.
std::shared_ptr<Value> without_items(const Value& list, const IsShown& is_shown) {
  const std::optional<std::vector<std::string>> stored = list.item_names();
  if (!stored) return std::make_shared<Value>(list);
  auto rest = std::make_shared<Value>();
  rest->type = RType::list;
  TextBuilder rest_names;
  for (size_t i = 0; i < list.items.size(); ++i) {
    const bool is_nothing = list.items[i]->type == RType::null;
    if (is_nothing || is_shown((*stored)[i])) continue;
    rest_names.add((*stored)[i]);
    rest->items.push_back(list.items[i]);
  }
  if (rest->items.empty()) return nullptr;
  auto kept = std::make_shared<Value>();
  kept->type = RType::text;
  kept->vector = std::make_shared<MemoryArray>(text_type(), Shape{rest->items.size()}, rest_names.finish());
  rest->attributes.push_back({"names", std::move(kept)});
  return rest;
}

// Returns a frame without the columns that are shown in other places; null if nothing remains.
ValuePtr without_columns(const ValuePtr& frame, const IsShown& is_shown) {
  if (!frame || frame->type != RType::s4 || !is_frame(*frame)) return nullptr;
  const std::shared_ptr<Value> list = without_items(frame_columns(*frame), is_shown);
  if (!list) return nullptr;
  auto rest = std::make_shared<Value>(*frame);
  for (rds::NamedValue& slot : rest->attributes)
    if (slot.name == "listData") slot.value = list;
  return rest;
}

// State shared by the parts of an experiment.
struct Experiment {
  ValuePtr object;
  Rows rows;
  ArrayPtr columns;  // null = none
};
using ExperimentPtr = std::shared_ptr<const Experiment>;

// Returns the view of a matrix: with its own names, else those of the experiment.
View matrix_view(const std::string& name, const ValuePtr& item, const View& view, const SideNames& names) {
  const bool is_of_matrix = item->type == RType::s4 && item->attribute("Dim");
  const ValuePtr dim = item->attribute(is_of_matrix ? "Dim" : "dim");
  const auto extents = dim && dim->is_vector() && dim->length() == 2 ? dim->whole_numbers() : std::nullopt;
  View inside = view;
  if (extents && (*extents)[0] >= 0 && (*extents)[1] >= 0) {
    const char* const dimnames = is_of_matrix ? "Dimnames" : "dimnames";
    const View at = view.at(view.place.inside(name, view.place.parent));
    const auto side = [&](size_t number, const ArrayPtr& given) {
      const auto count = static_cast<uint64_t>((*extents)[number]);
      if (ArrayPtr own = side_names(*item, dimnames, number, count, at)) return own;
      return count == 0 ? nullptr : frames::fitting_names(given, count, at.place.path, view.scope->context);
    };
    inside.sides = SideNames{side(0, names.rows), side(1, names.columns)};
  } else if (is_delayed(*item)) {
    inside.sides = names;
  }
  return inside;
}

// Calls add(name, item) for each item of a list that holds data.
template <class Add>
void for_each_item(const Value& list, Add add) {
  const std::optional<std::vector<std::string>> names = list.item_names();
  MemberNames given;
  for (size_t i = 0; i < list.items.size(); ++i)
    if (list.items[i]->is_vector() || list.items[i]->type == RType::s4 || list.items[i]->type == RType::list)
      add(given.take(names ? (*names)[i] : "", i), list.items[i]);
}

using Add = void (*)(std::vector<Member>& members, const std::string& name, const ValuePtr& item,
                     const View& view, const Experiment& experiment);

void add_assay(std::vector<Member>& members, const std::string& name, const ValuePtr& item, const View& view,
               const Experiment& experiment) {
  add_assay_matrix(members, name, item,
                   matrix_view(name, item, view, {experiment.rows.names, experiment.columns}));
}

void add_reduced(std::vector<Member>& members, const std::string& name, const ValuePtr& item,
                 const View& view, const Experiment& experiment) {
  const size_t before = members.size();
  add_member(members, name, item, matrix_view(name, item, view, {experiment.columns, nullptr}));
  if (members.size() > before) members.back().node.role = Role::embedding;
}

void add_alternative(std::vector<Member>& members, const std::string& name, const ValuePtr& item,
                     const View& view, const Experiment& experiment) {
  const ValuePtr wrapped = item->attribute("se");
  const ValuePtr& inner = wrapped ? wrapped : item;
  const View inside = view.at(view.place.inside(name, view.place.parent));
  if (is_experiment(*inner)) members.push_back({name, experiment_node(inner, inside, experiment.columns)});
}

void add_pairs(std::vector<Member>& members, const std::string& name, const ValuePtr& item, const View& view,
               const Experiment&) {
  add_member(members, name, item, view);
}

// Adds a directory of the items of a list, unless it is empty.
void add_folder(std::vector<Member>& members, const std::string& name, const ValuePtr& list, const View& view,
                const ExperimentPtr& experiment, Add add) {
  if (!list || list->type != RType::list || list->items.empty()) return;
  const View folder = view.at(view.place.inside(name, view.place.parent));
  Node node;
  node.parts = directory_at(folder, [list, experiment, add](const View& inside) {
    std::vector<Member> generated;
    for_each_item(*list, [&](const std::string& own, const ValuePtr& item) {
      add(generated, own, item, inside, *experiment);
    });
    return generated;
  });
  members.push_back({name, std::move(node)});
}

// Adds the remaining slots: of the class, of SingleCellExperiment's internal frames and of derived classes.
void add_other_slots(std::vector<Member>& members, const Experiment& experiment, const View& view) {
  const Value& object = *experiment.object;
  const auto place = [&](const char* name) { return view.at(view.place.inside(name, view.place.parent)); };
  const auto add_frame = [&](const char* slot, std::string_view known, const ArrayPtr& names) {
    const auto is_shown = [known](std::string_view name) {
      return name == known || name == "reducedDims" || name == "altExps" || is_spatial_part(name);
    };
    if (const ValuePtr rest = without_columns(object.attribute(slot), is_shown))
      members.push_back({slot, frame_node(rest, place(slot), names)});
  };
  add_frame("int_colData", "colPairs", experiment.columns);
  add_frame("int_elementMetadata", "rowPairs", experiment.rows.names);
  const ValuePtr internal = object.attribute("int_metadata");
  if (internal && internal->type == RType::list)
    if (const ValuePtr rest = without_items(*internal, [](std::string_view name) {
          return name == "version" || name == "mainExpName" || is_spatial_part(name);
        }))
      add_member(members, "int_metadata", rest, view);
  static const std::vector<std::string> kShown = {
      "assays",   "colData",     "rowRanges",           "elementMetadata", "NAMES",
      "metadata", "int_colData", "int_elementMetadata", "int_metadata"};
  for (Member& member : slot_members(object, view, kShown)) members.push_back(std::move(member));
}

void add_row_ranges(std::vector<Member>& members, const Value& object, const View& view) {
  const ValuePtr ranges = ranges_of(object);
  if (!ranges) return;
  const View inside = view.at(view.place.inside("row_ranges", view.place.parent));
  if (is_genomic_ranges(*ranges))
    members.push_back({"row_ranges", ranges_node(ranges, inside, false)});
  else if (is_ranges_list(*ranges))
    members.push_back({"row_ranges", ranges_list_node(ranges, inside)});
  else
    add_member(members, "row_ranges", ranges, view);
}

std::vector<Member> experiment_members(const ExperimentPtr& experiment, const View& view) {
  const Value& object = *experiment->object;
  const auto place = [&](const char* name) { return view.at(view.place.inside(name, view.place.parent)); };
  std::vector<Member> members;
  add_folder(members, "assays", assay_list(object), view, experiment, add_assay);
  const auto add_frame = [&](const char* name, const ValuePtr& frame, const ArrayPtr& row_names) {
    if (frame && is_frame(*frame)) members.push_back({name, frame_node(frame, place(name), row_names)});
  };
  add_frame("column_data", object.attribute("colData"), nullptr);
  if (!members.empty() && members.back().name == "column_data") members.back().node.role = Role::main_table;
  add_frame("row_data", experiment->rows.data, experiment->rows.names);
  add_row_ranges(members, object, view);
  const auto add_internal = [&](const char* name, const char* slot, const char* column, Add add) {
    add_folder(members, name, internal_columns(object, slot, column), view, experiment, add);
  };
  add_internal("reduced_dimensions", "int_colData", "reducedDims", add_reduced);
  add_internal("alternative_experiments", "int_colData", "altExps", add_alternative);
  add_internal("column_pairs", "int_colData", "colPairs", add_pairs);
  add_internal("row_pairs", "int_elementMetadata", "rowPairs", add_pairs);
  add_spatial_parts(members, object, experiment->columns, view);
  const ValuePtr metadata = object.attribute("metadata");
  if (metadata && metadata->type == RType::list && !metadata->items.empty())
    add_member(members, "other_data", metadata, view);
  add_other_slots(members, *experiment, view);
  return members;
}

Attributes experiment_attributes(const Value& object) {
  Attributes attributes = attributes_of(object);
  const ValuePtr internal = object.attribute("int_metadata");
  const ValuePtr name = internal && internal->type == RType::list ? internal->item("mainExpName") : nullptr;
  if (name && name->is_vector()) attributes.push_back({"mainExpName", list_of(*name)});
  return attributes;
}

}  // namespace

bool is_experiment(const Value& value) {
  return value.type == RType::s4 && value.attribute("assays") && value.attribute("colData") &&
         is_frame(*value.attribute("colData"));
}

Node experiment_node(const ValuePtr& object, const View& view, const ArrayPtr& columns) {
  Experiment experiment{object, rows_of(*object), frame_row_names(*object->attribute("colData"))};
  if (!experiment.columns) experiment.columns = columns;
  const auto shared = std::make_shared<const Experiment>(std::move(experiment));
  Node node;
  node.parts = directory_at(
      view, [shared](const View& inside) { return experiment_members(shared, inside); },
      [object] { return experiment_attributes(*object); }, object);
  return node;
}

rds::ValuePtr reduced_dimension(const Value& experiment, std::string_view name) {
  const ValuePtr reduced = internal_columns(experiment, "int_colData", "reducedDims");
  return reduced && reduced->type == RType::list ? reduced->item(name) : nullptr;
}

}  // namespace plainfs::robject
