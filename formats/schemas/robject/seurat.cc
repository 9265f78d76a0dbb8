#include <algorithm>

#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/text/path_names.h"
#include "formats/schemas/robject/arrays.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

// Returns the rows and columns of a matrix of any class.
std::optional<std::pair<uint64_t, uint64_t>> extent_of(const Value& matrix) {
  const ValuePtr dim = matrix.attribute(matrix.type == RType::s4 && matrix.attribute("Dim") ? "Dim" : "dim");
  if (!dim || !dim->is_vector() || dim->length() != 2) return std::nullopt;
  const auto extents = dim->whole_numbers();
  if (!extents || (*extents)[0] < 0 || (*extents)[1] < 0) return std::nullopt;
  return std::pair{static_cast<uint64_t>((*extents)[0]), static_cast<uint64_t>((*extents)[1])};
}

// Returns whether value is a placeholder for an empty slot in Seurat's classes: a vector without elements, a
// matrix of 0 by 0.
bool is_placeholder(const Value& value) {
  const auto extent = extent_of(value);
  if (extent) return *extent == std::pair<uint64_t, uint64_t>{0, 0};
  return value.is_vector() && value.length() == 0;
}

ValuePtr slot_of(const Value& object, std::string_view name) {
  const ValuePtr value = object.attribute(name);
  return value && !is_placeholder(*value) ? value : nullptr;
}

void add_slot(std::vector<Member>& members, const std::string& name, const ValuePtr& value,
              const View& view) {
  if (value) add_member(members, name, value, view);
}

void add_texts(std::vector<Member>& members, const std::string& name, const ArrayPtr& texts) {
  if (texts) members.push_back({name, Node{.content = LabelledArray{texts, nullptr, nullptr}}});
}

// Returns the row names of a matrix of any class; null if it has none.
ArrayPtr row_names_of(const ValuePtr& matrix, const View& view) {
  if (!matrix) return nullptr;
  const auto extent = extent_of(*matrix);
  if (!extent) return nullptr;
  const bool is_of_matrix = matrix->type == RType::s4 && matrix->attribute("Dimnames");
  return side_names(*matrix, is_of_matrix ? "Dimnames" : "dimnames", 0, extent->first, view);
}

// Adds value as an attribute called name.
void add_attribute(Attributes& attributes, const std::string& name, const ValuePtr& value) {
  if (value && value->is_vector()) attributes.push_back({name, list_of(*value)});
}

// Adds the slots of an object that are not placeholders and are not shown under other names: slots of classes
// derived from Seurat's, and those of some versions alone.
void add_other_slots(std::vector<Member>& members, const Value& object, std::vector<std::string> shown,
                     const View& view) {
  for (const rds::NamedValue& slot : object.attributes) {
    const Value& value = *slot.value;
    const bool is_empty_list = value.type == RType::list && value.items.empty();
    if (is_empty_list || is_placeholder(value)) shown.push_back(slot.name);
  }
  for (Member& member : slot_members(object, view, shown)) members.push_back(std::move(member));
}

using Members = std::vector<Member> (*)(const ValuePtr& object, const View& view);
using Describe = Attributes (*)(const Value& object);

Attributes only_class(const Value& object) {
  return attributes_of(object);
}

Node directory_of(const ValuePtr& object, const View& view, Members members, Describe describe = only_class) {
  Node node;
  node.parts = directory_at(
      view, [object, members](const View& inside) { return members(object, inside); },
      [object, describe] { return describe(*object); }, object);
  return node;
}

// Adds a directory of the named members of a list. make: creates the node of a member.
void add_list(std::vector<Member>& members, const std::string& name, const ValuePtr& list, const View& view,
              Node (*make)(const ValuePtr&, const View&)) {
  if (!list || list->type != RType::list) return;
  const View folder = view.at(view.place.inside(name, view.place.parent));
  Node node;
  node.parts = directory_at(folder, [list, make](const View& inside) {
    const std::optional<std::vector<std::string>> names = list->item_names();
    std::vector<Member> generated;
    MemberNames given;
    for (size_t i = 0; i < list->items.size(); ++i) {
      const ValuePtr& item = list->items[i];
      const std::string own = given.take(names ? (*names)[i] : "", i);
      if (item->type == RType::s4 || item->type == RType::list)
        generated.push_back({own, make(item, inside.at(inside.place.inside(own, inside.place.parent)))});
      else
        add_member(generated, own, item, inside);
    }
    return generated;
  });
  members.push_back({name, std::move(node)});
}

