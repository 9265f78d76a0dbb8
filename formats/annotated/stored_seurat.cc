#include "formats/annotated/finders.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "formats/annotated/parts.h"
#include "formats/annotated/seurat_layers.h"
#include "formats/annotated/slides.h"
#include "formats/core/algebra/common_type.h"
#include "formats/core/algebra/gathered.h"
#include "formats/core/model/node.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/model/turned_array.h"
#include "formats/registry.h"

namespace plainfs::annotated {

namespace {

// Returns the variable features that Seurat 5 names in a column of the feature metadata, sorted by rank; null
// if it names none.
ArrayPtr variable_features(const Table& meta) {
  const auto column = [&](std::string_view name) {
    const auto found = std::find_if(meta.columns.begin(), meta.columns.end(),
                                    [&](const Column& one) { return one.name == name; });
    return found == meta.columns.end() ? nullptr : found->values;
  };
  const ArrayPtr stored = column("var.features"), ranks = column("var.features.rank");
  if (!stored || !stored->dtype().is_text()) return nullptr;
  const Elements names = read_all(*stored);
  std::vector<uint64_t> order;
  for (uint64_t i = 0; i < names.count; ++i)
    if (!names.is_missing(i)) order.push_back(i);
  if (ranks && ranks->dtype().is_integer_or_real()) {
    const Elements rank = as_type(ranks->dtype(), read_all(*ranks), number_type(Kind::real, 8));
    std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
      return rank.values<double>()[a] < rank.values<double>()[b];
    });
  }
  if (order.empty()) return nullptr;
  return std::make_shared<MemoryArray>(text_type(), Shape{order.size()}, gather(text_type(), names, order));
}

class StoredSeurat {
 public:
  StoredSeurat(GroupPtr root, Context& context) : root_(std::move(root)), context_(context) {}

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
  void leave_out_others(const GroupPtr& group, const std::set<std::string_view>& known) const;
  void leave_out_layers(const GroupPtr& layers) const;
  bool has_assay(const std::string& name) const {
    return std::any_of(made_.assays.begin(), made_.assays.end(),
                       [&](const SeuratObject::Assay& assay) { return assay.name == name; });
  }
  void leave_out(const std::string& what) const {
    context_.notice(fmt::format("seurat.rds: {}: not in the object", what));
  }

  const GroupPtr root_;
  Context& context_;
  SeuratObject made_;
};

// Returns a matrix in R's layout; empty if it has no columns or no rows, or if their names do not match. Logs
// names that do not match.
ColumnsOf StoredSeurat::dense_of(const std::optional<Node>& node, const std::string& place,
                                 const ArrayPtr& rows, const ArrayPtr& columns) const {
  const auto array = content_of<LabelledArray>(node);
  if (!array || array->values->shape().size() != 2 || array->values->count() == 0) return {};
  const Extent extent = *extent_of(*array);
  if (is_reordered(array->row_names, rows) || is_reordered(array->column_names, columns)) {
    leave_out(place + ", which has its names in another order");
    return {};
  }
  if (rows && rows->count() == extent.rows && (!columns || columns->count() == extent.columns))
    return {in_column_order(labelled_values(*array).values)};
  leave_out(place + ", which has names that do not match");
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
      leave_out(fmt::format("{}/{}", group, member.name));
  }
}

// Logs the members of group that have no place in the object, except for known and empty ones.
void StoredSeurat::leave_out_others(const GroupPtr& group, const std::set<std::string_view>& known) const {
  for (const Member& member : group->members()) {
    const Node node = refine(member.node, context_);
    if (known.contains(member.name) || std::holds_alternative<Link>(node.content) || is_empty(node)) continue;
    leave_out(fmt::format("{}/{}", group->path(), member.name));
  }
}

