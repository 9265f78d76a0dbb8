#include "fs/serve/pages/cells/kept_cells.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/annotated/cell_groups.h"
#include "formats/annotated/selection.h"
#include "formats/core/model/elements/number_cast.h"
#include "fs/serve/pages/cells/markers.h"
#include "fs/serve/pages/cells/outlines.h"
#include "fs/serve/pages/cells/slide_view.h"
#include "fs/serve/pages/cells/spatial_slides.h"
#include "fs/views/anndata/anndata_files.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxFirstGenes = 40;
constexpr uint64_t kMaxCells = uint64_t{1} << 25;  // limit of the values that a page holds at once

// Columns of var with gene symbols, in stores with ids as row names (CELLxGENE, Ensembl).
constexpr std::array<std::string_view, 6> kSymbols{"feature_name", "gene_symbols", "gene_symbol",
                                                   "gene_name",    "gene_names",   "symbol"};
constexpr std::array<std::string_view, 4> kIds{"gene_ids", "gene_id", "id", "ensembl_id"};

template <size_t N>
ArrayPtr text_column(const Table& table, const std::array<std::string_view, N>& names) {
  for (const std::string_view name : names)
    for (const Column& column : table.columns) {
      const ColumnLevels levels = levels_of(*column.values);
      if (column.name == name && (levels == ColumnLevels::few || levels == ColumnLevels::texts))
        return column.values;
    }
  return nullptr;
}

bool is_truth_column(const Column& column, std::string_view name) {
  return column.name == name && column.values->dtype().is_truth();
}

bool has_values(const Content& x) {
  return std::holds_alternative<SparseMatrix>(x) || std::holds_alternative<LabelledArray>(x);
}

// Returns whether the slide has pixels, and a scale that gives the picture finite sides. The scale of a
// damaged store may be infinite, or so small that a side is.
bool has_picture(const Slide& slide) {
  if (!slide.pixels || !std::isfinite(slide.lowres) || !(slide.lowres > 0)) return false;
  const auto is_length = [](double length) { return std::isfinite(length) && length > 0; };
  const Shape& shape = slide.pixels->shape();
  return is_length(1 / slide.lowres) && is_length(static_cast<double>(shape[0]) / slide.lowres) &&
         is_length(static_cast<double>(shape[1]) / slide.lowres);
}

// Requires: has_values(x).
MatrixLinesPtr lines_of_genes(const std::string& name, const Content& x, Context& context) {
  if (const auto* array = std::get_if<LabelledArray>(&x)) {
    const ArrayPtr values = labelled_values(*array).values;
    if (values->shape().size() != 2) throw unsupported("{} has {} dimensions", name, values->shape().size());
    return dense_lines(values, values->column_major() ? 0 : 1, context);
  }
  const SparseMatrix& matrix = std::get<SparseMatrix>(x);
  if (matrix.error) throw *matrix.error;
  return sparse_lines(evaluated(matrix), false, context);
}

}  // namespace

PageCells::PageCells(OpenMeaning meaning, const FoundAnnotatedMatrix& found,
                     std::optional<uint64_t> chosen_from)
    : meaning_(std::move(meaning)), name_(found.name), matrix_(found.make()), chosen_from_(chosen_from) {
  if (matrix_.obs.rows != matrix_.cells)
    throw damaged("the columns of the cells have {} rows, expected {}", matrix_.obs.rows, matrix_.cells);
  const bool is_experiment = !matrix_.x_name.empty();
  const std::shared_ptr<const PartNameList> genes = genes_of(matrix_.var);
  add_matrix(GeneMatrix::Kind::x, is_experiment ? matrix_.x_name : "X", matrix_.x, genes);
  if (matrix_.raw) add_matrix(GeneMatrix::Kind::raw, "raw", matrix_.raw->x, genes_of(matrix_.raw->var));
  for (const AnnotatedPart& layer : matrix_.layers)
    add_matrix(GeneMatrix::Kind::layer, is_experiment ? layer.name : "layers/" + layer.name, layer.content,
               genes);
}

void PageCells::add_matrix(GeneMatrix::Kind kind, std::string name, const Content& content,
                           const std::shared_ptr<const PartNameList>& genes) {
  if (genes && has_values(content))
    matrices_.push_back(std::make_unique<const GeneMatrix>(kind, std::move(name), content, genes));
}

