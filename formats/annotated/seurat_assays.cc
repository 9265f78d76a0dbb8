#include "formats/annotated/finders.h"

#include <algorithm>
#include <cmath>

#include "formats/annotated/layer_assays.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/parts.h"
#include "formats/annotated/seurat_annotations.h"
#include "formats/annotated/seurat_layers.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/registry.h"

namespace plainfs::annotated {

namespace {

// The share of a Seurat object that a matrix has: an assay with all annotations of the object's cells, the
// assay alone, or the annotations alone.
enum class Share { assay_and_object, assay, object };

class Assay {
 public:
  // root: the root of the file. group: /assays/NAME; of the active assay for Share::object.
  Assay(std::string name, GroupPtr root, GroupPtr group, Context& context,
        Share share = Share::assay_and_object)
      : name_(std::move(name)),
        root_(std::move(root)),
        group_(std::move(group)),
        context_(context),
        share_(share),
        is_active_(root_->attributes().readable().text("active.assay") == name_),
        origins_(std::make_shared<Origins>(root_)) {}

  // placed_in_misc: for Share::object, what placed_in_misc() of the active assay returns.
  AnnotatedMatrix make(std::set<UnsTree::Path> placed_in_misc = {}) {
    placed_ = std::move(placed_in_misc);
    take_matrices();
    take_tables();
    find_slides();
    take_parts_outside();
    take_reductions();
    take_graphs();
    take_coordinates();
    for (const char* name : {"cell.names", "active.assay"}) origins_->add_implied(member_path(*root_, name));
    for (const char* name : {"features", "cells", "scaled.features"}) origins_->add_implied(place(name));
    generated_.uns = uns_.members();
    generated_.origins = origins_;
    return std::move(generated_);
  }
  // Returns the members of misc that have another place in the matrix. Requires: make() was called.
  const std::set<UnsTree::Path>& placed_in_misc() const { return placed_; }

 private:
  bool has_assay() const { return share_ != Share::object; }
  bool has_object() const { return share_ != Share::assay; }
  bool has_reduction(const Node& reduction) const;
  std::optional<Node> find(const GroupPtr& group, std::string_view name) const {
    return member_of(group, name, context_);
  }
  static ArrayPtr array_in(const std::optional<Node>& node) {
    const auto array = content_of<LabelledArray>(node);
    return array ? array->values : nullptr;
  }
  // Returns the path of a member of the assay.
  std::string place(std::string_view name) const { return member_path(*group_, name); }
  // Records the places of a matrix and of the layers into which Seurat 5 split it.
  void add_origins_of_matrix(const std::string& to, const std::string& name) const;
  static bool exists(const Content& content) { return !std::holds_alternative<std::monostate>(content); }
  void take_matrices();
  bool is_refused(const char* name, const SeuratLayers& matrices) const;
  Content counts_of(const SeuratLayers& matrices) const;
  void take_other_layers(const SeuratLayers& matrices);
  void take_tables();
  void take_cells();
  void take_features();
  void take_reductions();
  void take_reduction(const std::string& name, const GroupPtr& reduction);
  void take_loadings(const GroupPtr& reduction, const char* loadings, const char* features,
                     const std::string& to);
  void take_graphs();
  std::string name_of_graph(const std::string& name, const std::vector<Member>& all) const;
  void find_slides();
  void take_parts_outside();
  bool is_of_slides(const LabelledArray& embeddings) const;
  void take_coordinates();
  void add_cell_places();

