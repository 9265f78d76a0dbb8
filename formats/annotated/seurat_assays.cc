#include "formats/annotated/finders.h"

#include <algorithm>

#include "formats/annotated/parts.h"
#include "formats/annotated/seurat_layers.h"
#include "formats/annotated/slides.h"
#include "formats/core/model/transient_fault.h"
#include "formats/registry.h"

namespace plainfs::annotated {

namespace {

class Assay {
 public:
  // root: the root of the file. group: /assays/NAME.
  Assay(std::string name, GroupPtr root, GroupPtr group, Context& context)
      : name_(std::move(name)), root_(std::move(root)), group_(std::move(group)), context_(context) {}

  AnnotatedMatrix make() {
    take_matrices();
    take_tables();
    take_reductions();
    take_graphs();
    take_coordinates();
    return std::move(made_);
  }

 private:
  std::optional<Node> find(const GroupPtr& group, std::string_view name) const {
    return member_of(group, name, context_);
  }
  static ArrayPtr array_in(const std::optional<Node>& node) {
    const auto array = content_of<LabelledArray>(node);
    return array ? array->values : nullptr;
  }
  static bool is_there(const Content& content) { return !std::holds_alternative<std::monostate>(content); }
  void leave_out(const std::string& what) const {
    context_.notice(fmt::format("{}: not in the .h5ad", what));
  }
  void take_matrices();
  Content counts_of(const SeuratLayers& matrices) const;
  void take_other_layers(const SeuratLayers& matrices);
  void take_tables();
  void take_reductions();
  void take_graphs();
  void take_coordinates();
  bool covers_all_features(const GroupPtr& reduction) const;