Attributes attributes_with_key(const Value& object) {
  Attributes attributes = attributes_of(object);
  add_attribute(attributes, "key", object.attribute("key"));
  return attributes;
}

// Returns the members of an assay of versions 3 and 4, and of derived classes.
std::vector<Member> assay_members(const ValuePtr& assay, const View& view) {
  std::vector<Member> members;
  for (const char* name : {"counts", "data", "scale.data"})
    if (const ValuePtr matrix = slot_of(*assay, name)) add_assay_matrix(members, name, matrix, view);
  const ValuePtr data = slot_of(*assay, "data");
  add_texts(members, "features", row_names_of(data ? data : slot_of(*assay, "counts"), view));
  add_texts(members, "scaled.features", row_names_of(slot_of(*assay, "scale.data"), view));
  add_slot(members, "variable.features", slot_of(*assay, "var.features"), view);
  const ValuePtr meta = assay->attribute("meta.features");
  if (meta && !(is_frame(*meta) && frame_columns(*meta).items.empty()))
    add_slot(members, "meta.features", meta, view);
  add_slot(members, "misc", assay->attribute("misc"), view);
  add_other_slots(members, *assay,
                  {"counts", "data", "scale.data", "var.features", "meta.features", "misc", "key",
                   "assay.orig", "assay.used"},
                  view);
  return members;
}

// Returns the rows of a LogMap that are TRUE in the column of a layer, in their order; null if it has no such
// column.
ArrayPtr layer_names(const ValuePtr& map, const std::string& layer, const View& view) {
  if (!map || map->type != RType::logical) return nullptr;
  const std::optional<Shape> dimensions = dimensions_of(*map);
  if (!dimensions || dimensions->size() != 2) return nullptr;
  const uint64_t rows = (*dimensions)[0];
  const ArrayPtr names = side_names(*map, "dimnames", 0, rows, view);
  const ArrayPtr layers = side_names(*map, "dimnames", 1, (*dimensions)[1], view);
  if (!names || !layers) return nullptr;
  const Elements all = read_all(*layers);
  for (uint64_t column = 0; column < all.count; ++column) {
    if (all.text(column) != layer) continue;
    const Elements present = map->vector->read(range(column * rows, rows));
    const auto places = std::make_shared<std::vector<Stretch>>();
    for (uint64_t row = 0; row < rows; ++row) {
      if (present.values<int32_t>()[row] != 1) continue;
      if (!places->empty() && places->back().from + places->back().count == row)
        ++places->back().count;
      else
        places->push_back({row, 1});
    }
    return gathered(names, places);
  }
  return nullptr;
}

// Returns the names of a layer's side in a LogMap, if there are count of them.
ArrayPtr fitting_layer_names(const ValuePtr& map, const std::string& layer, uint64_t count, const View& view,
                             const char* side) {
  const std::string place = view.place.path + "/" + layer + ": " + side;
  try {
    const ArrayPtr names = layer_names(map, layer, view);
    if (!names) {
      view.scope->context.notice(place + ": the names are not known");
      return nullptr;
    }
    return count == 0 ? nullptr : frames::fitting_names(names, count, place, view.scope->context);
  } catch (const Error& error) {
    if (is_transient(error)) return std::make_shared<BrokenArray>(text_type(), error);
    view.scope->context.notice(fmt::format("{}: the names are not known: {}", place, error.what()));
    return nullptr;
  }
}

