#include "fs/views/r/seurat_parts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <unordered_map>

#include "formats/annotated/left_out.h"
#include "formats/annotated/uns_tree.h"
#include "formats/core/base/checked.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/arrays/nested_array.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/dense_entries.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/table/factor_codes.h"
#include "fs/views/table/flat_columns.h"

namespace plainfs {

namespace {

constexpr const char kProject[] = "SeuratProject";
constexpr const char kVariable[] = "highly_variable", kRank[] = "highly_variable_rank";
constexpr const char kRawAssay[] = "raw";

ArrayPtr names_of_rows(const Table& table, Context& context) {
  if (!table.row_names) return numbered_texts(table.rows);
  const ArrayPtr names = checked_row_names(table);
  return spelled(names, context);
}

// Returns the columns of `table` that R can hold.
std::vector<Column> columns_of(const Table& table, const std::string& place, TakenParts& taken,
                               Context& context) {
  Table held = table;
  std::erase_if(held.columns, [&](const Column& column) {
    const auto* nested = dynamic_cast<const NestedArray*>(column.values.get());
    const bool is_held = !nested || nested->can_be_held();
    if (!is_held) taken.refuse(fmt::format("/{}/{}", place, column.name), "");
    return !is_held;
  });
  taken.take("/" + place);
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

// Returns the values of some genes as those of all features, missing for the others.
ArrayPtr values_of_features(const ArrayPtr& values, const std::vector<uint64_t>& gene_of, Context& context) {
  constexpr uint64_t kNone = UINT64_MAX;
  std::vector<uint64_t> rows = gene_of;
  for (uint64_t& row : rows)
    if (row == kNone) row = 0;
  const auto chosen = [&](const ArrayPtr& stored) -> ArrayPtr {
    Elements some = gather(stored->dtype(), read_all(*stored), rows);
    some.missing.resize(some.count);
    for (size_t i = 0; i < gene_of.size(); ++i) some.missing[i] |= gene_of[i] == kNone;
    return std::make_shared<MemoryArray>(stored->dtype(), Shape{some.count}, std::move(some));
  };
  const FactorParts* const parts = unchecked_factor_parts(*values);
  if (!parts) return chosen(values);
  FactorParts own = *parts;
  own.codes = chosen(own.codes);
  return factor_of(std::move(own), context);
}

// Returns all elements. None is missing, or one is.
Elements all_of(const Array& array) {
  Elements all = read_all(array);
  if (std::none_of(all.missing.begin(), all.missing.end(), [](uint8_t is_missing) { return is_missing; }))
    all.missing.clear();
  return all;
}

// Returns whether two columns have the same type, values and levels. Reads both.
bool are_same_columns(const Array& a, const Array& b) {
  const FactorParts *const ours = unchecked_factor_parts(a), *const theirs = unchecked_factor_parts(b);
  if (!ours != !theirs) return false;
  if (ours)
    return ours->is_ordered == theirs->is_ordered && are_same_columns(*ours->codes, *theirs->codes) &&
           are_same_columns(*ours->levels, *theirs->levels);
  return a.dtype() == b.dtype() && all_of(a) == all_of(b);
}

// Returns the value at a path of unstructured data; nullopt if it is missing.
std::optional<Node> uns_at(const std::vector<Member>& uns, const std::vector<std::string>& path) {
  const auto found =
      std::find_if(uns.begin(), uns.end(), [&](const Member& member) { return member.name == path.front(); });
  if (found == uns.end()) return std::nullopt;
  if (path.size() == 1) return found->node;
  return found->node.parts ? find_path(*found->node.parts, std::span(path).subspan(1)) : std::nullopt;
}

// Returns the reals at a path of unstructured data; null if there is no list of at least that many.
ArrayPtr reals_at(const std::vector<Member>& uns, const std::vector<std::string>& path, uint64_t least) {
  const std::optional<Node> node = uns_at(uns, path);
  const auto* array = node ? std::get_if<LabelledArray>(&node->content) : nullptr;
  if (!array || array->values->shape().size() != 1 || array->values->count() < least ||
      !array->values->dtype().is_integer_or_real())
    return nullptr;
  return with_type(array->values, number_type(Kind::real, 8));
}

ArrayPtr square_roots(const ArrayPtr& reals) {
  return mapped(reals, reals->dtype(), [](Elements elements, const Box&) {
    for (double& value : elements.mutable_values<double>()) value = std::sqrt(value);
    return elements;
  });
}

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
    std::string name;
    GenePlaces genes;
    std::shared_ptr<TakenParts> taken;
    std::set<std::string> used{};  // members of varm and uns that have another place in the object
  };

