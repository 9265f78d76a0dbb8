#include "formats/annotated/finders.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "formats/annotated/left_out.h"
#include "formats/annotated/parts.h"
#include "formats/annotated/seurat_annotations.h"
#include "formats/annotated/seurat_layers.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/node.h"
#include "formats/core/model/transient_fault.h"
#include "formats/registry.h"
#include "formats/schemas/robject/schema.h"

namespace plainfs::annotated {

namespace {

class StoredSeurat {
 public:
  StoredSeurat(GroupPtr root, Context& context)
      : root_(std::move(root)),
        context_(context),
        value_(robject::value_of(*root_)),
        taken_(std::make_shared<TakenParts>(std::make_shared<Origins>(root_))) {
    generated_.taken = taken_;
  }

  SeuratObject make();

 private:
  std::optional<Node> find(const GroupPtr& group, std::string_view name) const {
    return member_of(group, name, context_);
  }
  ArrayPtr array_in(const GroupPtr& group, std::string_view name) const {
    const auto array = content_of<LabelledArray>(find(group, name));
    return array ? array->values : nullptr;
  }
  ColumnsOf dense_in(const GroupPtr& group, std::string_view name, const ArrayPtr& rows) const;
  ColumnsOf dense_of(const std::optional<Node>& node, const std::string& place, const ArrayPtr& rows,
                     const ArrayPtr& columns) const;
  void take_scaled(const SeuratLayers& matrices, const GroupPtr& group, SeuratObject::Assay& assay) const;
  void take_features(const GroupPtr& group, SeuratObject::Assay& assay) const;
  // Calls take(name, node) for each member of the root's group that is a group itself.
  template <class Take>
  void for_each_member(std::string_view group, Take&& take) const;
  void take_assay(const std::string& name, const Node& node);
  void take_reduction(const std::string& name, const Node& node);
  void take_graph(const std::string& name, const Node& node);
  void take_images();
  void take_coordinates(const std::vector<Slide>& slides);
  void leave_out_of_image(const Slide& slide) const;
  void take_meta_data();
  void take_lists();
  RList list_in(const rds::ValuePtr& object, const GroupPtr& group, const char* name) const;
  rds::ValuePtr value_in(const char* list, const std::string& name) const;
  void leave_out_others(const GroupPtr& group, const std::set<std::string_view>& known) const;
  void take_layers(const GroupPtr& layers, const SeuratLayers& matrices, const ArrayPtr& features);
  bool has_assay(const std::string& name) const {
    return std::any_of(generated_.assays.begin(), generated_.assays.end(),
                       [&](const SeuratObject::Assay& assay) { return assay.name == name; });
  }
  // Leaves out a part of the store. why: may be empty.
  void leave_out(const std::string& path, const std::string& why = "") const {
    taken_->refuse_stored(path, why);
  }
  void take(const std::string& path) const { taken_->take_stored(path); }

  const GroupPtr root_;
  Context& context_;
  const rds::ValuePtr value_;  // R's own; null in an h5Seurat file
  const std::shared_ptr<TakenParts> taken_;
  SeuratObject generated_;
};

// Returns a matrix in R's layout; empty if it has no columns or no rows, or if their names do not match. Logs
// names that do not match.
ColumnsOf StoredSeurat::dense_of(const std::optional<Node>& node, const std::string& place,
                                 const ArrayPtr& rows, const ArrayPtr& columns) const {
  const auto array = content_of<LabelledArray>(node);
  if (!array || array->values->shape().size() != 2 || array->values->count() == 0) return {};
  const Extent extent = *extent_of(*array);
  if (is_reordered(array->row_names, rows) || is_reordered(array->column_names, columns)) {
    leave_out(place, "its names are in another order");
    return {};
  }
  if (rows && rows->count() == extent.rows && (!columns || columns->count() == extent.columns))
    return {in_column_order(labelled_values(*array).values)};
  leave_out(place, "its names do not match");
  return {};
}
ColumnsOf StoredSeurat::dense_in(const GroupPtr& group, std::string_view name, const ArrayPtr& rows) const {
  return dense_of(find(group, name), fmt::format("{}/{}", group->path(), name), rows, nullptr);
}

SeuratMatrix seurat_matrix(const Content& content) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&content)) return evaluated(*sparse);
  if (const auto* array = std::get_if<LabelledArray>(&content))
    return ColumnsOf{in_column_order(labelled_values(*array).values)};
  return {};
}

template <class Take>
void StoredSeurat::for_each_member(std::string_view group, Take&& take) const {
  const std::optional<Node> folder = find(root_, group);
  if (!folder || !folder->parts) return;
  for (Member& member : folder->parts->members()) {
    const Node node = readable(std::move(member.node), context_);
    if (node.parts)
      take(member.name, node);
    else
      leave_out(member_path(*folder->parts, member.name));
  }
}