void StoredSeurat::take_assay(const std::string& name, const Node& node) {
  const GroupPtr& group = node.parts;
  SeuratObject::Assay assay;
  assay.name = name;
  assay.key = attributes_of(node).text("key").value_or("");
  assay.features = array_in(group, "features");
  if (!assay.features) throw damaged("{}: features is missing", group->path());
  if (assay.features->count() == 0) return leave_out(group->path() + ", which has no features");
  const SeuratLayers matrices(group, assay.features, made_.cells, context_);
  if (const std::optional<Error> fault = matrices.fault_of_cells()) return leave_out(fault->what());
  try {
    assay.data = seurat_matrix(matrices.matrix("data"));
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported || name == made_.active_assay) throw;
    return leave_out(error.what());
  }
  try {
    assay.counts = seurat_matrix(matrices.matrix("counts"));
  } catch (const Error& error) {
    const bool is_needed = std::holds_alternative<std::monostate>(assay.data) && name == made_.active_assay;
    if (error.code() != Errc::unsupported || is_needed) throw;
    leave_out(error.what());
  }
  assay.has_own_data = !std::holds_alternative<std::monostate>(assay.data);
  if (!assay.has_own_data) assay.data = assay.counts;
  if (std::holds_alternative<std::monostate>(assay.data))
    return leave_out(group->path() + ", which has no matrix of all its features and cells");
  take_scaled(matrices, group, assay);
  take_features(group, assay);
  leave_out_others(group, {"counts", "data", "scale.data", "layers", "features", "cells", "scaled.features",
                           "variable.features", "meta.features"});
  if (const auto layers = find(group, "layers"); layers && layers->parts) leave_out_layers(layers->parts);
  made_.assays.push_back(std::move(assay));
}

// Logs the layers beyond the three matrices of an assay of version 4.
void StoredSeurat::leave_out_layers(const GroupPtr& layers) const {
  for (const Member& member : layers->members())
    if (!is_standard_layer(member.name)) leave_out(fmt::format("{}/{}", layers->path(), member.name));
}

void StoredSeurat::take_scaled(const SeuratLayers& matrices, const GroupPtr& group,
                               SeuratObject::Assay& assay) const {
  const std::optional<Node> scaled = matrices.stored("scale.data");
  assay.scaled_features = array_in(group, "scaled.features");
  if (const auto layer = content_of<LabelledArray>(scaled); layer && !assay.scaled_features)
    assay.scaled_features = layer->row_names;
  assay.scaled = dense_of(scaled, group->path() + "/scale.data", assay.scaled_features, made_.cells);
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
  reduction.assay = attributes.text("active.assay").value_or(made_.active_assay);
  const Json* global = attributes.find("global");
  if (global && global->list() && global->list()->size() == 1) global = &global->list()->front();
  if (global) reduction.is_global = global->boolean() ? *global->boolean() : global->as_int64() == 1;
  reduction.embeddings = dense_in(group, "cell.embeddings", made_.cells);
  if (!reduction.embeddings.values) return leave_out(group->path() + ", which has no embeddings");
  reduction.features = array_in(group, "features");
  reduction.loadings = dense_in(group, "feature.loadings", reduction.features);
  reduction.projected_features = array_in(group, "projected.features");
  reduction.projected = dense_in(group, "feature.loadings.projected", reduction.projected_features);
  reduction.stdev = array_in(group, "stdev");
  leave_out_others(group, {"cell.embeddings", "features", "feature.loadings", "projected.features",
                           "feature.loadings.projected", "stdev"});
  made_.reductions.push_back(std::move(reduction));
}

void StoredSeurat::take_graph(const std::string& name, const Node& node) {
  const auto* matrix = std::get_if<SparseMatrix>(&node.content);
  if (!matrix) return leave_out("graphs/" + name);
  const uint64_t cells = made_.cells->count();
  if (!matrix->error && (matrix->rows != cells || matrix->columns != cells))
    return leave_out(
        fmt::format("graphs/{}, which is {} by {} for {} cells", name, matrix->rows, matrix->columns, cells));
  if (is_reordered(matrix->row_names, made_.cells) || is_reordered(matrix->column_names, made_.cells))
    return leave_out(fmt::format("graphs/{}, which has its cells in another order", name));
  const std::string assay = attributes_of(node).text("assay.used").value_or(made_.active_assay);
  made_.graphs.push_back({name, assay, evaluated(*matrix)});
}

