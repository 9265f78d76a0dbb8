#include "formats/annotated/selection.h"

#include <algorithm>

#include "formats/annotated/parts.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/sparse/computed_matrix.h"
#include "formats/core/sparse/entry_source.h"

namespace plainfs {

namespace {

class Selection {
 public:
  Selection(uint64_t all, Indices cells, Context& context)
      : all_(all), cells_(std::move(cells)), context_(context) {}

  // Returns the chosen cells of values. The first dimension, as users see it, is that of the cells.
  ArrayPtr of(const ArrayPtr& values) const;
  Table of(const Table& table) const;
  Content of(const std::string& name, const Content& content) const;
  std::vector<AnnotatedPart> of(const std::string& name, const std::vector<AnnotatedPart>& parts) const;

 private:
  SparseMatrix of(const SparseMatrix& matrix) const;
  LabelledArray of(const LabelledArray& array) const;

  const uint64_t all_;  // the number of all cells
  const Indices cells_;
  Context& context_;
};

// A column's values for some of the cells.
class CellsOfColumn : public DerivedArray {
 public:
  CellsOfColumn(const ArrayPtr& some, ArrayPtr column)
      : DerivedArray(some, some->dtype()), column_(std::move(column)) {}

  bool may_be_missing() const override { return values().may_be_missing(); }
  bool is_nullable() const override { return column_->is_nullable(); }
  const Array& whole_column() const override { return column_->whole_column(); }

