#include "formats/schemas/annotated/stored_seurat.h"

#include <algorithm>

#include "formats/core/model/as_meant.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/model/turned_array.h"
#include "formats/registry.h"
#include "formats/schemas/annotated/parts.h"

namespace plainfs::annotated {

namespace {

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
  ColumnsOf dense_in(const GroupPtr& group, std::string_view name, const ArrayPtr& rows,
                     const ArrayPtr& columns) const;
  SeuratMatrix matrix_in(const GroupPtr& assay, std::string_view name, uint64_t features) const;
  // Calls take(name, node) for each member of the root's group that is a group itself.
  template <class Take>
  void for_each_member(std::string_view group, Take&& take) const;
  void take_assay(const std::string& name, const Node& node);
  void take_reduction(const std::string& name, const Node& node);
  void take_graph(const std::string& name, const Node& node);
  void take_meta_data();
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

// A matrix as R keeps it; none where it has no columns or no rows, or others than there are names of.
ColumnsOf StoredSeurat::dense_in(const GroupPtr& group, std::string_view name, const ArrayPtr& rows,
                                 const ArrayPtr& columns) const {
  const auto array = content_of<LabelledArray>(find(group, name));
  if (!array || array->values->shape().size() != 2 || array->values->count() == 0) return {};
  const Extent extent = *extent_of(*array);
  if (rows && rows->count() == extent.rows && (!columns || columns->count() == extent.columns))
    return {in_column_order(as_meant(*array).values)};
  leave_out(fmt::format("{}/{}, whose names do not fit", group->path(), name));
  return {};
}

// Of as many features and cells as the assay has: another stands for none.
SeuratMatrix StoredSeurat::matrix_in(const GroupPtr& assay, std::string_view name, uint64_t features) const {
  const std::optional<Node> node = find(assay, name);
  const std::optional<Extent> extent = node ? extent_of(node->content) : std::nullopt;
  if (!extent || extent->rows != features || extent->columns != made_.cells->count()) return {};
  if (const auto* sparse = std::get_if<SparseMatrix>(&node->content)) return evaluated(*sparse);
  return ColumnsOf{in_column_order(as_meant(std::get<LabelledArray>(node->content)).values)};
}

template <class Take>
void StoredSeurat::for_each_member(std::string_view group, Take&& take) const {
  const std::optional<Node> folder = find(root_, group);
  if (!folder || !folder->parts) return;
  for (Member& member : folder->parts->members()) {
    const Node node = readable(std::move(member.node), context_);
    if (node.parts) take(member.name, node);
  }
}

void StoredSeurat::take_assay(const std::string& name, const Node& node) {
  const GroupPtr& group = node.parts;
  SeuratObject::Assay assay;
  assay.name = name;
  assay.key = text_of(attributes_of(node), "key").value_or("");
  assay.features = array_in(group, "features");
  if (!assay.features) throw damaged("{}: no features", group->path());
  const uint64_t features = assay.features->count();
  if (features == 0) return leave_out(group->path() + ", which has no features");
  assay.counts = matrix_in(group, "counts", features);
  assay.data = matrix_in(group, "data", features);
  if (std::holds_alternative<std::monostate>(assay.data)) assay.data = assay.counts;
  if (std::holds_alternative<std::monostate>(assay.data))
    return leave_out(group->path() + ", which has no matrix");
  assay.scaled_features = array_in(group, "scaled.features");
  assay.scaled = dense_in(group, "scale.data", assay.scaled_features, made_.cells);
  assay.variable_features = array_in(group, "variable.features");
  if (const auto meta = content_of<Table>(find(group, "meta.features"))) {
    if (meta->rows != features)
      throw damaged("{}/meta.features has {} rows, not {}", group->path(), meta->rows, features);
    assay.columns = meta->columns;
  }
  made_.assays.push_back(std::move(assay));
}

void StoredSeurat::take_reduction(const std::string& name, const Node& node) {
  const GroupPtr& group = node.parts;
  const Attributes attributes = attributes_of(node);
  SeuratObject::Reduction reduction;
  reduction.name = name;
  reduction.key = text_of(attributes, "key").value_or("");
  reduction.assay = text_of(attributes, "active.assay").value_or(made_.active_assay);
  const Json* global = find_attribute(attributes, "global");
  if (global && global->list() && global->list()->size() == 1) global = &global->list()->front();
  if (global) reduction.is_global = global->boolean() ? *global->boolean() : global->as_int64() == 1;
  reduction.embeddings = dense_in(group, "cell.embeddings", made_.cells, nullptr);
  if (!reduction.embeddings.values) return leave_out(group->path() + ", which has no embeddings");
  reduction.features = array_in(group, "features");
  reduction.loadings = dense_in(group, "feature.loadings", reduction.features, nullptr);
  reduction.projected_features = array_in(group, "projected.features");
  reduction.projected = dense_in(group, "feature.loadings.projected", reduction.projected_features, nullptr);
  reduction.stdev = array_in(group, "stdev");
  made_.reductions.push_back(std::move(reduction));
}

void StoredSeurat::take_graph(const std::string& name, const Node& node) {
  const auto* matrix = std::get_if<SparseMatrix>(&node.content);
  if (!matrix) return leave_out("graphs/" + name);
  const std::string assay = text_of(attributes_of(node), "assay.used").value_or(made_.active_assay);
  made_.graphs.push_back({name, assay, evaluated(*matrix)});
}

void StoredSeurat::take_meta_data() {
  const std::optional<Node> node = find(root_, "meta.data");
  const auto meta = content_of<Table>(node);
  if (!meta) throw damaged("meta.data is no table");
  if (meta->rows != made_.cells->count())
    throw damaged("meta.data has {} rows, not {}", meta->rows, made_.cells->count());
  made_.meta_data = meta->columns;
  made_.identities = array_in(root_, "active.ident");
}

SeuratObject StoredSeurat::make() {
  made_.cells = array_in(root_, "cell.names");
  if (!made_.cells) throw damaged("there are no cell.names");
  const Attributes attributes = root_->attributes();
  made_.project = text_of(attributes, "project").value_or("SeuratProject");
  made_.active_assay = text_of(attributes, "active.assay").value_or("");
  for_each_member("assays", [&](const std::string& name, const Node& node) { take_assay(name, node); });
  if (made_.assays.empty()) throw unsupported("no assay has a matrix");
  if (!has_assay(made_.active_assay)) made_.active_assay = made_.assays.front().name;
  // A Seurat object is one of its active assay first.
  std::stable_partition(made_.assays.begin(), made_.assays.end(),
                        [&](const SeuratObject::Assay& assay) { return assay.name == made_.active_assay; });
  take_meta_data();
  for_each_member("reductions",
                  [&](const std::string& name, const Node& node) { take_reduction(name, node); });
  for_each_member("graphs", [&](const std::string& name, const Node& node) { take_graph(name, node); });
  return std::move(made_);
}

}  // namespace

std::optional<std::function<SeuratObject()>> find_stored_seurat(const Node& directory, Context& context) {
  const GroupPtr& root = directory.parts;
  if (!root || root->parent()) return std::nullopt;
  bool has_cells = false, has_assays = false;
  std::optional<Node> meta;
  for (Member& member : root->members()) {
    has_cells |= member.name == "cell.names";
    has_assays |= member.name == "assays" && member.node.parts;
    if (member.name == "meta.data") meta = std::move(member.node);
  }
  if (!has_cells || !has_assays || !meta) return std::nullopt;
  meta = refine(*std::move(meta), context);
  const bool is_frame = std::holds_alternative<Table>(meta->content);
  if (!is_frame && !std::holds_alternative<Error>(meta->content) && !transient_fault(*meta))
    return std::nullopt;
  return [root, &context] { return StoredSeurat(root, context).make(); };
}

}  // namespace plainfs::annotated
