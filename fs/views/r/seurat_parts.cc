#include "fs/views/r/seurat_parts.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <unordered_map>

#include "formats/core/base/checked.h"
#include "formats/core/model/array_runs.h"
#include "formats/core/model/derived_array.h"
#include "formats/core/model/generated_array.h"
#include "formats/core/model/nested_array.h"
#include "formats/core/model/node.h"
#include "formats/core/model/turned_array.h"
#include "formats/core/sparse/dense_entries.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs {

namespace {

constexpr const char kProject[] = "SeuratProject";
constexpr const char kVariable[] = "highly_variable";

ArrayPtr names_of_rows(const Table& table, Context& context) {
  if (!table.row_names) return numbered_texts(table.rows);
  const ArrayPtr names = checked_row_names(table);
  return spelled(names, context);
}

// Returns the columns of `table` that R can hold.
std::vector<Column> columns_of(const Table& table, const std::string& place, Context& context) {
  Table held = table;
  std::erase_if(held.columns, [&](const Column& column) {
    const auto* nested = dynamic_cast<const NestedArray*>(column.values.get());
    const bool is_held = !nested || nested->can_be_held();
    if (!is_held) context.notice(fmt::format("seurat.rds: {}/{}: not in the object", place, column.name));
    return !is_held;
  });
  return columns_of_r(flat_columns(held), "seurat.rds: " + place, context);
}

// The places of the genes of X among the features of an assay.
class GenePlaces {
 public:
  // The genes are the features.
  explicit GenePlaces(ArrayPtr features) : features_(std::move(features)), genes_(features_->count()) {}
  // Maps genes by their stored names, each to the next feature that is stored under that name.
  GenePlaces(ArrayPtr features, const std::vector<std::string>& stored, const std::vector<std::string>& genes)
      : features_(std::move(features)), genes_(genes.size()) {
    std::unordered_map<std::string_view, std::vector<uint64_t>> places;
    for (size_t i = stored.size(); i-- > 0;) places[stored[i]].push_back(i);
    places_.reserve(genes.size());
    for (const std::string& gene : genes) {
      const auto found = places.find(gene);
      are_known_ = found != places.end() && !found->second.empty();
      if (!are_known_) return;
      places_.push_back(found->second.back());
      found->second.pop_back();
    }
  }

  // Returns whether each gene is a feature.
  bool are_known() const { return are_known_; }
  // The other functions require are_known().
  bool are_all() const { return places_.empty() && genes_ == features_->count(); }
  uint64_t place(uint64_t gene) const { return places_.empty() ? gene : places_[gene]; }
  // Returns the genes in the order of the features.
  std::vector<uint64_t> order() const {
    std::vector<uint64_t> order(genes_);
    std::iota(order.begin(), order.end(), uint64_t{0});
    std::sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) { return place(a) < place(b); });
    return order;
  }
  // Returns the feature names of these genes.
  ArrayPtr names(const std::vector<uint64_t>& genes) const {
    const Elements all = read_all(*features_);
    TextBuilder names(genes.size());
    for (const uint64_t gene : genes) names.add(all.text(place(gene)));
    return std::make_shared<MemoryArray>(text_type(), Shape{genes.size()}, names.finish());
  }
  // Returns the feature names of all genes, in the order of the genes.
  ArrayPtr names() const {
    if (are_all()) return features_;
    std::vector<uint64_t> all(genes_);
    std::iota(all.begin(), all.end(), uint64_t{0});
    return names(all);
  }

 private:
  const ArrayPtr features_;
  const uint64_t genes_;
  std::vector<uint64_t> places_;  // empty: each gene's own place
  bool are_known_ = true;
};

// The columns of a matrix of numbers that `order` lists. Requires: the matrix is not column-major; all listed
// numbers are valid.
class ChosenColumns : public DerivedArray {
 public:
  ChosenColumns(const ArrayPtr& matrix, std::vector<uint64_t> order)
      : DerivedArray(matrix, matrix->dtype(), {matrix->shape()[0], order.size()}, false),
        order_(std::move(order)) {}

  Shape chunk_shape() const override {
    return {values().chunk_shape()[0], std::max<uint64_t>(1, order_.size())};
  }

 private:
  // Whole rows, because a box may contain any columns.
  Box stored_box(const Box& box) const override {
    return {{box.origin[0], 0}, {box.extent[0], values().shape()[1]}};
  }
  Elements derived(Elements stored, const Box& box) const override {
    if (stored.count <= 1) return stored;
    const uint64_t columns = values().shape()[1], size = dtype().packed_size();
    Elements chosen = zero_elements(dtype(), box.extent[0] * box.extent[1]);
    if (!stored.missing.empty()) chosen.missing.resize(chosen.count);
    for (uint64_t row = 0, to = 0; row < box.extent[0]; ++row) {
      for (uint64_t i = 0; i < box.extent[1]; ++i, ++to) {
        const uint64_t from = row * columns + order_[box.origin[1] + i];
        std::memcpy(chosen.bytes.data() + to * size, stored.bytes.data() + from * size, size);
        if (!stored.missing.empty()) chosen.missing[to] = stored.missing[from];
      }
    }
    return chosen;
  }