  const std::string name_;
  const GroupPtr root_;
  const GroupPtr group_;
  Context& context_;
  const Share share_;
  const bool is_active_;
  std::set<UnsTree::Path> placed_;
  AnnotatedMatrix generated_;
  ArrayPtr features_, cells_;
  std::vector<Slide> slides_;
  ArrayPtr coordinates_;                                      // of the cells on the slides; null = none
  bool has_pictures_ = false, has_pictures_in_misc_ = false;  // of the slides
  std::shared_ptr<Origins> origins_;
  UnsTree uns_;
};

void Assay::add_origins_of_matrix(const std::string& to, const std::string& name) const {
  origins_->add(to, place(name));
  const GroupPtr layers = find_group(*group_, "layers");
  if (!layers) return;
  for (const Member& layer : layers->members())
    if (layer.name == name || layer.name.starts_with(name + "."))
      origins_->add(to, member_path(*layers, layer.name));
}

void Assay::take_matrices() {
  cells_ = array_in(find(root_, "cell.names"));
  features_ = array_in(find(group_, "features"));
  if (!cells_ || !features_) throw damaged("{}: cell.names or features is missing", group_->path());
  generated_.cells = cells_->count();
  generated_.obs = named_rows(generated_.cells, cells_);
  if (!has_assay()) return;
  generated_.genes = features_->count();
  generated_.var = named_rows(generated_.genes, features_);
  const SeuratLayers matrices(group_, features_, cells_, context_);
  if (const std::optional<Error> fault = matrices.fault_of_cells()) throw *fault;
  if (!is_refused("data", matrices)) generated_.x = cells_by_genes(matrices.matrix("data"));
  Content counts = counts_of(matrices);
  const bool has_data = exists(generated_.x);
  add_origins_of_matrix("/X", has_data ? "data" : "counts");
  if (has_data) add_origins_of_matrix("/layers/counts", "counts");
  if (!has_data)
    generated_.x = std::move(counts);
  else if (exists(counts))
    generated_.layers.push_back({"counts", std::move(counts)});
  if (!exists(generated_.x))
    if (const std::optional<Error> refusal = refusal_of_assay(group_, context_)) throw *refusal;
  if (matrices.has_layers() && !exists(generated_.x))
    throw unsupported("{}: neither layer data nor counts has all features and cells", group_->path());
  take_other_layers(matrices);
}

// Returns whether the matrix called name is known to be refused. Logs it.
bool Assay::is_refused(const char* name, const SeuratLayers& matrices) const {
  const std::optional<Error> refusal = matrices.refusal(name);
  if (refusal) context_.notice(fmt::format("{}: not in the .h5ad: {}", place(name), refusal->what()));
  return refusal.has_value();
}

// Returns the counts. If there are data as well, counts of other cells are left out and logged.
Content Assay::counts_of(const SeuratLayers& matrices) const {
  try {
    if (is_refused("counts", matrices)) return {};
    return cells_by_genes(matrices.matrix("counts"));
  } catch (const Error& error) {
    if (!exists(generated_.x) || error.code() != Errc::unsupported) throw;
    context_.notice(fmt::format("{}: not in the .h5ad", error.what()));
    return {};
  }
}

// Takes scale.data and, in Seurat 5, each layer that is neither counts nor data nor a part of them.
void Assay::take_other_layers(const SeuratLayers& matrices) {
  const auto take = [&](const std::string& name, const Content& content) {
    if (exists(content)) {
      generated_.layers.push_back({name, cells_by_genes(content)});
      add_origins_of_matrix("/layers/" + name, name);
    }
  };
  if (const std::optional<Node> scaled = matrices.stored("scale.data"))
    take("scale.data", matrices.whole(*scaled));
  const std::optional<Node> layers = find(group_, "layers");
  if (!layers || !layers->parts) return;
  for (const Member& member : layers->parts->members())
    if (!is_standard_layer(member.name)) take(member.name, matrices.whole(refine(member.node, context_)));
}

// Takes the parts of the active assay that lie outside of it, and the lists of the object.
void Assay::take_parts_outside() {
  if (is_active_ && has_assay()) {
    const ActiveAssay assay{root_, name_, features_, cells_};
    add_layer_assays(assay, generated_, *origins_, context_);
    placed_ = add_annotations_in_misc(assay, generated_, *origins_, context_);
  }
  if (has_pictures_ && !has_pictures_in_misc_) placed_.insert({kSpatial});
  add_lists(has_object() ? root_ : nullptr, has_assay() ? group_ : nullptr, placed_, uns_, *origins_,
            context_);
}

void Assay::take_tables() {
  if (has_object()) take_cells();
  if (has_assay()) take_features();
}

void Assay::take_cells() {
  if (const auto meta = content_of<Table>(find(root_, "meta.data")); meta && !meta->columns.empty()) {
    if (meta->rows != generated_.cells)
      throw damaged("/meta.data has {} rows, expected {}, one for each cell", meta->rows, generated_.cells);
    generated_.obs.columns = meta->columns;
  }
  origins_->add("/obs", member_path(*root_, "meta.data"));
  add_identities(array_in(find(root_, "active.ident")), generated_.obs, *origins_);
}

void Assay::take_features() {
  ArrayPtr variable = array_in(find(group_, "variable.features"));
  if (const auto meta = content_of<Table>(find(group_, "meta.features"))) {
    generated_.var.columns = feature_columns(*meta, features_, place("meta.features"));
    if (!variable) variable = variable_features(*meta);
  }
  origins_->add("/var", place("meta.features"));
  add_variable_features(variable, features_, place("variable.features"), generated_.var, *origins_);
}

// Returns whether the reduction belongs to the matrix: to that of its assay, unless it is global, as Seurat
// calls those that stay without their assay.
bool Assay::has_reduction(const Node& reduction) const {
  if (share_ == Share::assay_and_object) return true;
  const Attributes attributes = attributes_of(reduction);
  const auto first = [&](const char* name) {
    const Json* value = attributes.find(name);
    return value && value->list() && value->list()->size() == 1 ? &value->list()->front() : value;
  };
  const Json* const global = first("global");
  const bool is_global = global && (global->boolean() ? *global->boolean() : global->as_int64() == 1);
  const std::string assay = attributes.text("active.assay").value_or("");
  const GroupPtr assays = group_->parent();
  const bool is_of_none = is_global || assay.empty() || !assays->find(assay);
  return has_object() ? is_of_none : !is_of_none && assay == name_;
}

void Assay::take_reductions() {
  const std::optional<Node> reductions = find(root_, "reductions");
  if (!reductions || !reductions->parts) return;
  for (Member& member : reductions->parts->members()) {
    const Node reduction = readable(std::move(member.node), context_);
    if (reduction.parts && has_reduction(reduction)) take_reduction(member.name, reduction.parts);
  }
}

// Returns whether a reduction has the coordinates of the slides. Reads both.
bool Assay::is_of_slides(const LabelledArray& embeddings) const {
  const ArrayPtr values = labelled_values(embeddings).values;
  if (!coordinates_ || !values->dtype().is_integer_or_real() || extent_of(embeddings)->columns != 2)
    return false;
  const std::vector<double> ours = reals_of(*in_row_order(values)), theirs = reals_of(*coordinates_);
  const auto is_same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), is_same);
}