// Logs the members of group that have no place in the object, except for known and empty ones.
void StoredSeurat::leave_out_others(const GroupPtr& group, const std::set<std::string_view>& known) const {
  for (const Member& member : group->members()) {
    const Node node = refine(member.node, context_);
    if (known.contains(member.name) || std::holds_alternative<Link>(node.content) || is_empty(node)) continue;
    leave_out(member_path(*group, member.name));
  }
}

void StoredSeurat::take_assay(const std::string& name, const Node& node) {
  const GroupPtr& group = node.parts;
  SeuratObject::Assay assay;
  assay.name = name;
  assay.key = attributes_of(node).text("key").value_or("");
  assay.features = array_in(group, "features");
  if (!assay.features) throw damaged("{}: features is missing", group->path());
  if (assay.features->count() == 0) return leave_out(group->path(), "no features");
  const SeuratLayers matrices(group, assay.features, generated_.cells, context_);
  if (const std::optional<Error> fault = matrices.fault_of_cells())
    return leave_out(group->path(), fault->what());
  const auto is_refused = [&](const char* matrix) {
    const std::optional<Error> refusal = matrices.refusal(matrix);
    if (refusal) leave_out(fmt::format("{}/{}", group->path(), matrix), refusal->what());
    return refusal.has_value();
  };
  try {
    if (!is_refused("data")) assay.data = seurat_matrix(matrices.matrix("data"));
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported || name == generated_.active_assay) throw;
    return leave_out(group->path(), error.what());
  }
  try {
    if (!is_refused("counts")) assay.counts = seurat_matrix(matrices.matrix("counts"));
  } catch (const Error& error) {
    const bool is_needed =
        std::holds_alternative<std::monostate>(assay.data) && name == generated_.active_assay;
    if (error.code() != Errc::unsupported || is_needed) throw;
    leave_out(group->path() + "/counts", error.what());
  }
  assay.has_own_data = !std::holds_alternative<std::monostate>(assay.data);
  if (!assay.has_own_data) assay.data = assay.counts;
  if (std::holds_alternative<std::monostate>(assay.data))
    return leave_out(group->path(), "no matrix has all of its features and cells");
  take(group->path());
  take_scaled(matrices, group, assay);
  take_features(group, assay);
  leave_out_others(group, {"counts", "data", "scale.data", "layers", "features", "cells", "scaled.features",
                           "variable.features", "meta.features", "misc"});
  assay.misc = list_in(value_in("assays", name), group, "misc");
  const ArrayPtr features = assay.features;
  generated_.assays.push_back(std::move(assay));
  if (const auto layers = find(group, "layers"); layers && layers->parts)
    take_layers(layers->parts, matrices, features);
}

// Adds an assay for each layer beyond the three matrices of an assay of version 4.
void StoredSeurat::take_layers(const GroupPtr& layers, const SeuratLayers& matrices,
                               const ArrayPtr& features) {
  for (const Member& member : layers->members()) {
    if (is_standard_layer(member.name)) continue;
    const Content layer = matrices.whole(refine(member.node, context_));
    if (std::holds_alternative<std::monostate>(layer) || has_assay(member.name)) {
      leave_out(member_path(*layers, member.name));
      continue;
    }
    SeuratObject::Assay assay;
    assay.name = member.name;
    assay.features = features;
    assay.data = seurat_matrix(layer);
    generated_.assays.push_back(std::move(assay));
  }
}

void StoredSeurat::take_scaled(const SeuratLayers& matrices, const GroupPtr& group,
                               SeuratObject::Assay& assay) const {
  const std::optional<Node> scaled = matrices.stored("scale.data");
  assay.scaled_features = array_in(group, "scaled.features");
  if (const auto layer = content_of<LabelledArray>(scaled); layer && !assay.scaled_features)
    assay.scaled_features = layer->row_names;
  assay.scaled = dense_of(scaled, group->path() + "/scale.data", assay.scaled_features, generated_.cells);
}

// Takes the metadata of the features.
void StoredSeurat::take_features(const GroupPtr& group, SeuratObject::Assay& assay) const {
  assay.variable_features = array_in(group, "variable.features");
  const auto meta = content_of<Table>(find(group, "meta.features"));
  if (!meta) return;
  assay.columns = feature_columns(*meta, assay.features, group->path() + "/meta.features");
  if (!assay.variable_features) assay.variable_features = variable_features(*meta);
}