// Returns null if the genes have no names.
std::shared_ptr<const PartNameList> PageCells::genes_of(const Table& var) const {
  if (!var.row_names) return nullptr;
  const ArrayPtr symbols = text_column(var, kSymbols);
  const ArrayPtr ids = symbols ? var.row_names : text_column(var, kIds);
  return std::make_shared<const PartNameList>("gene", symbols ? symbols : var.row_names, ids,
                                              *meaning_.what.context);
}

const GeneMatrix* PageCells::matrix_of(std::string_view name) const {
  for (const auto& matrix : matrices_)
    if (matrix->name() == name) return matrix.get();
  return nullptr;
}

std::vector<const GeneMatrix*> PageCells::searched() const {
  std::vector<const GeneMatrix*> matrices;
  const auto add_first = [&](bool is_raw) {
    for (const auto& matrix : matrices_)
      if ((matrix->kind() == GeneMatrix::Kind::raw) == is_raw) return matrices.push_back(matrix.get());
  };
  add_first(true);
  add_first(false);  // the layers have the genes of X
  return matrices;
}

const MatrixLinesPtr& PageCells::lines(const GeneMatrix& matrix) const {
  return matrix.lines_.get(
      [&] { return lines_of_genes(matrix.name(), matrix.content_, *meaning_.what.context); });
}

void PageCells::sort_ahead(const GeneMatrix& matrix, uint64_t max_entries) const {
  if (matrix.max_sorted_ahead_.exchange(max_entries, std::memory_order_relaxed) >= max_entries) return;
  meaning_.what.context->workers.try_later(
      [self = shared_from_this(), &matrix, max_entries] { self->lines(matrix)->sort_ahead(max_entries); });
}

const MatrixLines& PageCells::lines_of(const GeneMatrix& matrix) const {
  const MatrixLines& all = *lines(matrix);
  if (all.length() != matrix_.cells)
    throw damaged("{} has {} cells, expected {}", matrix.name(), all.length(), matrix_.cells);
  if (all.count() < matrix.genes()->count())
    throw damaged("{} has {} genes, expected {}", matrix.name(), all.count(), matrix.genes()->count());
  if (all.length() > kMaxCells) throw unsupported("{} cells are too many for a page", all.length());
  return all;
}

std::vector<double> PageCells::values(const GeneMatrix& matrix, uint64_t gene) const {
  const MatrixLines& lines = lines_of(matrix);
  std::vector<double> values;
  values.reserve(lines.length());
  append_doubles(lines.dtype(), lines.read(gene, 0, lines.length()), values);
  sort_ahead(matrix, UINT64_MAX);  // after one gene, others are likely to be read
  return values;
}