// Takes the cells of a reduction, and the features if they belong to this assay.
void Assay::take_reduction(const std::string& name, const GroupPtr& reduction) {
  const auto embeddings = content_of<LabelledArray>(find(reduction, "cell.embeddings"));
  if (!embeddings || !extent_of(*embeddings) || extent_of(*embeddings)->rows != generated_.cells ||
      is_reordered(embeddings->row_names, cells_))
    return;
  if (name == kSpatial && is_of_slides(*embeddings))
    return origins_->add(std::string("/obsm/") + kSpatial, reduction->path());
  const std::string to = name == kSpatial && !coordinates_ ? kSpatial : "X_" + name;
  generated_.obsm.push_back({to, *embeddings});
  // Seurat names dimensions "PC_1", AnnData numbers them.
  std::get<LabelledArray>(generated_.obsm.back().content).column_names = nullptr;
  origins_->add("/obsm/" + to, member_path(*reduction, "cell.embeddings"));
  if (has_assay()) {
    take_loadings(reduction, "feature.loadings", "features", loadings_name(name));
    take_loadings(reduction, "feature.loadings.projected", "projected.features", name + "_projected");
  }
  add_reduction_uns(name, reduction, uns_, *origins_, context_);
}

void Assay::take_loadings(const GroupPtr& reduction, const char* loadings, const char* features,
                          const std::string& to) {
  const auto own = content_of<LabelledArray>(find(reduction, loadings));
  if (!own || !extent_of(*own)) return;
  const auto names = content_of<LabelledArray>(find(reduction, features));
  ArrayPtr padded = padded_loadings(labelled_values(*own).values, names ? names->values : nullptr, features_);
  if (!padded) return;
  generated_.varm.push_back({to, LabelledArray{std::move(padded), nullptr, nullptr}});
  origins_->add("/varm/" + to, member_path(*reduction, loadings));
  origins_->add("/varm/" + to, member_path(*reduction, features));
}