  const std::vector<uint64_t> order_;
};

// Returns the number of columns as users see them; 0 unless `values` is a matrix of numbers with `rows` rows.
uint64_t columns_of_numbers(const ArrayPtr& values, uint64_t rows) {
  const Shape& shape = values->shape();
  const DType& type = values->dtype();
  if (shape.size() != 2 || (!type.is_integer() && type.kind != Kind::real)) return 0;
  const bool turned = values->column_major();
  return shape[turned] == rows ? shape[!turned] : 0;
}

class ObjectMaker {
 public:
  ObjectMaker(const JointMatrices& joint, ColumnMatrices& matrices, Context& context)
      : joint_(joint), matrices_(matrices), context_(context) {}

  SeuratObject make();

 private:
  struct Part {
    const AnnotatedMatrix& matrix;
    GenePlaces genes;
  };

  void check_cells() const;
  void add_assay(const JointMatrices::Part& part);
  ArrayPtr features_of(const Table& genes, std::vector<std::string>& stored) const;
  GenePlaces gene_places(const AnnotatedMatrix& matrix, const SeuratMatrices& chosen,
                         const ArrayPtr& features, const std::vector<std::string>& stored) const;
  void add_scaled(const ArrayPtr& scaled, const GenePlaces& genes, SeuratObject::Assay& assay) const;
  ArrayPtr variable_features(const Table& var, const GenePlaces& genes) const;
  void add_meta_data(Column column);
  void add_graphs(const std::vector<AnnotatedPart>& obsp, const std::string& assay, const std::string& place);
  void add_reductions(const std::vector<AnnotatedPart>& obsm, const std::string& assay,
                      const std::string& place, const Part* part);
  void add_images(const JointMatrices::Part& part);
  void add_loadings(const Part& part, uint64_t dimensions, SeuratObject::Reduction& reduction) const;
  std::string free_name(const std::string& stored, const std::string& modality);
  std::string free_key(const std::string& key);
  void leave_out(const std::string& what) const {
    context_.notice(fmt::format("seurat.rds: {}: not in the object", what));
  }

  const JointMatrices& joint_;
  ColumnMatrices& matrices_;
  Context& context_;
  SeuratObject object_;
  ArrayPtr stored_cells_;  // the names of the cells before they were made unique
  std::vector<Part> parts_;
  std::set<std::string> names_;  // of assays, graphs and reductions, which [[ finds by name
  std::set<std::string> keys_;
};

SeuratObject ObjectMaker::make() {
  stored_cells_ = names_of_rows(joint_.parts[0].matrix.obs, context_);
  object_.cells = cell_names(stored_cells_, context_);
  object_.project = kProject;
  object_.identities = identities(object_.cells, kProject, context_);
  check_cells();
  object_.active_assay = joint_.parts[0].name;
  object_.meta_data.push_back({"orig.ident", object_.identities});
  for (const JointMatrices::Part& part : joint_.parts) {
    names_.insert(part.name);
    add_assay(part);
  }
  for (Column& column : columns_of(joint_.obs, "obs", context_)) add_meta_data(std::move(column));
  for (const JointMatrices::Part& part : joint_.parts) add_graphs(part.matrix.obsp, part.name, "obsp");
  add_graphs(joint_.obsp, object_.active_assay, "obsp");
  for (size_t i = 0; i < joint_.parts.size(); ++i)
    add_reductions(joint_.parts[i].matrix.obsm, joint_.parts[i].name, "obsm", &parts_[i]);
  add_reductions(joint_.obsm, object_.active_assay, "obsm", nullptr);
  for (const JointMatrices::Part& part : joint_.parts) add_images(part);
  return std::move(object_);
}

// Checks that all parts have the same cells, because an object has one list of them.
void ObjectMaker::check_cells() const {
  const auto check = [&](const Table& obs, const std::string& whose) {
    const ArrayPtr cells = names_of_rows(obs, context_);
    if (!are_same_texts(*cells, *stored_cells_, context_))
      throw unsupported("{} has other cells than {}, or in another order", whose, joint_.parts[0].name);
  };
  for (size_t i = 1; i < joint_.parts.size(); ++i) check(joint_.parts[i].matrix.obs, joint_.parts[i].name);
  if (joint_.obs.row_names != joint_.parts[0].matrix.obs.row_names) check(joint_.obs, "obs");
}