std::vector<Member> layer_members(const ValuePtr& assay, const View& view) {
  const ValuePtr layers = assay->attribute("layers");
  const std::optional<std::vector<std::string>> names = layers->item_names();
  std::vector<Member> members;
  MemberNames given;
  for (size_t i = 0; i < layers->items.size(); ++i) {
    const ValuePtr& layer = layers->items[i];
    const std::string stored = names ? (*names)[i] : "";
    const std::string name = given.take(stored, i);
    View inside = view;
    const auto extent = extent_of(*layer);
    const bool is_matrix =
        layer->is_vector() || is_sparse_matrix(*layer) || is_bpcells(*layer) || is_delayed(*layer);
    if (extent && is_matrix)
      inside.sides =
          SideNames{fitting_layer_names(assay->attribute("features"), stored, extent->first, view, "rows"),
                    fitting_layer_names(assay->attribute("cells"), stored, extent->second, view, "columns")};
    add_assay_matrix(members, name, layer, inside);
  }
  return members;
}

ArrayPtr map_names(const ValuePtr& map, const View& view) {
  if (!map || map->type != RType::logical) return nullptr;
  const std::optional<Shape> dimensions = dimensions_of(*map);
  if (!dimensions || dimensions->size() != 2) return nullptr;
  return side_names(*map, "dimnames", 0, (*dimensions)[0], view);
}

// Adds links from the places of layers before version 5 to their current ones.
void add_old_places(std::vector<Member>& members, const ValuePtr& layers, const View& view) {
  const std::optional<std::vector<std::string>> names = layers->item_names();
  if (!names) return;
  for (const char* name : {"counts", "data", "scale.data"}) {
    if (std::find(names->begin(), names->end(), name) == names->end()) continue;
    Link link;
    link.path = path_names(view.place.path);
    link.path.push_back("layers");
    link.path.push_back(name);
    link.text = view.place.path + "/layers/" + name;
    members.push_back({name, Node{.content = std::move(link)}});
  }
}

std::vector<Member> assay5_members(const ValuePtr& assay, const View& view) {
  std::vector<Member> members;
  const ValuePtr layers = assay->attribute("layers");
  if (layers && layers->type == RType::list) {
    const View folder = view.at(view.place.inside("layers", view.place.parent));
    members.push_back(
        {"layers", directory_of(assay, folder, layer_members, [](const Value&) { return Attributes(); })});
    add_old_places(members, layers, view);
  }
  const ArrayPtr features = map_names(assay->attribute("features"), view);
  add_texts(members, "features", features);
  add_texts(members, "cells", map_names(assay->attribute("cells"), view));
  const ValuePtr meta = assay->attribute("meta.data");
  if (meta && is_frame(*meta) && !frame_columns(*meta).items.empty())
    members.push_back(
        {"meta.features",
         frame_node(meta, view.at(view.place.inside("meta.features", view.place.parent)), features)});
  add_slot(members, "misc", assay->attribute("misc"), view);
  add_other_slots(members, *assay,
                  {"layers", "cells", "features", "default", "assay.orig", "meta.data", "misc", "key"}, view);
  return members;
}

Node assay_node(const ValuePtr& assay, const View& view) {
  if (assay->is_a("Assay5")) return directory_of(assay, view, assay5_members, attributes_with_key);
  if (assay->attribute("data") || assay->attribute("counts"))
    return directory_of(assay, view, assay_members, attributes_with_key);
  return directory_of(
      assay, view, [](const ValuePtr& object, const View& inside) { return slot_members(*object, inside); },
      attributes_with_key);
}

// Returns the slots that are not placeholders.
std::vector<Member> filled_slots(const ValuePtr& object, const View& view) {
  std::vector<std::string> empty{"class"};
  for (const rds::NamedValue& slot : object->attributes)
    if (is_placeholder(*slot.value)) empty.push_back(slot.name);
  return slot_members(*object, view, empty);
}

