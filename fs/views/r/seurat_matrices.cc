// The choice of an annotated matrix's matrices for the slots of a Seurat assay.
#include <algorithm>
#include <cmath>

#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/dense_entries.h"
#include "fs/views/r/seurat_names.h"
#include "fs/views/r/seurat_parts.h"

namespace plainfs {

namespace {

constexpr uint64_t kSample = 65536;  // values that are read to classify a matrix

// The properties of a matrix's first values.
struct Looks {
  bool like_counts = true;  // all are finite non-negative integers
  bool scaled = false;      // one is below 0
};

Looks looks_of(const Array& values) {
  const uint64_t some = std::min(kSample, values.count());
  const Elements elements = read_run(values, 0, some);
  Looks looks;
  visit_number(values.dtype(), [&](auto zero) {
    const auto all = elements.values<decltype(zero)>();
    for (uint64_t i = 0; i < some; ++i) {
      const double value = elements.is_missing(i) ? std::nan("") : number_cast<double>(all[i]);
      looks.like_counts &= std::isfinite(value) && value >= 0 && value == std::floor(value);
      looks.scaled |= value < 0;
    }
  });
  return looks;
}

// A matrix of cells by genes and the properties of its first values.
class Candidate {
 public:
  Candidate(std::string name, const Content& content, uint64_t cells, uint64_t genes)
      : name_(std::move(name)), content_(content) {
    if (const auto* error = std::get_if<Error>(&content_)) throw *error;
    if (const auto* array = std::get_if<LabelledArray>(&content_)) content_ = labelled_values(*array);
    if (const auto* sparse = std::get_if<SparseMatrix>(&content_)) {
      if (sparse->error) throw *sparse->error;
      content_ = evaluated(*sparse);
    }
    check_sides(cells, genes);
  }

  const std::string& name() const { return name_; }
  const Looks& looks() {
    if (!looks_) {
      const auto* sparse = std::get_if<SparseMatrix>(&content_);
      const Array& values = sparse ? *sparse->value : *std::get<LabelledArray>(content_).values;
      values.check();
      looks_ = looks_of(values);
    }
    return *looks_;
  }
  // Returns the matrix as features by cells.
  const SparseMatrix& matrix(Context& context) {
    if (!matrix_) {
      if (const auto* sparse = std::get_if<SparseMatrix>(&content_)) {
        matrix_ = transposed(*sparse);
      } else {
        LabelledArray array = std::get<LabelledArray>(content_);
        array.matrix = MatrixFiles{true, nullptr, nullptr, nullptr};
        matrix_ = entries_of(array, context);
      }
    }
    return *matrix_;
  }
  // Returns the matrix as cells by genes; null for a sparse matrix.
  ArrayPtr dense() const {
    const auto* array = std::get_if<LabelledArray>(&content_);
    return array ? in_row_order(array->values) : nullptr;
  }

 private:
  void check_sides(uint64_t cells, uint64_t genes) const;

  const std::string name_;
  Content content_;
  std::optional<Looks> looks_;
  std::optional<SparseMatrix> matrix_;
};

void Candidate::check_sides(uint64_t cells, uint64_t genes) const {
  uint64_t rows, columns;
  if (const auto* sparse = std::get_if<SparseMatrix>(&content_)) {
    rows = sparse->rows;
    columns = sparse->columns;
  } else if (const auto* array = std::get_if<LabelledArray>(&content_)) {
    const Shape& shape = array->values->shape();
    if (shape.size() != 2) throw unsupported("{} of rank {} is not a matrix for Seurat", name_, shape.size());
    const bool turned = array->values->column_major();
    rows = shape[turned];
    columns = shape[!turned];
  } else {
    throw unsupported("{} is not a matrix for Seurat", name_);
  }
  if (rows != cells || columns != genes)
    throw damaged("{} is {} by {}, expected {} by {}", name_, rows, columns, cells, genes);
}

bool exists(const Content& content) {
  return !std::holds_alternative<std::monostate>(content);
}

bool name_the_same(const Table& a, const Table& b, Context& context) {
  if (a.rows != b.rows) return false;
  if (!a.row_names || !b.row_names) return !a.row_names && !b.row_names;
  return are_same_texts(*a.row_names, *b.row_names, context);
}

class Choice {
 public:
  // names_alone: no matrices are created.
  Choice(const AnnotatedMatrix& matrix, Context& context, bool names_alone = false)
      : matrix_(matrix), context_(context), names_alone_(names_alone) {
    if (matrix.raw && exists(matrix.raw->x)) {
      raw_.emplace("raw/X", matrix.raw->x, matrix.cells, matrix.raw->var.rows);
      generated_.same_genes = name_the_same(matrix.var, matrix.raw->var, context);
    }
    find_named();
  }

  SeuratMatrices make() {
    const bool x_is_counts = x_ && !counts_ && !x_is_data_ && x_->looks().like_counts;
    if (x_is_counts)
      take(x_, normalised_ ? normalised_ : x_);
    else if (x_ && x_->looks().scaled && x_->dense() && (raw_ || counts_ || normalised_))
      take_beside_scaled();
    else if (x_)
      take(counts_ ? counts_ : raw_ && generated_.same_genes && raw_->looks().like_counts ? raw_ : none_, x_);
    else
      take_without_x();
    if (!generated_.scaled) take_scaled_layer();
    return std::move(generated_);
  }

 private:
  using Maybe = std::optional<Candidate>;

  void find_named();
  void take(Maybe& counts, Maybe& data);
  void take_beside_scaled();
  void take_without_x();
  void take_scaled_layer();
  const AnnotatedPart* layer(std::initializer_list<std::string_view> names) const;
  std::string text_in_uns(const std::vector<std::string>& path) const;