void StoredSeurat::take_reduction(const std::string& name, const Node& node) {
  const GroupPtr& group = node.parts;
  const Attributes attributes = attributes_of(node);
  SeuratObject::Reduction reduction;
  reduction.name = name;
  reduction.key = attributes.text("key").value_or("");
  reduction.assay = attributes.text("active.assay").value_or(generated_.active_assay);
  const Json* global = attributes.find("global");
  if (global && global->list() && global->list()->size() == 1) global = &global->list()->front();
  if (global) reduction.is_global = global->boolean() ? *global->boolean() : global->as_int64() == 1;
  reduction.embeddings = dense_in(group, "cell.embeddings", generated_.cells);
  if (!reduction.embeddings.values) return leave_out(group->path(), "no embeddings");
  take(group->path());
  reduction.features = array_in(group, "features");
  reduction.loadings = dense_in(group, "feature.loadings", reduction.features);
  reduction.projected_features = array_in(group, "projected.features");
  reduction.projected = dense_in(group, "feature.loadings.projected", reduction.projected_features);
  reduction.stdev = array_in(group, "stdev");
  leave_out_others(group, {"cell.embeddings", "features", "feature.loadings", "projected.features",
                           "feature.loadings.projected", "stdev", "misc", "jackstraw"});
  const rds::ValuePtr value = value_in("reductions", name);
  reduction.misc = list_in(value, group, "misc");
  if (value) reduction.jackstraw = value->attribute("jackstraw");
  if (!reduction.jackstraw && find(group, "jackstraw")) leave_out(member_path(*group, "jackstraw"));
  generated_.reductions.push_back(std::move(reduction));
}

void StoredSeurat::take_graph(const std::string& name, const Node& node) {
  const auto* matrix = std::get_if<SparseMatrix>(&node.content);
  const std::string path = "/graphs/" + name;
  if (!matrix) return leave_out(path);
  const uint64_t cells = generated_.cells->count();
  if (!matrix->error && (matrix->rows != cells || matrix->columns != cells))
    return leave_out(path, fmt::format("it is {} by {} for {} cells", matrix->rows, matrix->columns, cells));
  if (is_reordered(matrix->row_names, generated_.cells) ||
      is_reordered(matrix->column_names, generated_.cells))
    return leave_out(path, "its cells are in another order");
  take(path);
  const std::string assay = attributes_of(node).text("assay.used").value_or(generated_.active_assay);
  generated_.graphs.push_back({name, assay, evaluated(*matrix)});
}

// Logs the parts of a slide's image that an image of version 4 cannot hold.
void StoredSeurat::leave_out_of_image(const Slide& slide) const {
  const std::optional<Node> images = find(root_, "images");
  const std::optional<Node> image = find(images->parts, slide.name);
  take(member_path(*images->parts, slide.name));
  if (!slide.pixels)
    context_.notice(
        fmt::format("seurat.rds: images/{}: no picture: only the coordinates are in the object, as "
                    "the reduction {}",
                    slide.name, kSpatial));
  leave_out_others(image->parts, {"coordinates", "image", "scale.factors", "spot.radius", "assay", "key",
                                  "global", "coords_x_orientation", "boundaries"});
  const std::optional<Node> outlines = find(image->parts, "boundaries");
  if (outlines && outlines->parts) leave_out_others(outlines->parts, {"centroids"});
}

// Adds the coordinates as a reduction, which every version and every function of Seurat supports.
void StoredSeurat::take_coordinates(const std::vector<Slide>& slides) {
  const ArrayPtr coordinates = coordinates_of(slides, generated_.cells->count());
  if (!coordinates) return;
  const bool is_taken =
      std::any_of(generated_.reductions.begin(), generated_.reductions.end(),
                  [](const SeuratObject::Reduction& known) { return known.name == kSpatial; });
  if (is_taken) return;
  SeuratObject::Reduction reduction;
  reduction.name = kSpatial;
  reduction.assay = generated_.active_assay;
  reduction.embeddings = {in_column_order(coordinates)};
  generated_.reductions.push_back(std::move(reduction));
}

void StoredSeurat::take_images() {
  std::vector<Slide> slides = seurat_slides(root_, generated_.cells, context_);
  take_coordinates(slides);
  for (Slide& slide : slides) {
    leave_out_of_image(slide);
    if (!slide.pixels) continue;
    if (!has_assay(slide.assay)) slide.assay = generated_.active_assay;
    generated_.images.push_back(std::move(slide));
  }
}

void StoredSeurat::take_meta_data() {
  const std::optional<Node> node = find(root_, "meta.data");
  const auto meta = content_of<Table>(node);
  if (!meta) throw damaged("meta.data is not a table");
  if (meta->rows != generated_.cells->count())
    throw damaged("meta.data has {} rows, expected {}", meta->rows, generated_.cells->count());
  generated_.meta_data = meta->columns;
  for (const char* name : {"cell.names", "active.assay", "meta.data", "active.ident"})
    take(member_path(*root_, name));
  generated_.identities = array_in(root_, "active.ident");
}