// Returns the names of features as Seurat has them. stored: receives the stored names; unchanged if there are
// none.
ArrayPtr ObjectMaker::features_of(const Table& genes, std::vector<std::string>& stored) const {
  if (genes.rows == 0) throw unsupported("no features, which a Seurat assay requires");
  const ArrayPtr names = names_of_rows(genes, context_);
  if (!genes.row_names) return names;
  stored = held_texts(*names, "features", context_);
  const std::vector<std::string> made = feature_names(stored);
  if (made == stored) return names;
  note_renamed("features", stored, made, context_);
  return text_array(made);
}

GenePlaces ObjectMaker::gene_places(const AnnotatedMatrix& matrix, const SeuratMatrices& chosen,
                                    const ArrayPtr& features, const std::vector<std::string>& stored) const {
  if (!chosen.is_raw || chosen.same_genes) return GenePlaces(features);
  if (!matrix.var.row_names || stored.empty()) return {features, {}, {""}};  // they have no names to match
  const ArrayPtr genes = names_of_rows(matrix.var, context_);
  return {features, stored, held_texts(*genes, "features", context_)};
}

void ObjectMaker::add_assay(const JointMatrices::Part& part) {
  const AnnotatedMatrix& matrix = part.matrix;
  if (matrix.obs.rows != matrix.cells)
    throw damaged("obs has {} rows, expected {}", matrix.obs.rows, matrix.cells);
  if (matrix.var.rows != matrix.genes)
    throw damaged("var has {} rows, expected {}", matrix.var.rows, matrix.genes);
  const SeuratMatrices chosen = seurat_matrices(matrix, context_);
  const Table& genes = chosen.is_raw ? matrix.raw->var : matrix.var;
  SeuratObject::Assay assay;
  assay.name = part.name;
  assay.key = free_key(assay_key(part.name));
  std::vector<std::string> stored;
  assay.features = features_of(genes, stored);
  assay.columns = columns_of(genes, chosen.is_raw ? "raw/var" : "var", context_);
  if (chosen.counts) assay.counts = *chosen.counts;
  assay.data = chosen.data;
  if (!chosen.counts || chosen.is_raw || chosen.scaled || chosen.counts_from == "raw/X")
    context_.notice(fmt::format("seurat.rds: counts of {}: {}; data: {}", part.name,
                                chosen.counts ? chosen.counts_from : "none", chosen.data_from));
  parts_.push_back({matrix, gene_places(matrix, chosen, assay.features, stored)});
  const GenePlaces& places = parts_.back().genes;
  if (chosen.scaled) add_scaled(chosen.scaled, places, assay);
  assay.variable_features = variable_features(matrix.var, places);
  if (chosen.counts) {
    const CellSums sums = cell_sums(matrices_.of(*chosen.counts), context_);
    object_.meta_data.push_back({"nCount_" + part.name, sums.counts});
    object_.meta_data.push_back({"nFeature_" + part.name, sums.features});
  }
  object_.assays.push_back(std::move(assay));
}

void ObjectMaker::add_scaled(const ArrayPtr& scaled, const GenePlaces& genes,
                             SeuratObject::Assay& assay) const {
  if (!genes.are_known()) return leave_out("X, which has genes that raw does not have");
  if (genes.are_all()) {
    assay.scaled = {scaled};
    assay.scaled_features = assay.features;
    return;
  }
  const std::vector<uint64_t> order = genes.order();
  assay.scaled = {std::make_shared<ChosenColumns>(scaled, order)};
  assay.scaled_features = genes.names(order);
}

// Returns null if there is no such column.
ArrayPtr ObjectMaker::variable_features(const Table& var, const GenePlaces& genes) const {
  const auto found = std::find_if(var.columns.begin(), var.columns.end(),
                                  [](const Column& column) { return column.name == kVariable; });
  if (found == var.columns.end() || !genes.are_known()) return nullptr;
  const DType& type = found->values->dtype();
  if (type.kind != Kind::boolean && type.kind != Kind::logical) return nullptr;
  const Elements values = read_run(*found->values, 0, found->values->count());
  std::vector<uint64_t> variable;
  visit_number(type, [&](auto zero) {
    const auto all = values.values<decltype(zero)>();
    for (uint64_t i = 0; i < values.count; ++i)
      if (!values.is_missing(i) && !is_zero(all[i])) variable.push_back(i);
  });
  return variable.empty() ? nullptr : genes.names(variable);
}

// Adds a column. An existing column of that name keeps its place and gets the new values.
void ObjectMaker::add_meta_data(Column column) {
  const auto known = std::find_if(object_.meta_data.begin(), object_.meta_data.end(),
                                  [&](const Column& other) { return other.name == column.name; });
  if (known == object_.meta_data.end())
    object_.meta_data.push_back(std::move(column));
  else
    known->values = std::move(column.values);
}