// Logs the parts of a slide's image that an image of version 4 cannot hold.
void StoredSeurat::leave_out_of_image(const Slide& slide) const {
  const std::optional<Node> images = find(root_, "images");
  const std::optional<Node> image = find(images->parts, slide.name);
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
  const ArrayPtr coordinates = coordinates_of(slides, made_.cells->count());
  if (!coordinates) return;
  const bool is_taken =
      std::any_of(made_.reductions.begin(), made_.reductions.end(),
                  [](const SeuratObject::Reduction& known) { return known.name == kSpatial; });
  if (is_taken) return leave_out("the coordinates of images, as a reduction already has that name");
  SeuratObject::Reduction reduction;
  reduction.name = kSpatial;
  reduction.assay = made_.active_assay;
  reduction.embeddings = {in_column_order(coordinates)};
  made_.reductions.push_back(std::move(reduction));
}

void StoredSeurat::take_images() {
  std::vector<Slide> slides = seurat_slides(root_, made_.cells, context_);
  take_coordinates(slides);
  for (Slide& slide : slides) {
    leave_out_of_image(slide);
    if (!slide.pixels) continue;
    if (!has_assay(slide.assay)) slide.assay = made_.active_assay;
    made_.images.push_back(std::move(slide));
  }
}

void StoredSeurat::take_meta_data() {
  const std::optional<Node> node = find(root_, "meta.data");
  const auto meta = content_of<Table>(node);
  if (!meta) throw damaged("meta.data is not a table");
  if (meta->rows != made_.cells->count())
    throw damaged("meta.data has {} rows, expected {}", meta->rows, made_.cells->count());
  made_.meta_data = meta->columns;
  made_.identities = array_in(root_, "active.ident");
}

SeuratObject StoredSeurat::make() {
  made_.cells = array_in(root_, "cell.names");
  if (!made_.cells) throw damaged("cell.names is missing");
  const Attributes attributes = root_->attributes();
  made_.project = attributes.text("project").value_or("SeuratProject");
  made_.active_assay = attributes.text("active.assay").value_or("");
  for_each_member("assays", [&](const std::string& name, const Node& node) { take_assay(name, node); });
  if (made_.assays.empty()) throw unsupported("no assay has a matrix");
  if (!has_assay(made_.active_assay)) made_.active_assay = made_.assays.front().name;
  // The active assay comes first in a Seurat object.
  std::stable_partition(made_.assays.begin(), made_.assays.end(),
                        [&](const SeuratObject::Assay& assay) { return assay.name == made_.active_assay; });
  take_meta_data();
  for_each_member("reductions",
                  [&](const std::string& name, const Node& node) { take_reduction(name, node); });
  for_each_member("graphs", [&](const std::string& name, const Node& node) { take_graph(name, node); });
  take_images();
  return std::move(made_);
}

// Returns "slice1", or "a, b, c and 22 more"; empty if no member of list is chosen.
template <class Choose>
std::string names_in(const Group& list, Choose is_chosen) {
  constexpr size_t kMostNames = 3;
  std::vector<std::string> names;
  uint64_t count = 0;
  for (const Member& member : list.members())
    if (is_chosen(member) && ++count <= kMostNames) names.push_back(member.name);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (count > kMostNames) text += fmt::format(" and {} more", count - kMostNames);
  return text;
}

bool has_coordinates(const Member& image) {
  return image.node.parts && image.node.parts->find("coordinates");
}

bool has_coordinates_alone(const Member& image) {
  return has_coordinates(image) && !image.node.parts->find("image");
}

// Logs what the object holds that no generated file contains. Looks at names alone.
void note_left_out_lists(const GroupPtr& root, Context& context) {
  for (const std::string_view name : {"images", "neighbors", "misc", "tools", "commands"}) try {
      const std::optional<Node> list = look_at_member(root, name, context);
      if (!list || !list->parts) continue;
      const bool are_images = name == "images";
      const std::string others =
          names_in(*list->parts, [&](const Member& one) { return !are_images || !has_coordinates(one); });
      if (!others.empty())
        context.notice(fmt::format("/{}: {}: in neither seurat.rds nor the .h5ad of an assay", name, others));
      const std::string images = are_images ? names_in(*list->parts, has_coordinates_alone) : "";
      if (!images.empty())
        context.notice(fmt::format("/images: {}: the .h5ad of an assay has only the coordinates", images));
    } catch (const Error&) {
      // listing it reports the error
    }
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
  note_left_out_lists(root, context);
  return [root, &context] { return StoredSeurat(root, context).make(); };
}

}  // namespace plainfs::annotated