void Assay::take_graphs() {
  if (!has_assay()) return;
  const std::optional<Node> graphs = find(root_, "graphs");
  if (!graphs || !graphs->parts) return;
  const std::vector<Member> all = graphs->parts->members();
  for (const Member& member : all) {
    const Node node = readable(member.node, context_);
    const auto* graph = std::get_if<SparseMatrix>(&node.content);
    if (!graph || graph->rows != generated_.cells || graph->columns != generated_.cells ||
        is_reordered(graph->row_names, cells_) || is_reordered(graph->column_names, cells_))
      continue;
    const Attributes attributes = attributes_of(node);
    const Json* assay = attributes.find("assay.used");
    if (assay && assay->list() && assay->list()->size() == 1) assay = &assay->list()->front();
    const bool is_ours =
        assay && assay->text() ? *assay->text() == name_ : member.name.starts_with(name_ + "_");
    if (!is_ours) continue;
    const std::string name = name_of_graph(member.name, all);
    generated_.obsp.push_back({name, *graph});
    origins_->add("/obsp/" + name, member_path(*graphs->parts, member.name));
    if (name != member.name && !uns_.has({"neighbors"})) add_neighbors(root_, name_, uns_, context_);
  }
}

// Readers of AnnData look for `connectivities`: the only graph of shared neighbours, if that name is free and
// `misc` does not describe another one.
std::string Assay::name_of_graph(const std::string& name, const std::vector<Member>& all) const {
  static constexpr char kConnectivities[] = "connectivities";
  const bool is_taken = std::any_of(all.begin(), all.end(),
                                    [](const Member& member) { return member.name == kConnectivities; });
  return name == name_ + "_snn" && !is_taken && key_of_neighbors(root_, context_) == kConnectivities
             ? kConnectivities
             : name;
}

// Finds the slides of the object. The pictures of an AnnData may be in `misc` as they were stored.
void Assay::find_slides() {
  if (!has_object()) return;
  slides_ = seurat_slides(root_, cells_, context_);
  coordinates_ = coordinates_of(slides_, generated_.cells);
  const GroupPtr misc = find_group(*root_, "misc");
  has_pictures_in_misc_ = misc != nullptr;
  for (const Slide& slide : slides_) {
    if (!slide.pixels) continue;
    has_pictures_ = true;
    const std::vector<std::string> images{kSpatial, slide.name, "images"};
    has_pictures_in_misc_ = has_pictures_in_misc_ && find_path(*misc, images).has_value();
  }
}

void Assay::take_coordinates() {
  if (!has_object()) return;
  generated_.slides = [root = root_, cells = cells_, &context = context_] {
    return seurat_slides(root, cells, context);
  };
  std::vector<SlidePictures> pictures;
  if (!has_pictures_in_misc_) pictures = pictures_of(slides_);
  if (!pictures.empty()) generated_.pictures = [pictures = std::move(pictures)] { return pictures; };
  for (const Slide& slide : slides_) {
    const std::string image = fmt::format("{}/{}", member_path(*root_, "images"), slide.name);
    for (const char* name : {"assay", "key", "spot.radius"}) origins_->add_implied(image + "/" + name);
    origins_->add("/obsm/spatial", image + "/coordinates");
    origins_->add("/obsm/spatial", image + "/boundaries/centroids");
    if (!slide.pixels) continue;
    origins_->add("/uns/spatial", image + "/image");
    origins_->add("/uns/spatial", image + "/scale.factors");
  }
  if (!coordinates_) return;
  generated_.obsm.push_back({kSpatial, LabelledArray{coordinates_, generated_.obs.row_names, nullptr}});
  add_cell_places();
}