SeuratObject StoredSeurat::make() {
  generated_.cells = array_in(root_, "cell.names");
  if (!generated_.cells) throw damaged("cell.names is missing");
  const Attributes attributes = root_->attributes();
  generated_.project = attributes.text("project").value_or("SeuratProject");
  generated_.active_assay = attributes.text("active.assay").value_or("");
  for_each_member("assays", [&](const std::string& name, const Node& node) { take_assay(name, node); });
  if (generated_.assays.empty()) throw unsupported("no assay has a matrix");
  if (!has_assay(generated_.active_assay)) generated_.active_assay = generated_.assays.front().name;
  // The active assay comes first in a Seurat object.
  std::stable_partition(
      generated_.assays.begin(), generated_.assays.end(),
      [&](const SeuratObject::Assay& assay) { return assay.name == generated_.active_assay; });
  take_meta_data();
  for_each_member("reductions",
                  [&](const std::string& name, const Node& node) { take_reduction(name, node); });
  for_each_member("graphs", [&](const std::string& name, const Node& node) { take_graph(name, node); });
  take_images();
  take_lists();
  return std::move(generated_);
}

// Returns the value of a member of a list of the object, for example of an assay; null if it is not R's own.
rds::ValuePtr StoredSeurat::value_in(const char* list, const std::string& name) const {
  const rds::ValuePtr values = value_ ? value_->attribute(list) : nullptr;
  return values && values->type == rds::RType::list ? values->item(name) : nullptr;
}

// Returns a list of any content: R's own value, or the members of a group.
RList StoredSeurat::list_in(const rds::ValuePtr& object, const GroupPtr& group, const char* name) const {
  if (const rds::ValuePtr list = object ? object->attribute(name) : nullptr)
    if (list->type == rds::RType::list) return {list, {}};
  const GroupPtr members = object ? nullptr : find_group(*group, name);
  return {nullptr, members ? members->members() : std::vector<Member>()};
}

// An h5Seurat file does not record the form in R of commands and neighbours.
void StoredSeurat::take_lists() {
  generated_.misc = list_in(value_, root_, "misc");
  generated_.tools = list_in(value_, root_, "tools");
  for (const char* name : {"misc", "tools"}) take(member_path(*root_, name));
  if (!value_) return;
  generated_.neighbors = list_in(value_, root_, "neighbors");
  generated_.commands = list_in(value_, root_, "commands");
  for (const char* name : {"neighbors", "commands"}) take(member_path(*root_, name));
}

// Returns the reason why the first assay is refused if all of them are.
std::optional<Error> refusal_of_all(const Group& assays, Context& context) try {
  std::optional<Error> first;
  for (const Member& member : assays.members()) {
    std::optional<Error> refusal =
        member.node.parts ? refusal_of_assay(member.node.parts, context) : std::nullopt;
    if (!refusal) return std::nullopt;
    if (!first) first = std::move(refusal);
  }
  return first;
} catch (const Error&) {
  return std::nullopt;
}

// Returns whether an assay has something in the place of a matrix that an object requires. What cannot be
// read may be one.
bool may_have_matrix(const Group& assays) try {
  const std::vector<Member> members = assays.members();
  return std::any_of(members.begin(), members.end(), [](const Member& member) {
    for (const char* const name : {"counts", "data", "layers"}) {
      const std::optional<Node> matrix = member.node.parts ? member.node.parts->find(name) : std::nullopt;
      if (matrix && !is_empty(*matrix)) return true;
    }
    return !member.node.parts && std::holds_alternative<Error>(member.node.content);
  });
} catch (const Error&) {
  return true;
}

}  // namespace

std::optional<std::function<SeuratObject()>> find_stored_seurat(const Node& directory, Context& context) {
  const GroupPtr& root = directory.parts;
  if (!root || !look_at_member(root, "cell.names", context)) return std::nullopt;
  const std::optional<Node> assays = look_at_member(root, "assays", context);
  const std::optional<Node> meta = look_at_member(root, "meta.data", context);
  if (!assays || !assays->parts || !meta) return std::nullopt;
  const bool is_frame = std::holds_alternative<Table>(meta->content);
  if (!is_frame && !std::holds_alternative<Error>(meta->content) && !transient_fault(*meta))
    return std::nullopt;
  if (!may_have_matrix(*assays->parts)) {
    context.notice(fmt::format("no seurat.rds of {}: no assay has a matrix", root->path()));
    return std::nullopt;
  }
  if (const std::optional<Error> refusal = refusal_of_all(*assays->parts, context)) {
    context.notice(fmt::format("no seurat.rds of {}: {}", root->path(), refusal->what()));
    return std::nullopt;
  }
  return [root, &context] { return StoredSeurat(root, context).make(); };
}

}  // namespace plainfs::annotated