 private:
  const ArrayPtr column_;
};

ArrayPtr Selection::of(const ArrayPtr& values) const {
  if (!values) return nullptr;
  if (const FactorParts* const parts = unchecked_factor_parts(*values)) {
    FactorParts own = *parts;
    own.codes = of(own.codes);
    return checked(factor_of(std::move(own), context_), [values] { values->check(); });
  }
  return subset(values->shape().size() > 1 ? in_row_order(values) : values, 0, cells_);
}

Table Selection::of(const Table& table) const {
  Table some{cells_->size(), of(table.row_names), {}, table.index_name};
  for (const auto& [name, values] : table.columns) {
    const ArrayPtr own = of(values);
    const bool is_factor = unchecked_factor_parts(*values) != nullptr;
    some.columns.push_back({name, is_factor ? own : std::make_shared<CellsOfColumn>(own, values)});
  }
  return some;
}

LabelledArray Selection::of(const LabelledArray& array) const {
  LabelledArray some{of(array.values), of(array.row_names), array.column_names, of(array.labels)};
  some.matrix = array.matrix;
  if (some.matrix) some.matrix->column_names = of(some.matrix->column_names);
  return some;
}

// Returns the stretches of a matrix's lists that hold the given rows (or columns). majors: ascending.
Stretches stretches_of(const std::vector<uint64_t>& lengths, const std::vector<uint64_t>& majors) {
  auto stretches = std::make_shared<std::vector<Stretch>>();
  uint64_t begin = 0;
  auto major = majors.begin();
  for (uint64_t i = 0; i < lengths.size() && major != majors.end(); begin += lengths[i++]) {
    if (*major != i) continue;
    ++major;
    if (!stretches->empty() && stretches->back().from + stretches->back().count == begin)
      stretches->back().count += lengths[i];
    else
      stretches->push_back({begin, lengths[i]});
  }
  return stretches;
}

ArrayPtr pointer_of(const std::vector<uint64_t>& lengths, const std::vector<uint64_t>& majors) {
  std::vector<uint64_t> pointer{0};
  for (const uint64_t major : majors) pointer.push_back(pointer.back() + lengths[major]);
  return pointer_list(pointer);
}

// Returns the lists of some rows of a matrix. If the matrix is stored by row they are cut out of its lists;
// otherwise the whole matrix is read.
SparseMatrix some_rows(const SparseMatrix& matrix, const Indices& rows, Context& context) {
  const EntrySourcePtr source = compressed_source(lists_of(matrix), true);
  if (!matrix.by_row) return computed_lists(minor_subset(source, rows), context);
  const std::vector<uint64_t> lengths = source->lengths(0, source->majors());  // checks that the parts fit
  const Stretches stretches = stretches_of(lengths, *rows);
  SparseMatrix lists;
  lists.value = gathered(matrix.value, stretches);
  lists.index = gathered(matrix.index, stretches);
  lists.pointer = pointer_of(lengths, *rows);
  return lists;
}

SparseMatrix Selection::of(const SparseMatrix& matrix) const {
  SparseMatrix some = matrix;
  some.rows = cells_->size();
  some.row_names = of(matrix.row_names);
  if (some.row_ids) some.row_ids = of(matrix.row_ids);
  some.value = some.index = some.pointer = nullptr;
  some.evaluate = evaluated_once(
      [matrix, cells = cells_, &context = context_] { return some_rows(evaluated(matrix), cells, context); });
  return some;
}

Content Selection::of(const std::string& name, const Content& content) const {
  const auto rows = [&]() -> std::optional<uint64_t> {
    if (const auto* table = std::get_if<Table>(&content)) return table->rows;
    if (const auto* sparse = std::get_if<SparseMatrix>(&content)) return sparse->rows;
    const auto* array = std::get_if<LabelledArray>(&content);
    if (!array || array->values->shape().empty()) return std::nullopt;
    const Shape& shape = array->values->shape();
    return array->values->column_major() ? shape.back() : shape.front();
  }();
  if (!rows) return content;
  if (*rows != all_) return damaged("{} has {} rows, expected {}", name, *rows, all_);
  if (const auto* table = std::get_if<Table>(&content)) return of(*table);
  if (const auto* sparse = std::get_if<SparseMatrix>(&content)) return of(*sparse);
  return of(std::get<LabelledArray>(content));
}

std::vector<AnnotatedPart> Selection::of(const std::string& name,
                                         const std::vector<AnnotatedPart>& parts) const {
  std::vector<AnnotatedPart> some;
  for (const AnnotatedPart& part : parts)
    if (!part.stored)
      some.push_back(
          {part.name, of(fmt::format("{}/{}", name, part.name), part.content), {}, part.name_in_store});
  return some;
}

}  // namespace

Table selected_rows(const Table& table, const Indices& rows, Context& context) {
  return Selection(table.rows, rows, context).of(table);
}

AnnotatedMatrix selected_genes(const AnnotatedMatrix& matrix, const Indices& genes, Context& context) {
  const Selection selection(matrix.genes, genes, context);
  AnnotatedMatrix some;
  some.cells = matrix.cells;
  some.genes = genes->size();
  const auto some_genes = [&](const Content& content) {
    return annotated::cells_by_genes(selection.of("var", annotated::cells_by_genes(content)));
  };
  some.x = some_genes(matrix.x);
  for (const AnnotatedPart& layer : matrix.layers)
    some.layers.push_back({layer.name, some_genes(layer.content)});
  some.obs = annotated::named_rows(matrix.cells, matrix.obs.row_names);
  some.var = selection.of(matrix.var);
  some.varm = selection.of("varm", matrix.varm);
  some.marks_missing = matrix.marks_missing;
  return some;
}

AnnotatedMatrix selected_cells(const AnnotatedMatrix& matrix, const Indices& cells, Context& context) {
  const Selection selection(matrix.cells, cells, context);
  AnnotatedMatrix some;
  some.cells = cells->size();
  some.genes = matrix.genes;
  some.x_name = matrix.x_name;
  some.x = selection.of("X", matrix.x);
  some.obs = selection.of(matrix.obs);
  some.obs_names = matrix.obs_names;
  some.var = matrix.var;
  some.layers = selection.of("layers", matrix.layers);
  some.obsm = selection.of("obsm", matrix.obsm);
  if (matrix.raw) some.raw = AnnotatedMatrix::Raw{selection.of("raw/X", matrix.raw->x), matrix.raw->var, {}};
  some.marks_missing = matrix.marks_missing;
  some.pictures = matrix.pictures;
  some.uns = matrix.uns;
  some.stored_uns = matrix.stored_uns;
  if (matrix.slides)
    some.slides = [slides = matrix.slides, cells] { return annotated::with_cells(slides(), *cells); };
  return some;
}

namespace {

// The names of a matrix's genes, and the ids that precede them.
struct Genes {
  ArrayPtr names;
  ArrayPtr ids;
};

// Returns the names of the genes in var. Names that cannot be read are kept, so that using them throws.
Genes names_in(const Table& var) {
  const bool are_broken = dynamic_cast<const BrokenArray*>(var.row_names.get()) != nullptr;
  Genes genes{var.rows > 0 || are_broken ? var.row_names : nullptr, nullptr};
  if (const ArrayPtr ids = column_values(var.columns, "gene_ids"); ids && frames::is_text(ids->dtype()))
    genes.ids = ids;
  return genes;
}

GroupPtr group_in(const GroupPtr& parent, const std::string& name, ListedGroup::List list) {
  return std::make_shared<ListedGroup>(parent, member_path(*parent, name), std::move(list));
}

Node node_in(const GroupPtr& parent, const std::string& name, ListedGroup::List list) {
  return {{}, group_in(parent, name, std::move(list))};
}

// The matrices of the cells of obs by the genes of var.
struct Expressions {
  const Table& obs;
  const Table& var;