  const AnnotatedMatrix& matrix_;
  Context& context_;
  const bool names_alone_;
  Maybe x_, counts_, raw_, normalised_, none_;
  bool x_is_data_ = false;  // whatever its values look like
  SeuratMatrices generated_;
};

// Finds X, and the counts by their name. The names of an experiment's matrices describe them.
void Choice::find_named() {
  const auto candidate = [&](const std::string& name, const Content& content, Maybe& to) {
    to.emplace(name, content, matrix_.cells, matrix_.genes);
  };
  const bool is_experiment = !matrix_.x_name.empty();
  // zellkonverter names the assay that is X, and scConvert the matrix with the counts.
  const std::string x_name = is_experiment ? matrix_.x_name : text_in_uns({"X_name"});
  const std::string stamp = text_in_uns({"scConvert", "counts_location"});
  const bool x_is_counts = exists(matrix_.x) && (x_name == "counts" || stamp == "X");
  const std::string layers = is_experiment ? "assay " : "layers/";
  const std::string of_x = is_experiment ? layers + x_name : "X";
  x_is_data_ = x_name == "logcounts";
  const AnnotatedPart* normalised = layer({"data", "logcounts", "log_normalized"});
  if (normalised && is_experiment)
    candidate(layers + normalised->name, normalised->content, x_);
  else if (normalised && x_is_counts)
    candidate(layers + normalised->name, normalised->content, x_);
  else if (exists(matrix_.x) && !x_is_counts)
    candidate(of_x, matrix_.x, x_);
  if (normalised && !is_experiment) candidate(layers + normalised->name, normalised->content, normalised_);
  if (x_is_counts)
    candidate(of_x, matrix_.x, counts_);
  else if (const AnnotatedPart* counts = layer({"counts"}))
    candidate(layers + "counts", counts->content, counts_);
}

// Returns the first layer with one of the names; null without one.
const AnnotatedPart* Choice::layer(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    for (const AnnotatedPart& part : matrix_.layers)
      if (part.name == name) return &part;
  return nullptr;
}

std::string Choice::text_in_uns(const std::vector<std::string>& path) const {
  const auto found = std::find_if(matrix_.uns.begin(), matrix_.uns.end(),
                                  [&](const Member& member) { return member.name == path.front(); });
  if (found == matrix_.uns.end()) return {};
  std::optional<Node> node = found->node;
  if (path.size() > 1)
    node = node->parts ? find_path(*node->parts, std::span(path).subspan(1)) : std::nullopt;
  const auto* array = node ? std::get_if<LabelledArray>(&node->content) : nullptr;
  if (!array || array->values->is_null() || array->values->count() != 1 || !array->values->dtype().is_text())
    return {};
  const Elements text = read_all(*array->values);
  const DType& type = array->values->dtype();
  return std::string(type.kind == Kind::text ? text.text(0)
                                             : trim_padding(as_text(text.bytes), type.padding));
}

// Takes a dense layer with the name of scaled data.
void Choice::take_scaled_layer() {
  const AnnotatedPart* scaled = layer({"scale.data", "scaled", "scaledata"});
  if (!scaled || !std::holds_alternative<LabelledArray>(scaled->content)) return;
  Candidate candidate("layers/" + scaled->name, scaled->content, matrix_.cells, matrix_.genes);
  generated_.scaled_from = candidate.name();
  if (!names_alone_) generated_.scaled = candidate.dense();
}

void Choice::take(Maybe& counts, Maybe& data) {
  if (counts) generated_.counts_from = counts->name();
  generated_.data_from = data->name();
  if (names_alone_) return;
  if (counts) generated_.counts = counts->matrix(context_);
  generated_.data = data->matrix(context_);
}

// Completes an object with a dense and scaled X: data is its source. Counts and data have the same features.
void Choice::take_beside_scaled() {
  generated_.scaled = x_->dense();
  generated_.scaled_from = x_->name();
  if (raw_ && !(generated_.same_genes && counts_)) {
    generated_.is_raw = true;
    return take(raw_->looks().like_counts ? raw_ : none_, raw_);
  }
  Maybe& data = raw_ && !raw_->looks().like_counts ? raw_ : normalised_ ? normalised_ : counts_;
  take(counts_, data);
}

void Choice::take_without_x() {
  if (counts_) return take(counts_, counts_);
  if (!raw_) throw unsupported("no matrix that can be Seurat's data");
  generated_.is_raw = true;
  take(raw_->looks().like_counts ? raw_ : none_, raw_);
}

}  // namespace

bool looks_like_counts(const Array& values) {
  values.check();
  return looks_of(values).like_counts;
}

SeuratMatrices seurat_matrices(const AnnotatedMatrix& matrix, Context& context) {
  return Choice(matrix, context).make();
}

SeuratMatrices matrices_of_layer(const std::string& name, const Content& layer, uint64_t cells,
                                 uint64_t genes, Context& context) {
  Candidate candidate(name, layer, cells, genes);
  SeuratMatrices generated;
  generated.data_from = name;
  generated.data = candidate.matrix(context);
  if (candidate.looks().like_counts) generated.counts = generated.data;
  return generated;
}

std::string place_of_matrix(const AnnotatedMatrix& matrix, const std::string& chosen) {
  constexpr std::string_view kAssay = "assay ";
  if (!chosen.starts_with(kAssay)) return "/" + chosen;
  const std::string name = chosen.substr(kAssay.size());
  return name == matrix.x_name ? "/X" : "/layers/" + name;
}

SeuratSources seurat_sources(const AnnotatedMatrix& matrix, Context& context) {
  const SeuratMatrices generated = Choice(matrix, context, true).make();
  return {generated.counts_from, generated.data_from};
}

}  // namespace plainfs