  void check_cells() const;
  void add_assay(const JointMatrices::Part& part);
  ArrayPtr features_of(const Table& genes, std::vector<std::string>& stored) const;
  GenePlaces gene_places(const AnnotatedMatrix& matrix, const SeuratMatrices& chosen,
                         const ArrayPtr& features, const std::vector<std::string>& stored) const;
  void add_scaled(const ArrayPtr& scaled, const GenePlaces& genes, SeuratObject::Assay& assay) const;
  ArrayPtr variable_features(const Table& var, const GenePlaces& genes) const;
  void add_var_of_scaled(const Part& part, SeuratObject::Assay& assay) const;
  void add_layers(Part& part, const SeuratMatrices& chosen, const ArrayPtr& features);
  void add_raw(Part& part, const SeuratMatrices& chosen);
  void add_layer_assay(const std::string& name, const SeuratMatrices& matrices, const ArrayPtr& features,
                       std::vector<Column> columns);
  void take_identities(std::vector<Column>& columns);
  void add_meta_data(Column column);
  void add_columns_of_part(const Part& part);
  void add_graphs(const std::vector<AnnotatedPart>& obsp, const std::string& assay, TakenParts& taken,
                  const annotated::UnsTree::Path& place);
  void add_reductions(const std::vector<AnnotatedPart>& obsm, const std::string& assay, TakenParts& taken,
                      Part* part);
  void add_reduction_values(Part& part, uint64_t dimensions, SeuratObject::Reduction& reduction) const;
  void add_images(const Part& part);
  bool add_loadings(Part& part, const std::string& name, uint64_t dimensions, ColumnsOf& loadings,
                    ArrayPtr& features) const;
  void add_rest(Part& part);
  void add_uns(const std::vector<Member>& uns, const annotated::UnsTree::Path& place,
               const std::set<std::string>& used, TakenParts& taken);
  void add_to_misc(annotated::UnsTree::Path path, const AnnotatedPart& part, const std::string& from,
                   TakenParts& taken);
  bool is_snn(const std::vector<Member>& uns) const;
  annotated::UnsTree::Path place_in_misc(const Part& part) const {
    const bool is_main = joint_.parts.size() == 1 || (joint_.is_experiment && &part == &parts_.front());
    return is_main ? annotated::UnsTree::Path() : annotated::UnsTree::Path{part.name};
  }
  std::string free_name(const std::string& stored, const std::string& modality);
  std::string free_key(const std::string& key);