std::vector<double> PageCells::values_of(const GeneMatrix& matrix, uint64_t first, uint64_t count) const {
  const auto* array = std::get_if<LabelledArray>(&matrix.content_);
  std::vector<double> all;
  if (!array || labelled_values(*array).values->column_major()) {
    for (uint64_t gene = first; gene < first + count; ++gene) {
      const std::vector<double> one = values(matrix, gene);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  // The values of a cell lie together.
  const ArrayPtr stored = labelled_values(*array).values;
  if (stored->shape() != Shape{matrix_.cells, matrix.genes()->count()})
    throw damaged("{} has another shape than {} cells × {} genes", matrix.name(), matrix_.cells,
                  matrix.genes()->count());
  std::vector<double> by_cell;
  append_doubles(stored->dtype(), stored->read({{0, first}, {matrix_.cells, count}}), by_cell);
  all.resize(by_cell.size());
  for (uint64_t cell = 0; cell < matrix_.cells; ++cell)
    for (uint64_t gene = 0; gene < count; ++gene)
      all[gene * matrix_.cells + cell] = by_cell[cell * count + gene];
  return all;
}

void PageCells::sort(const GeneMatrix& matrix) const {
  const MatrixLinesPtr& all = lines(matrix);
  all->sort_ahead(UINT64_MAX);
  if (all->is_costly())
    throw unsupported("{} is too large to be sorted by genes here: start with a larger -o cache_size",
                      matrix.name());
}

MarkersPtr PageCells::kept_markers(const std::string& key) const {
  const MutexLock lock(markers_mutex_);
  const MarkersPtr* const kept = markers_.find(key);
  return kept ? *kept : nullptr;
}

void PageCells::keep_markers(const std::string& key, MarkersPtr markers) const {
  const MutexLock lock(markers_mutex_);
  markers_.keep(key, std::move(markers));
}

const std::vector<std::string>& PageCells::first_genes() const {
  return first_genes_.get([this] { return find_first_genes(); });
}

const std::vector<std::string>& PageCells::left_out() const {
  return left_out_.get([this] { return lines_left_out_of_h5ad(matrix_, name_, *meaning_.what.context); });
}

const StoredMarkersFound& PageCells::stored_markers() const {
  return stored_markers_.get([this] { return stored_markers_of(matrix_, *meaning_.what.context); });
}

const SlidesFound& PageCells::slides() const {
  return slides_.get([this] {
    SlidesFound found{matrix_.slides ? matrix_.slides() : std::vector<Slide>()};
    const bool is_spatial = found.slides.empty();
    Context& context = *meaning_.what.context;
    if (is_spatial) found.slides = spatial_slides(directory(), matrix_, context, found.left_out);
    std::erase_if(found.slides, [](const Slide& slide) { return !has_picture(slide); });
    found.outlines.resize(found.slides.size());
    for (size_t i = 0; is_spatial && i < found.slides.size(); ++i)
      found.outlines[i] = outline_names(directory(), found.slides[i].name, context);
    return found;
  });
}

bool PageCells::keeps_picture(const Slide& slide, const std::string& outlines) const {
  const MutexLock lock(backdrops_mutex_);
  const auto* const kept = backdrops_.find({&slide, outlines});
  return kept && (*kept)->known();
}

std::shared_ptr<const Backdrop> PageCells::picture(SlidePicture key,
                                                   const std::function<Backdrop()>& make) const {
  std::shared_ptr<const Lazy<Backdrop>> picture;
  {
    const MutexLock lock(backdrops_mutex_);
    if (const auto* const kept = backdrops_.find(key)) picture = *kept;
    if (!picture) {
      picture = std::make_shared<const Lazy<Backdrop>>();
      backdrops_.keep(std::move(key), picture);
    }
  }
  return {picture, &picture->get(make)};
}

std::shared_ptr<const Backdrop> PageCells::backdrop(const Slide& slide) const {
  return picture({&slide, {}}, [&] { return backdrop_of(slide); });
}

std::shared_ptr<const Backdrop> PageCells::outlines(const Slide& slide, const std::string& name) const {
  const std::shared_ptr<const Backdrop> area = backdrop(slide);
  return picture({&slide, name},
                 [&] { return outlines_of(directory(), slide.name, name, *area, *meaning_.what.context); });
}

std::vector<std::string> PageCells::find_first_genes() const {
  const GeneMatrix& matrix = *matrices_.front();
  const std::shared_ptr<const PartNames> names = matrix.genes();
  const std::vector<Column>& columns =
      (matrix.kind() == GeneMatrix::Kind::raw ? matrix_.raw->var : matrix_.var).columns;
  std::vector<std::string> first;
  const auto variable = std::find_if(columns.begin(), columns.end(), [](const Column& each) {
    return is_truth_column(each, "highly_variable") || is_truth_column(each, "vst.variable");
  });
  if (variable != columns.end()) {
    std::vector<double> marks;
    append_doubles(variable->values->dtype(), read_all(*variable->values), marks);
    for (size_t i = 0; i < std::min<size_t>(marks.size(), names->count()) && first.size() < kMaxFirstGenes;
         ++i)
      if (marks[i] == 1) first.emplace_back(names->label(i));
  }
  for (uint64_t i = 0; first.empty() && i < std::min<uint64_t>(names->count(), kMaxFirstGenes); ++i)
    first.emplace_back(names->label(i));
  return first;
}

PageCellsPtr KeptCells::some_of(Filesystem& filesystem, Inode directory, const std::string& choice,
                                const Indices& cells_chosen) {
  OpenMeaning meaning = filesystem.meaning(directory);
  const Key key{&filesystem, filesystem.path(directory), choice, meaning.opening->number()};
  {
    const MutexLock lock(mutex_);
    kept_.erase_if(
        [&](const Key& kept) { return kept.filesystem == &filesystem && kept.opening != key.opening; });
    if (const PageCellsPtr* const cells = kept_.find(key)) return *cells;
  }
  std::optional<FoundAnnotatedMatrix> found = annotated_matrix_of(meaning.what.node, *meaning.what.context);
  if (!found) return nullptr;
  std::optional<uint64_t> all;
  if (cells_chosen) {
    const auto whole = std::make_shared<const AnnotatedMatrix>(found->make());
    all = whole->cells;
    found->make = [whole, cells_chosen, context = meaning.what.context] {
      return selected_cells(*whole, cells_chosen, *context);
    };
  }
  auto cells = std::make_shared<const PageCells>(std::move(meaning), *found, all);
  const MutexLock lock(mutex_);
  kept_.keep(key, cells);
  return cells;
}

}  // namespace plainfs::serve