std::vector<Member> reduction_members(const ValuePtr& reduction, const View& view) {
  std::vector<Member> members;
  const auto add = [&](const std::string& name, std::initializer_list<const char*> slots) {
    for (const char* slot : slots)
      if (const ValuePtr value = slot_of(*reduction, slot)) {
        add_slot(members, name, value, view);
        return value;
      }
    return ValuePtr();
  };
  add("cell.embeddings", {"cell.embeddings"});
  if (!members.empty()) members.back().node.role = Role::embedding;
  add_texts(members, "features",
            row_names_of(add("feature.loadings", {"feature.loadings", "gene.loadings"}), view));
  add_texts(
      members, "projected.features",
      row_names_of(add("feature.loadings.projected", {"feature.loadings.projected", "gene.loadings.full"}),
                   view));
  add("stdev", {"stdev", "sdev"});
  add("misc", {"misc"});
  if (const ValuePtr straw = reduction->attribute("jackstraw"); straw && straw->type == RType::s4)
    members.push_back(
        {"jackstraw",
         directory_of(straw, view.at(view.place.inside("jackstraw", view.place.parent)), filled_slots)});
  add_other_slots(members, *reduction,
                  {"cell.embeddings", "feature.loadings", "feature.loadings.projected", "gene.loadings",
                   "gene.loadings.full", "stdev", "sdev", "misc", "jackstraw", "key", "assay.used", "global"},
                  view);
  return members;
}

Attributes reduction_attributes(const Value& reduction) {
  Attributes attributes = attributes_with_key(reduction);
  add_attribute(attributes, "active.assay", reduction.attribute("assay.used"));
  add_attribute(attributes, "global", reduction.attribute("global"));
  return attributes;
}

Node reduction_node(const ValuePtr& reduction, const View& view) {
  return directory_of(reduction, view, reduction_members, reduction_attributes);
}

Node graph_node(const ValuePtr& graph, const View& view) {
  return node_of(graph, view).value_or(Node{});
}

std::vector<Member> neighbor_members(const ValuePtr& neighbor, const View& view) {
  return slot_members(*neighbor, view, {"alg.idx"});
}

Node neighbor_node(const ValuePtr& neighbor, const View& view) {
  return directory_of(neighbor, view, neighbor_members);
}

std::vector<Member> command_members(const ValuePtr& command, const View& view) {
  const ValuePtr params = command->attribute("params");
  return params && params->type == RType::list ? list_members(*params, view) : std::vector<Member>();
}

Attributes command_attributes(const Value& command) {
  Attributes attributes = attributes_of(command);
  for (const char* slot : {"name", "assay.used", "call.string"})
    add_attribute(attributes, slot, command.attribute(slot));
  return attributes;
}

Node command_node(const ValuePtr& command, const View& view) {
  return directory_of(command, view, command_members, command_attributes);
}

std::string version_text(const Value& object) {
  const ValuePtr version = object.attribute("version");
  if (!version || version->type != RType::list || version->items.empty()) return "";
  const auto numbers = version->items[0]->whole_numbers();
  std::string text;
  for (const int64_t number : numbers.value_or(std::vector<int64_t>())) {
    if (!text.empty()) text += '.';
    text += std::to_string(number);
  }
  return text;
}

Attributes seurat_attributes(const Value& object) {
  Attributes attributes = attributes_of(object);
  add_attribute(attributes, "active.assay", object.attribute("active.assay"));
  add_attribute(attributes, "project", object.attribute("project.name"));
  if (const std::string version = version_text(object); !version.empty())
    attributes.push_back({"version", Json(Json::List{Json(version)})});
  return attributes;
}

// Adds the members that all versions share.
void add_cells(std::vector<Member>& members, const Value& object, const char* ident, const View& view) {
  const ValuePtr meta = object.attribute("meta.data");
  if (meta && is_frame(*meta)) {
    add_texts(members, "cell.names", frame_row_names(*meta));
    const size_t before = members.size();
    add_slot(members, "meta.data", meta, view);
    if (members.size() > before) members.back().node.role = Role::main_table;
  }
  View without_names = view;
  without_names.without_names = true;
  add_slot(members, "active.ident", object.attribute(ident), without_names);
}

std::vector<Member> seurat_members(const ValuePtr& object, const View& view) {
  std::vector<Member> members;
  add_cells(members, *object, "active.ident", view);
  add_list(members, "assays", object->attribute("assays"), view, assay_node);
  add_list(members, "reductions", object->attribute("reductions"), view, reduction_node);
  add_list(members, "graphs", object->attribute("graphs"), view, graph_node);
  add_list(members, "neighbors", object->attribute("neighbors"), view, neighbor_node);
  add_list(members, "images", object->attribute("images"), view, seurat_image_node);
  add_list(members, "commands", object->attribute("commands"), view, command_node);
  add_slot(members, "misc", object->attribute("misc"), view);
  add_slot(members, "tools", object->attribute("tools"), view);
  add_other_slots(members, *object,
                  {"assays", "meta.data", "active.assay", "active.ident", "graphs", "neighbors", "reductions",
                   "images", "project.name", "misc", "version", "commands", "tools"},
                  view);
  return members;
}