  const std::string name_;
  const GroupPtr root_;
  const GroupPtr group_;
  Context& context_;
  AnnotatedMatrix made_;
  ArrayPtr features_, cells_;
};

void Assay::take_matrices() {
  cells_ = array_in(find(root_, "cell.names"));
  features_ = array_in(find(group_, "features"));
  if (!cells_ || !features_) throw damaged("{}: cell.names or features is missing", group_->path());
  made_.cells = cells_->count();
  made_.genes = features_->count();
  const SeuratLayers matrices(group_, features_, cells_, context_);
  if (const std::optional<Error> fault = matrices.fault_of_cells()) throw *fault;
  made_.x = cells_by_genes(matrices.matrix("data"));
  Content counts = counts_of(matrices);
  if (!is_there(made_.x))
    made_.x = std::move(counts);
  else if (is_there(counts))
    made_.layers.push_back({"counts", std::move(counts)});
  if (matrices.has_layers() && !is_there(made_.x))
    throw unsupported("{}: neither layer data nor counts has all features and cells", group_->path());
  take_other_layers(matrices);
  made_.obs = named_rows(made_.cells, cells_);
  made_.var = named_rows(made_.genes, features_);
}

// Returns the counts. If there are data as well, counts of other cells are left out and logged.
Content Assay::counts_of(const SeuratLayers& matrices) const {
  try {
    return cells_by_genes(matrices.matrix("counts"));
  } catch (const Error& error) {
    if (!is_there(made_.x) || error.code() != Errc::unsupported) throw;
    leave_out(error.what());
    return {};
  }
}

// Takes scale.data and, in Seurat 5, each layer that is neither counts nor data nor a part of them.
void Assay::take_other_layers(const SeuratLayers& matrices) {
  const auto take = [&](const std::string& name, const Content& content) {
    if (is_there(content))
      made_.layers.push_back({name, cells_by_genes(content)});
    else
      leave_out(fmt::format("{}/{}", group_->path(), name));
  };
  if (const std::optional<Node> scaled = matrices.stored("scale.data"))
    take("scale.data", matrices.whole(*scaled));
  const std::optional<Node> layers = find(group_, "layers");
  if (!layers || !layers->parts) return;
  for (const Member& member : layers->parts->members())
    if (!is_standard_layer(member.name)) take(member.name, matrices.whole(refine(member.node, context_)));
}

void Assay::take_tables() {
  if (const auto meta = content_of<Table>(find(root_, "meta.data")); meta && !meta->columns.empty()) {
    if (meta->rows != made_.cells)
      throw damaged("/meta.data has {} rows, expected {}, one for each cell", meta->rows, made_.cells);
    made_.obs.columns = meta->columns;
  }
  if (const auto meta = content_of<Table>(find(group_, "meta.features")))
    made_.var.columns = feature_columns(*meta, features_, group_->path() + "/meta.features");
}

// Returns whether the reduction's features are those of the assay, in the same order.
bool Assay::covers_all_features(const GroupPtr& reduction) const {
  const ArrayPtr features = array_in(find(reduction, "features"));
  if (!features || features->count() != made_.genes || features->dtype().kind != Kind::text ||
      features_->dtype().kind != Kind::text)
    return false;
  const Elements ours = read_all(*features_), theirs = read_all(*features);
  for (uint64_t i = 0; i < ours.count; ++i)
    if (ours.text(i) != theirs.text(i)) return false;
  return true;
}

void Assay::take_reductions() {
  const std::optional<Node> reductions = find(root_, "reductions");
  if (!reductions || !reductions->parts) return;
  for (Member& member : reductions->parts->members()) {
    const GroupPtr reduction = readable(std::move(member.node), context_).parts;
    if (!reduction) continue;
    const auto embeddings = content_of<LabelledArray>(find(reduction, "cell.embeddings"));
    if (embeddings && extent_of(*embeddings) && extent_of(*embeddings)->rows == made_.cells &&
        !is_reordered(embeddings->row_names, cells_)) {
      made_.obsm.push_back({"X_" + member.name, *embeddings});
      // Seurat names dimensions "PC_1", AnnData numbers them.
      std::get<LabelledArray>(made_.obsm.back().content).column_names = nullptr;
    } else {
      note_left_out(reductions->parts, member.name, context_);
    }
    const auto loadings = content_of<LabelledArray>(find(reduction, "feature.loadings"));
    if (loadings && extent_of(*loadings) && extent_of(*loadings)->rows == made_.genes &&
        covers_all_features(reduction))
      made_.varm.push_back({member.name, *loadings});
  }
}

void Assay::take_graphs() {
  const std::optional<Node> graphs = find(root_, "graphs");
  if (!graphs || !graphs->parts) return;
  for (Member& member : graphs->parts->members()) {
    const Node node = readable(std::move(member.node), context_);
    const auto* graph = std::get_if<SparseMatrix>(&node.content);
    if (!graph || graph->rows != made_.cells || graph->columns != made_.cells ||
        is_reordered(graph->row_names, cells_) || is_reordered(graph->column_names, cells_)) {
      note_left_out(graphs->parts, member.name, context_);
      continue;
    }
    const Attributes attributes = attributes_of(node);
    const Json* assay = attributes.find("assay.used");
    if (assay && assay->list() && assay->list()->size() == 1) assay = &assay->list()->front();
    const bool is_ours =
        assay && assay->text() ? *assay->text() == name_ : member.name.starts_with(name_ + "_");
    if (is_ours) made_.obsp.push_back({member.name, *graph});
  }
}

void Assay::take_coordinates() {
  made_.slides = [root = root_, cells = cells_, &context = context_] {
    return seurat_slides(root, cells, context);
  };
  const std::vector<Slide> slides = seurat_slides(root_, cells_, context_);
  std::vector<SlidePictures> pictures = pictures_of(slides);
  if (!pictures.empty()) made_.pictures = [pictures = std::move(pictures)] { return pictures; };
  if (ArrayPtr coordinates = coordinates_of(slides, made_.cells))
    made_.obsm.push_back({kSpatial, LabelledArray{std::move(coordinates), made_.obs.row_names, nullptr}});
}

// Returns whether the cells of a group of assays have columns or may have some; nullopt if it holds no
// assays.
std::optional<bool> have_columns(const GroupPtr& assays, Context& context) {
  if (!assays || !assays->path().ends_with("/assays")) return std::nullopt;
  std::optional<Node> meta = assays->parent()->find("meta.data");
  if (!meta) return std::nullopt;
  meta = refine(*std::move(meta), context);
  const auto* frame = std::get_if<Table>(&meta->content);
  if (!frame && !std::holds_alternative<Error>(meta->content) && !transient_fault(*meta)) return std::nullopt;
  return !frame || !frame->columns.empty();
}

FoundAnnotatedMatrix found_assay(const std::string& name, const GroupPtr& root, const GroupPtr& assay,
                                 bool has_columns, Context& context) {
  return {name, [=, &context] { return Assay(name, root, assay, context).make(); }, has_columns};
}

}  // namespace

void find_seurat_assays(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found) {
  const GroupPtr& group = directory.parts;
  const std::optional<bool> has_columns = have_columns(group, context);
  if (!has_columns) return;
  for (const Member& member : group->members())
    if (member.node.parts)
      found.push_back(found_assay(member.name, group->parent(), member.node.parts, *has_columns, context));
}

std::optional<FoundAnnotatedMatrix> find_seurat_assay(const Node& directory, Context& context) {
  const GroupPtr assays = directory.parts ? directory.parts->parent() : nullptr;
  const std::optional<bool> has_columns = have_columns(assays, context);
  if (!has_columns) return std::nullopt;
  const std::string name = directory.parts->path().substr(assays->path().size() + 1);
  return found_assay(name, assays->parent(), directory.parts, *has_columns, context);
}

}  // namespace plainfs::annotated