  // Returns X or a layer as the member of place called name: with genes in rows if it is sparse.
  Node of(const std::string& name, const Content& content, const GroupPtr& place) const;
};

Node Expressions::of(const std::string& name, const Content& content, const GroupPtr& place) const {
  const Genes genes = names_in(var);
  if (const auto* sparse = std::get_if<SparseMatrix>(&content)) {
    SparseMatrix matrix = transposed(*sparse);
    matrix.row_names = genes.names;
    matrix.row_ids = genes.ids;
    matrix.column_names = obs.row_names;
    return {std::move(matrix), group_in(place, name, nullptr)};
  }
  const auto* stored = std::get_if<LabelledArray>(&content);
  const auto extent = annotated::extent_of(content);
  if (!stored || !extent || extent->columns != var.rows) return {content};
  LabelledArray array = *stored;
  array.row_names = obs.row_names;
  array.column_names = var.row_names;
  if (array.values->dtype().is_numeric())
    array.matrix = MatrixFiles{true, genes.ids, genes.names, obs.row_names, place};
  return {std::move(array)};
}

}  // namespace

AnnotatedMatrix AnnotatedGroup::matrix() const {
  return *generated_.get([this] { return std::make_shared<const AnnotatedMatrix>(make_()); });
}

std::vector<Member> AnnotatedGroup::members() const {
  const auto all = std::make_shared<const AnnotatedMatrix>(matrix());
  const GroupPtr self = shared_from_this();
  const auto exists = [](const Content& content) { return !std::holds_alternative<std::monostate>(content); };
  std::vector<Member> members;
  if (exists(all->x)) {
    members.push_back({"X", Expressions{all->obs, all->var}.of("X", all->x, self)});
    members.back().node.role = Role::main_matrix;
  }
  if (!all->layers.empty())
    members.push_back(
        {"layers", node_in(self, "layers", [all](const GroupPtr& layers) {
           std::vector<Member> some;
           for (const AnnotatedPart& part : all->layers) {
             some.push_back({part.name, Expressions{all->obs, all->var}.of(part.name, part.content, layers)});
             if (part.name == "counts") some.back().node.role = Role::counts;
           }
           return some;
         })});
  members.push_back({"obs", Node{.content = all->obs, .role = Role::main_table}});
  if (!all->obsm.empty())
    members.push_back({"obsm", node_in(self, "obsm", [all](const GroupPtr&) {
                         std::vector<Member> some;
                         for (const AnnotatedPart& part : all->obsm)
                           some.push_back({part.name_in_store.empty() ? part.name : part.name_in_store,
                                           Node{.content = part.content, .role = Role::embedding}});
                         return some;
                       })});
  if (all->raw)
    members.push_back({"raw", node_in(self, "raw", [all, exists](const GroupPtr& raw) {
                         const Expressions own{all->obs, all->raw->var};
                         std::vector<Member> some;
                         if (exists(all->raw->x)) some.push_back({"X", own.of("X", all->raw->x, raw)});
                         some.push_back({"var", {own.var}});
                         return some;
                       })});
  members.push_back({"var", {all->var}});
  return members;
}

}  // namespace plainfs