// Adds the columns of Visium's cells that readers of AnnData look for.
void Assay::add_cell_places() {
  const auto is_taken = [&](std::string_view name) {
    return column_values(generated_.obs.columns, name) != nullptr;
  };
  for (const auto& [from, to] :
       {std::pair("tissue", "in_tissue"), {"row", "array_row"}, {"col", "array_col"}}) {
    std::vector<double> values(generated_.cells, std::nan(""));
    bool has_all = !slides_.empty(), is_whole = true;
    for (const Slide& slide : slides_) {
      const ArrayPtr column = column_values(slide.coordinates, from);
      has_all &= column && column->dtype().is_numeric();
      if (!has_all) break;
      const std::vector<double> own = reals_of(*column);
      for (size_t i = 0; i < slide.cells.size(); ++i) values[slide.cells[i]] = own[i];
    }
    for (const double value : values) is_whole &= std::floor(value) == value && std::abs(value) < INT32_MAX;
    if (!has_all || is_taken(to)) continue;
    ArrayPtr column = number_array(values);
    if (is_whole) column = with_type(column, number_type(Kind::integer, 8));
    generated_.obs.columns.push_back({to, std::move(column)});
  }
  if (slides_.size() < 2 || is_taken("library_id")) return;
  std::vector<std::string> names(generated_.cells);
  for (const Slide& slide : slides_)
    for (const uint64_t cell : slide.cells) names[cell] = slide.name;
  generated_.obs.columns.push_back({"library_id", text_array(names)});
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
  FoundAnnotatedMatrix found{name, [=, &context] { return Assay(name, root, assay, context).make(); },
                             has_columns};
  found.refusal = refusal_of_assay(assay, context);
  return found;
}

// Returns whether the annotated matrix of the active assay has the assay at a path, as a layer or as raw.
bool has_assay_at(const std::string& path, const AnnotatedMatrix& active) {
  for (const char* room : {"/layers", "/raw"})
    for (const std::string& stored : active.origins->of(room))
      if ((stored + "/").starts_with(path + "/")) return true;
  return false;
}

}  // namespace

MuDataParts seurat_mudata(const GroupPtr& root, Context& context) {
  const GroupPtr assays = find_group(*root, "assays");
  std::vector<std::string> names;
  for (const Member& member : assays->members())
    if (member.node.parts) names.push_back(member.name);
  const std::string stored = root->attributes().readable().text("active.assay");
  const auto active = std::find(names.begin(), names.end(), stored);
  if (active != names.end()) std::rotate(names.begin(), active, active + 1);
  const auto assay = [&](const std::string& name, Share share) {
    return Assay(name, root, find_group(*assays, name), context, share);
  };
  MuDataParts generated;
  Assay first = assay(names.front(), Share::assay);
  generated.modalities.push_back({names.front(), first.make(), nullptr, nullptr});
  Assay object = assay(names.front(), Share::object);
  generated.common = object.make(first.placed_in_misc());
  const auto origins = std::make_shared<Origins>(*generated.common.origins);
  for (const std::string& name : std::span(names).subspan(1)) try {
      const std::string path = member_path(*assays, name);
      if (!has_assay_at(path, generated.modalities.front().matrix))
        generated.modalities.push_back({name, assay(name, Share::assay).make(), nullptr, nullptr});
    } catch (const Error& error) {
      if (error.code() != Errc::unsupported) throw;
      origins->add_implied(member_path(*assays, name));
      context.notice(fmt::format("{}: not in the .h5mu: {}", member_path(*assays, name), error.what()));
    }
  generated.common.origins = origins;
  return generated;
}

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