// Returns the parts of the only assay of version 2, which are in the object itself.
std::vector<Member> old_assay_members(const ValuePtr& object, const View& view) {
  std::vector<Member> members;
  const ValuePtr counts = slot_of(*object, "raw.data"), data = slot_of(*object, "data");
  if (counts) add_assay_matrix(members, "counts", counts, view);
  if (data) add_assay_matrix(members, "data", data, view);
  if (const ValuePtr scaled = slot_of(*object, "scale.data"))
    add_assay_matrix(members, "scale.data", scaled, view);
  add_texts(members, "features", row_names_of(data ? data : counts, view));
  add_texts(members, "scaled.features", row_names_of(slot_of(*object, "scale.data"), view));
  add_slot(members, "variable.features", slot_of(*object, "var.genes"), view);
  const ValuePtr meta = object->attribute("hvg.info");
  if (meta && is_frame(*meta) && !frame_columns(*meta).items.empty())
    add_slot(members, "meta.features", meta, view);
  return members;
}

Node old_assay_node(const ValuePtr& object, const View& view) {
  return directory_of(object, view, old_assay_members, [](const Value& assay) {
    Attributes attributes;
    add_attribute(attributes, "key", assay.attribute("key"));
    return attributes;
  });
}

std::vector<Member> old_assays(const ValuePtr& object, const View& view) {
  const auto place = [&](const std::string& name) {
    return view.at(view.place.inside(name, view.place.parent));
  };
  std::vector<Member> members{{"RNA", old_assay_node(object, place("RNA"))}};
  const ValuePtr more = object->attribute("assay");
  if (!more || more->type != RType::list) return members;
  const std::optional<std::vector<std::string>> names = more->item_names();
  MemberNames given;
  given.take("RNA", 0);
  for (size_t i = 0; i < more->items.size(); ++i) {
    const std::string name = given.take(names ? (*names)[i] : "", i);
    if (more->items[i]->type == RType::s4)
      members.push_back({name, old_assay_node(more->items[i], place(name))});
  }
  return members;
}

std::vector<Member> old_seurat_members(const ValuePtr& object, const View& view) {
  std::vector<Member> members;
  add_cells(members, *object, "ident", view);
  const auto folder = [&](const std::string& name) {
    return view.at(view.place.inside(name, view.place.parent));
  };
  members.push_back({"assays", directory_of(object, folder("assays"), old_assays,
                                            [](const Value&) { return Attributes(); })});
  add_list(members, "reductions", object->attribute("dr"), view, reduction_node);
  if (const ValuePtr snn = slot_of(*object, "snn")) {
    const View graphs = folder("graphs");
    members.push_back({"graphs", directory_of(
                                     object, graphs,
                                     [](const ValuePtr& whole, const View& inside) {
                                       std::vector<Member> all;
                                       add_slot(all, "snn", whole->attribute("snn"), inside);
                                       return all;
                                     },
                                     [](const Value&) { return Attributes(); })});
  }
  if (const ValuePtr misc = object->attribute("misc")) add_slot(members, "misc", misc, view);
  add_other_slots(members, *object,
                  {"raw.data", "data", "scale.data", "var.genes", "is.expr", "ident", "meta.data",
                   "project.name", "dr", "assay", "hvg.info", "cell.names", "snn", "misc", "version"},
                  view);
  return members;
}

}  // namespace

bool is_seurat(const Value& value) {
  if (value.type != RType::s4) return false;
  return value.is_a("Seurat") || value.is_a("seurat");
}

Node seurat_node(const ValuePtr& object, const View& view) {
  return directory_of(object, view, object->is_a("Seurat") ? seurat_members : old_seurat_members,
                      seurat_attributes);
}

}  // namespace plainfs::robject