std::string ObjectMaker::free_name(const std::string& stored, const std::string& modality) {
  const std::string name = made_name(stored);
  if (names_.insert(name).second) return name;
  if (joint_.parts.size() > 1)
    if (const std::string longer = made_name(modality + "." + stored); names_.insert(longer).second)
      return longer;
  for (uint64_t number = 1;; ++number)
    if (const std::string other = name + "." + std::to_string(number); names_.insert(other).second)
      return other;
}

std::string ObjectMaker::free_key(const std::string& key) {
  if (keys_.insert(key).second) return key;
  const std::string letters = key.substr(0, key.size() - 1);
  for (uint64_t number = 2;; ++number)
    if (const std::string other = letters + std::to_string(number) + "_"; keys_.insert(other).second)
      return other;
}

void ObjectMaker::add_graphs(const std::vector<AnnotatedPart>& obsp, const std::string& assay,
                             const std::string& place) {
  const uint64_t cells = object_.cells->count();
  for (const AnnotatedPart& part : obsp) {
    if (const auto* error = std::get_if<Error>(&part.content)) throw *error;
    const auto* graph = std::get_if<SparseMatrix>(&part.content);
    if (!graph) {
      leave_out(place + "/" + part.name);
      continue;
    }
    if (graph->rows != cells || graph->columns != cells) {
      leave_out(fmt::format("{}/{}, which is {} by {} for {} cells", place, part.name, graph->rows,
                            graph->columns, cells));
      continue;
    }
    object_.graphs.push_back({free_name(part.name, assay), assay, *graph});
  }
}

void ObjectMaker::add_loadings(const Part& part, uint64_t dimensions,
                               SeuratObject::Reduction& reduction) const {
  const std::string name = reduction.name == "pca" ? "PCs" : reduction.name;
  const std::vector<AnnotatedPart>& varm = part.matrix.varm;
  const auto found =
      std::find_if(varm.begin(), varm.end(), [&](const AnnotatedPart& other) { return other.name == name; });
  if (found == varm.end()) return;
  if (const auto* error = std::get_if<Error>(&found->content)) throw *error;
  const auto* array = std::get_if<LabelledArray>(&found->content);
  const ArrayPtr values = array ? labelled_values(*array).values : nullptr;
  if (!values || columns_of_numbers(values, part.matrix.genes) != dimensions || !part.genes.are_known())
    return leave_out("varm/" + name);
  reduction.loadings = {in_column_order(values)};
  reduction.features = part.genes.names();
}

// part: null unless these belong to a modality.
void ObjectMaker::add_reductions(const std::vector<AnnotatedPart>& obsm, const std::string& assay,
                                 const std::string& place, const Part* part) {
  for (const AnnotatedPart& item : obsm) {
    if (const auto* error = std::get_if<Error>(&item.content)) throw *error;
    const auto* array = std::get_if<LabelledArray>(&item.content);
    const ArrayPtr values = array ? labelled_values(*array).values : nullptr;
    const uint64_t dimensions = values ? columns_of_numbers(values, object_.cells->count()) : 0;
    if (dimensions == 0) {
      leave_out(place + "/" + item.name);
      continue;
    }
    std::string name = item.name.starts_with("X_") && item.name.size() > 2 ? item.name.substr(2) : item.name;
    SeuratObject::Reduction reduction;
    reduction.name = name;
    if (part) add_loadings(*part, dimensions, reduction);
    reduction.is_global = name == "umap" || name == "tsne";
    reduction.name = free_name(name, assay);
    reduction.key = free_key(reduction_key(reduction.name));
    reduction.assay = assay;
    reduction.embeddings = {in_column_order(values)};
    object_.reductions.push_back(std::move(reduction));
  }
}

// Seurat has no slides without a picture; the cells' coordinates are a reduction.
void ObjectMaker::add_images(const JointMatrices::Part& part) {
  if (!part.matrix.slides) return;
  for (Slide& slide : part.matrix.slides()) {
    if (!slide.pixels) {
      leave_out("the slide " + slide.name + ", of which no picture can be read");
      continue;
    }
    slide.name = free_name(slide.name, part.name);
    slide.key = free_key(reduction_key(slide.name));
    slide.assay = part.name;
    slide.coordinates = columns_of_r(slide.coordinates, "seurat.rds: images/" + slide.name, context_);
    object_.images.push_back(std::move(slide));
  }
}

}  // namespace

SeuratObject seurat_object(const JointMatrices& joint, ColumnMatrices& matrices, Context& context) {
  return ObjectMaker(joint, matrices, context).make();
}

}  // namespace plainfs