  const JointMatrices& joint_;
  ColumnMatrices& matrices_;
  Context& context_;
  SeuratObject object_;
  ArrayPtr stored_cells_;  // the names of the cells before they were made unique
  std::vector<Part> parts_;
  std::shared_ptr<TakenParts> taken_;  // of what the parts have in common
  annotated::UnsTree misc_;
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
  for (const JointMatrices::Part& part : joint_.parts) names_.insert(part.name);
  for (const JointMatrices::Part& part : joint_.parts) add_assay(part);
  const bool is_alone = joint_.parts.size() == 1 || joint_.is_experiment;
  taken_ = is_alone ? parts_[0].taken : std::make_shared<TakenParts>(joint_.origins);
  std::vector<Column> columns = columns_of(joint_.obs, "obs", *taken_, context_);
  take_identities(columns);
  for (Column& column : columns) add_meta_data(std::move(column));
  for (size_t i = is_alone; i < parts_.size(); ++i) add_columns_of_part(parts_[i]);
  for (Part& part : parts_) add_graphs(part.matrix.obsp, part.name, *part.taken, place_in_misc(part));
  add_graphs(joint_.obsp, object_.active_assay, *taken_, {});
  for (Part& part : parts_) add_reductions(part.matrix.obsm, part.name, *part.taken, &part);
  add_reductions(joint_.obsm, object_.active_assay, *taken_, nullptr);
  for (Part& part : parts_) add_rest(part);
  add_uns(joint_.uns, {}, {}, *taken_);
  object_.misc.members = misc_.members();
  for (const Part& part : parts_) {
    add_images(part);
    note_parts_left_out(*part.taken, "the object", context_, "seurat.rds: ");
  }
  if (!is_alone) note_parts_left_out(*taken_, "the object", context_, "seurat.rds: ");
  return std::move(object_);
}

// Takes the identities of the cells from the column that has them. A column with other values stays.
void ObjectMaker::take_identities(std::vector<Column>& columns) {
  for (const char* name : {"active.ident", "ident", "orig.ident"}) {
    const Column* const found = find_column(columns, name);
    if (!found || !native_factor(*found->values)) continue;
    object_.identities = found->values;
    if (std::string_view(name) != "orig.ident") columns.erase(columns.begin() + (found - columns.data()));
    return;
  }
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
  const std::vector<std::string> generated = feature_names(stored);
  if (generated == stored) return names;
  note_renamed("features", stored, generated, context_);
  return text_array(generated);
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
  const auto taken = std::make_shared<TakenParts>(matrix.origins);
  assay.columns = columns_of(genes, chosen.is_raw ? "raw/var" : "var", *taken, context_);
  if (chosen.counts) assay.counts = *chosen.counts;
  assay.data = chosen.data;
  if (!chosen.counts || chosen.is_raw || chosen.scaled || chosen.counts_from == "raw/X")
    context_.notice(fmt::format("seurat.rds: counts of {}: {}; data: {}", part.name,
                                chosen.counts ? chosen.counts_from : "none", chosen.data_from));
  parts_.push_back({matrix, part.name, gene_places(matrix, chosen, assay.features, stored), taken});
  const GenePlaces& places = parts_.back().genes;
  for (const std::string& from : {chosen.counts_from, chosen.data_from})
    if (!from.empty()) taken->take(place_of_matrix(matrix, from));
  if (chosen.scaled && places.are_known()) {
    add_scaled(chosen.scaled, places, assay);
    taken->take(place_of_matrix(matrix, chosen.scaled_from));
  } else if (chosen.scaled) {
    taken->refuse(place_of_matrix(matrix, chosen.scaled_from), "it has genes that raw does not have");
  }
  if (chosen.is_raw) add_var_of_scaled(parts_.back(), assay);
  assay.variable_features = variable_features(matrix.var, places);
  if (chosen.counts) {
    const CellSums sums = cell_sums(matrices_.of(*chosen.counts), context_);
    object_.meta_data.push_back({"nCount_" + part.name, sums.counts});
    object_.meta_data.push_back({"nFeature_" + part.name, sums.features});
  }
  const ArrayPtr features = assay.features;
  object_.assays.push_back(std::move(assay));
  add_layers(parts_.back(), chosen, chosen.is_raw && !chosen.same_genes ? nullptr : features);
  add_raw(parts_.back(), chosen);
}

// Adds the columns of var to the features, which are those of raw.
void ObjectMaker::add_var_of_scaled(const Part& part, SeuratObject::Assay& assay) const {
  if (!part.genes.are_known()) return;
  std::vector<uint64_t> gene_of(assay.features->count(), UINT64_MAX), places(part.matrix.genes);
  for (uint64_t gene = 0; gene < part.matrix.genes; ++gene) {
    places[gene] = part.genes.place(gene);
    gene_of[places[gene]] = gene;
  }
  for (const Column& column : columns_of(part.matrix.var, "var", *part.taken, context_)) {
    const Column* const known = find_column(assay.columns, column.name);
    if (!known)
      assay.columns.push_back({column.name, values_of_features(column.values, gene_of, context_)});
    else if (!are_same_columns(*values_of_features(known->values, places, context_), *column.values))
      part.taken->refuse("/var/" + column.name, "raw/var has other values in a column of that name");
  }
}

// Adds an assay for each layer beside the slots of the main assay. features: null if the layers have others.
void ObjectMaker::add_layers(Part& part, const SeuratMatrices& chosen, const ArrayPtr& features) {
  const AnnotatedMatrix& matrix = part.matrix;
  const auto is_used = [&](const std::string& place) {
    return place == place_of_matrix(matrix, chosen.counts_from) ||
           place == place_of_matrix(matrix, chosen.data_from) ||
           (chosen.scaled && place == place_of_matrix(matrix, chosen.scaled_from));
  };
  std::vector<AnnotatedPart> layers = matrix.layers;
  if (!matrix.x_name.empty() && !is_used("/X")) layers.insert(layers.begin(), {matrix.x_name, matrix.x});
  std::vector<std::string> stored;
  const ArrayPtr own = features ? features : features_of(matrix.var, stored);
  for (const AnnotatedPart& layer : layers) {
    const std::string place =
        place_of_matrix(matrix, (matrix.x_name.empty() ? "layers/" : "assay ") + layer.name);
    if (is_used(place)) continue;
    try {
      add_layer_assay(free_name(layer.name, part.name),
                      matrices_of_layer(layer.name, layer.content, matrix.cells, matrix.genes, context_), own,
                      {});
      part.taken->take(place);
    } catch (const Error& error) {
      if (error.code() != Errc::unsupported) throw;
      part.taken->refuse(place, error.what());
    }
  }
}

// Adds an assay for raw if its matrix is not in the main assay.
void ObjectMaker::add_raw(Part& part, const SeuratMatrices& chosen) {
  const AnnotatedMatrix& matrix = part.matrix;
  if (!matrix.raw) return;
  const annotated::UnsTree::Path place = place_in_misc(part);
  for (const AnnotatedPart& item : matrix.raw->varm) {
    annotated::UnsTree::Path path = place;
    path.insert(path.end(), {kRawAssay, "varm", item.name});
    add_to_misc(std::move(path), item, "/raw/varm/" + item.name, *part.taken);
  }
  const bool is_used = chosen.counts_from == "raw/X" || chosen.data_from == "raw/X";
  if (is_used) {
    // With the same genes its columns are those of var or beside them.
    SeuratObject::Assay& main =
        object_.assays.back().name == part.name
            ? object_.assays.back()
            : *std::find_if(object_.assays.begin(), object_.assays.end(),
                            [&](const SeuratObject::Assay& assay) { return assay.name == part.name; });
    if (chosen.is_raw) return;
    for (Column& column : columns_of(matrix.raw->var, "raw/var", *part.taken, context_)) {
      const Column* const known = find_column(main.columns, column.name);
      if (!known)
        main.columns.push_back(std::move(column));
      else if (!are_same_columns(*known->values, *column.values))
        part.taken->refuse("/raw/var/" + column.name, "var has other values in a column of that name");
    }
    return;
  }
  if (std::holds_alternative<std::monostate>(matrix.raw->x)) return;
  std::vector<std::string> stored;
  const ArrayPtr features = features_of(matrix.raw->var, stored);
  add_layer_assay(free_name(kRawAssay, part.name),
                  matrices_of_layer("raw/X", matrix.raw->x, matrix.cells, matrix.raw->var.rows, context_),
                  features, columns_of(matrix.raw->var, "raw/var", *part.taken, context_));
  part.taken->take("/raw/X");
}

void ObjectMaker::add_layer_assay(const std::string& name, const SeuratMatrices& matrices,
                                  const ArrayPtr& features, std::vector<Column> columns) {
  SeuratObject::Assay assay;
  assay.name = name;
  assay.key = free_key(assay_key(name));
  assay.features = features;
  assay.columns = std::move(columns);
  if (matrices.counts) assay.counts = *matrices.counts;
  assay.data = matrices.data;
  object_.assays.push_back(std::move(assay));
}

void ObjectMaker::add_scaled(const ArrayPtr& scaled, const GenePlaces& genes,
                             SeuratObject::Assay& assay) const {
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
  const ArrayPtr flags = column_values(var.columns, kVariable);
  if (!flags || !genes.are_known()) return nullptr;
  const DType& type = flags->dtype();
  if (type.kind != Kind::boolean && type.kind != Kind::logical) return nullptr;
  const Elements values = read_run(*flags, 0, flags->count());
  std::vector<uint64_t> variable;
  visit_number(type, [&](auto zero) {
    const auto all = values.values<decltype(zero)>();
    for (uint64_t i = 0; i < values.count; ++i)
      if (!values.is_missing(i) && !is_zero(all[i])) variable.push_back(i);
  });
  const ArrayPtr rank = column_values(var.columns, kRank);
  if (rank && rank->dtype().is_integer_or_real()) {
    const ArrayPtr reals = with_type(rank, number_type(Kind::real, 8));
    const Elements ranks = read_all(*reals);
    const auto rank_of = [&](uint64_t gene) {
      const double value = ranks.values<double>()[gene];
      return ranks.is_missing(gene) || std::isnan(value) ? HUGE_VAL : value;
    };
    std::stable_sort(variable.begin(), variable.end(),
                     [&](uint64_t a, uint64_t b) { return rank_of(a) < rank_of(b); });
  }
  return variable.empty() ? nullptr : genes.names(variable);
}

// Adds the columns that a modality has of its own, with its name before theirs. MuData itself separates them
// by a colon.
void ObjectMaker::add_columns_of_part(const Part& part) {
  for (Column& column : columns_of(part.matrix.obs, "obs", *part.taken, context_))
    if (!find_column(joint_.obs.columns, part.name + ":" + column.name))
      add_meta_data({part.name + "." + column.name, std::move(column.values)});
}

// Adds a column. An existing column of that name keeps its place and gets the new values.
void ObjectMaker::add_meta_data(Column column) {
  if (Column* const known = find_column(object_.meta_data, column.name))
    known->values = std::move(column.values);
  else
    object_.meta_data.push_back(std::move(column));
}

std::string ObjectMaker::free_name(const std::string& stored, const std::string& modality) {
  const std::string name = valid_name(stored);
  if (names_.insert(name).second) return name;
  if (joint_.parts.size() > 1)
    if (const std::string longer = valid_name(modality + "." + stored); names_.insert(longer).second)
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

// Seurat looks for the graph of shared neighbours under the name of the assay, and readers of AnnData for
// `connectivities`.
void ObjectMaker::add_graphs(const std::vector<AnnotatedPart>& obsp, const std::string& assay,
                             TakenParts& taken, const annotated::UnsTree::Path& place) {
  const uint64_t cells = object_.cells->count();
  const std::string snn = assay + "_snn";
  for (const AnnotatedPart& part : obsp) {
    if (const auto* error = std::get_if<Error>(&part.content)) throw *error;
    const std::string from = "/obsp/" + part.name;
    const auto* graph = std::get_if<SparseMatrix>(&part.content);
    if (!graph) {
      annotated::UnsTree::Path path = place;
      path.insert(path.end(), {"obsp", part.name});
      add_to_misc(std::move(path), part, from, taken);
      continue;
    }
    if (graph->rows != cells || graph->columns != cells) {
      taken.refuse(from, fmt::format("it is {} by {} for {} cells", graph->rows, graph->columns, cells));
      continue;
    }
    const bool is_snn =
        part.name == "connectivities" && !names_.contains(snn) &&
        std::none_of(obsp.begin(), obsp.end(), [&](const AnnotatedPart& other) { return other.name == snn; });
    object_.graphs.push_back({free_name(is_snn ? snn : part.name, assay), assay, evaluated(*graph)});
    taken.take(from);
  }
}

// Adds the loadings called `name` in varm. Features that are all 0 have none. Returns false without loadings
// of that size.
bool ObjectMaker::add_loadings(Part& part, const std::string& name, uint64_t dimensions, ColumnsOf& loadings,
                               ArrayPtr& features) const {
  const std::vector<AnnotatedPart>& varm = part.matrix.varm;
  const auto found =
      std::find_if(varm.begin(), varm.end(), [&](const AnnotatedPart& other) { return other.name == name; });
  if (found == varm.end()) return false;
  if (const auto* error = std::get_if<Error>(&found->content)) throw *error;
  const auto* array = std::get_if<LabelledArray>(&found->content);
  const ArrayPtr values = array ? labelled_values(*array).values : nullptr;
  const uint64_t columns = values ? columns_of_numbers(values, part.matrix.genes) : 0;
  if (columns == 0 || (dimensions > 0 && columns != dimensions) || !part.genes.are_known()) return false;
  const ArrayPtr ordered = with_type(in_row_order(values), number_type(Kind::real, 8));
  const Elements all = read_all(*ordered);
  auto rows = std::make_shared<std::vector<uint64_t>>();
  for (uint64_t gene = 0; gene < part.matrix.genes; ++gene) {
    const auto row = all.values<double>().subspan(gene * columns, columns);
    if (std::any_of(row.begin(), row.end(), [](double value) { return value != 0; })) rows->push_back(gene);
  }
  if (rows->empty()) return false;
  const bool is_all = rows->size() == part.matrix.genes;
  features = is_all ? part.genes.names() : part.genes.names(*rows);
  loadings = {in_column_order(is_all ? values : subset(ordered, 0, rows))};
  part.used.insert("varm/" + name);
  part.taken->take("/varm/" + name);
  return true;
}

// Adds what AnnData has of a reduction beside its matrix.
void ObjectMaker::add_reduction_values(Part& part, uint64_t dimensions,
                                       SeuratObject::Reduction& reduction) const {
  const std::string& name = reduction.name;
  add_loadings(part, name == "pca" ? "PCs" : name, dimensions, reduction.loadings, reduction.features);
  add_loadings(part, name + "_projected", dimensions, reduction.projected, reduction.projected_features);
  const std::vector<Member>& uns = part.matrix.uns;
  reduction.stdev = reals_at(uns, {name, "stdev"}, dimensions);  // an exact PCA has more than dimensions
  const bool is_ours = reduction.stdev != nullptr;
  const ArrayPtr variance = reals_at(uns, {name, "variance"}, dimensions);
  if (variance && !is_ours && variance->count() == dimensions) reduction.stdev = square_roots(variance);
  const std::optional<Node> group = is_ours ? uns_at(uns, {name}) : std::nullopt;
  if (!group || !group->parts) return;
  // With standard deviations the group is that of a reduction, and the rest of it its misc.
  for (Member& member : group->parts->members())
    if (member.name != "stdev" && member.name != "variance" && member.name != "variance_ratio")
      reduction.misc.members.push_back(std::move(member));
  part.used.insert("uns/" + name);
  part.taken->take("/uns/" + name);
}

// part: null unless these belong to a modality.
void ObjectMaker::add_reductions(const std::vector<AnnotatedPart>& obsm, const std::string& assay,
                                 TakenParts& taken, Part* part) {
  for (const AnnotatedPart& item : obsm) {
    if (const auto* error = std::get_if<Error>(&item.content)) throw *error;
    const auto* array = std::get_if<LabelledArray>(&item.content);
    const ArrayPtr values = array ? labelled_values(*array).values : nullptr;
    const uint64_t dimensions = values ? columns_of_numbers(values, object_.cells->count()) : 0;
    if (dimensions == 0) {
      annotated::UnsTree::Path path = part ? place_in_misc(*part) : annotated::UnsTree::Path();
      path.insert(path.end(), {"obsm", item.name});
      add_to_misc(std::move(path), item, "/obsm/" + item.name, taken);
      continue;
    }
    std::string name = item.name.starts_with("X_") && item.name.size() > 2 ? item.name.substr(2) : item.name;
    SeuratObject::Reduction reduction;
    reduction.name = name;
    if (part) add_reduction_values(*part, dimensions, reduction);
    reduction.is_global = name == "umap" || name == "tsne";
    reduction.name = free_name(name, assay);
    reduction.key = free_key(reduction_key(reduction.name));
    reduction.assay = assay;
    reduction.embeddings = {in_column_order(values)};
    object_.reductions.push_back(std::move(reduction));
    taken.take("/obsm/" + item.name);
  }
}

// Adds a part that no slot can hold.
void ObjectMaker::add_to_misc(annotated::UnsTree::Path path, const AnnotatedPart& part,
                              const std::string& from, TakenParts& taken) {
  Node node{part.content};
  if (part.stored) node = *part.stored;
  if (misc_.add(path, std::move(node)))
    taken.take(from);
  else
    taken.refuse(from, "misc has another member of that name");
}

// Returns whether `neighbors` describes the graph that a Seurat object itself describes.
bool ObjectMaker::is_snn(const std::vector<Member>& uns) const {
  const std::optional<Node> method = uns_at(uns, {"neighbors", "params", "method"});
  const auto* array = method ? std::get_if<LabelledArray>(&method->content) : nullptr;
  if (!array || array->values->count() != 1 || array->values->dtype().kind != Kind::text) return false;
  return read_all(*array->values).text(0) == "snn";
}

// Adds unstructured data: lists that have a slot of their own, and members of misc.
void ObjectMaker::add_uns(const std::vector<Member>& uns, const annotated::UnsTree::Path& place,
                          const std::set<std::string>& used, TakenParts& taken) {
  for (const Member& member : uns) {
    const std::string from = "/uns/" + member.name;
    if (used.contains("uns/" + member.name)) continue;
    const bool is_list = place.empty() && is_plain_group(member.node);
    RList* const slot = !is_list                    ? nullptr
                        : member.name == "tools"    ? &object_.tools
                        : member.name == "commands" ? &object_.commands
                                                    : nullptr;
    if (slot && slot->members.empty()) {
      slot->members = member.node.parts->members();
      taken.take(from);
      continue;
    }
    if (member.name == "neighbors" && is_snn(uns)) {
      taken.take(from);
      continue;
    }
    annotated::UnsTree::Path path = place;
    path.push_back(member.name);
    if (misc_.add(path, member.node))
      taken.take(from);
    else
      taken.refuse(from, "misc has another member of that name");
  }
}

// Adds the parts of a matrix that have no slot.
void ObjectMaker::add_rest(Part& part) {
  const annotated::UnsTree::Path place = place_in_misc(part);
  const auto add = [&](const char* room, const std::vector<AnnotatedPart>& items) {
    for (const AnnotatedPart& item : items) {
      const std::string from = fmt::format("{}/{}", room, item.name);
      if (part.used.contains(from)) continue;
      annotated::UnsTree::Path path = place;
      path.insert(path.end(), {room, item.name});
      add_to_misc(std::move(path), item, "/" + from, *part.taken);
    }
  };
  add("varm", part.matrix.varm);
  add("varp", part.matrix.varp);
  if (!part.matrix.x_name.empty()) part.used.insert("uns/X_name");  // it is in the names of the slots
  if (!joint_.is_experiment || place.empty()) return add_uns(part.matrix.uns, place, part.used, *part.taken);
  const auto assay = std::find_if(object_.assays.begin(), object_.assays.end(),
                                  [&](const SeuratObject::Assay& one) { return one.name == part.name; });
  for (const Member& member : part.matrix.uns) {
    if (part.used.contains("uns/" + member.name)) continue;
    assay->misc.members.push_back(member);
    part.taken->take("/uns/" + member.name);
  }
}

// Seurat has no slides without a picture; the cells' coordinates are a reduction.
void ObjectMaker::add_images(const Part& part) {
  if (!part.matrix.slides) return;
  for (Slide& slide : part.matrix.slides()) {
    if (!slide.pixels) {
      context_.notice(fmt::format(
          "seurat.rds: the slide {}, of which no picture can be read: not in the object", slide.name));
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
