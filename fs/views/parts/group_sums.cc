#include "fs/views/parts/group_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/chunked_array.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/entry_runs.h"
#include "formats/core/sparse/sorted.h"
#include "formats/core/sparse/sparse_majors.h"
#include "fs/views/r/seurat_parts.h"

namespace plainfs {

namespace {

// The part of the cache's budget (1 / kSumsPart) that the sums of all passes under way may take. Each thread
// has one pass under way.
constexpr uint64_t kSumsPart = 4;

DType type_of_sums(const DType& type) {
  if (type.is_integer() || type.is_truth()) return number_type(Kind::integer, 8);
  if (type.kind == Kind::real) return number_type(Kind::real, 8);
  throw unsupported("a matrix of {}", type.name());
}

// The values of a matrix of cells by genes, sparse or dense, by the axis that is stored contiguously.
struct Values {
  ArrayPtr values;
  std::optional<SparseMatrix> sparse;
  bool cells_are_major;
  uint64_t cells, genes;
};

Values values_of(const Content& content) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&content))
    return {sparse->value, *sparse, sparse->by_row, sparse->rows, sparse->columns};
  const ArrayPtr& values = std::get<LabelledArray>(content).values;
  const bool turned = values->column_major();
  return {values, std::nullopt, !turned, values->shape()[turned], values->shape()[!turned]};
}

// Returns the summand for one value: an integer, or a double.
template <class T>
auto summand(const DType& type, T value) {
  if constexpr (!std::is_integral_v<T>) {
    return number_cast<double>(value);
  } else {
    if (type.is_truth()) return int64_t{value != 0};
    if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>)
      if (value > INT64_MAX) throw unsupported("{} does not fit into a 64-bit sum", value);
    return static_cast<int64_t>(value);
  }
}

inline void add(double& sum, double value) {
  sum += value;
}
inline void add(int64_t& sum, int64_t value) {
  int64_t together;
  if (__builtin_add_overflow(sum, value, &together))
    throw unsupported("{} + {} does not fit into a 64-bit sum", sum, value);
  sum = together;
}

class GroupSums : public ChunkedArray {
 public:
  GroupSums(Values stored, uint64_t genes_at_once, std::shared_ptr<const CellGroups> groups, Context& context)
      : ChunkedArray(context, type_of_sums(stored.values->dtype()),
                     ChunkGrid({stored.genes, groups->levels.size()},
                               {genes_at_once, std::max<size_t>(1, groups->levels.size())})),
        stored_(std::move(stored)),
        groups_(std::move(groups)) {
    stored_.values->check();
    if (stored_.sparse) majors_.emplace(*stored_.sparse);
  }

  bool may_be_missing() const override { return true; }

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override;

 private:
  // Sums of genes [first, end).
  struct Band {
    uint64_t first, end;
    Elements sums;
  };
  // Elements in memory, by their place in the array.
  struct Run {
    uint64_t first = 0;
    std::vector<uint32_t> minors{};  // for a sparse matrix
    Elements values{};
  };

  template <class T>
  void add_one(Band& band, const Elements& values, uint64_t i, uint64_t cell, uint64_t gene) const;
  template <class Visit>
  void read_runs(uint64_t first, uint64_t end, Visit&& visit) const;
  template <class T>
  void add_cells_of_lists(Band& band) const;
  template <class T>
  void add_genes_of_lists(Band& band) const;
  template <class T>
  void add_dense(Band& band) const;

  const Values stored_;
  const std::shared_ptr<const CellGroups> groups_;
  std::optional<SparseMajors> majors_;  // for a sparse matrix
};

Elements GroupSums::load_chunk(std::span<const uint64_t> chunk) const {
  Band band{grid().start(0, chunk[0]), 0, {}};
  band.end = std::min(shape()[0], band.first + grid().length(0, chunk[0]));
  band.sums = zero_elements(dtype(), element_count(grid().chunk_shape(chunk)));
  visit_number(stored_.values->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (!stored_.sparse)
      add_dense<T>(band);
    else if (stored_.cells_are_major)
      add_cells_of_lists<T>(band);
    else
      add_genes_of_lists<T>(band);
  });
  return std::move(band.sums);
}

// Adds one value. Requires: the band contains `gene`. Different genes may be added to concurrently, unless a
// value is missing.
template <class T>
void GroupSums::add_one(Band& band, const Elements& values, uint64_t i, uint64_t cell, uint64_t gene) const {
  const uint32_t group = groups_->cells[cell];
  if (group == CellGroups::kNone) return;
  const uint64_t at = (gene - band.first) * groups_->levels.size() + group;
  if (values.is_missing(i)) {
    band.sums.missing.resize(band.sums.count);
    band.sums.missing[at] = 1;
    return;
  }
  const auto value = summand(stored_.values->dtype(), values.values<T>()[i]);
  using Sum = std::remove_const_t<decltype(value)>;
  add(band.sums.mutable_values<Sum>()[at], value);
}

// Calls visit(run) for elements [first, end) in order. Several threads read them.
template <class Visit>
void GroupSums::read_runs(uint64_t first, uint64_t end, Visit&& visit) const {
  const auto read = [&](Run& run, uint64_t begin, uint64_t last) {
    run.first = begin;
    run.values = read_run(*stored_.values, begin, last - begin);
    if (!stored_.sparse) return;
    const IndexRun<uint32_t> indices(*stored_.sparse->index, begin, last - begin, majors_->lists().minors,
                                     stored_.cells_are_major ? "gene" : "cell");
    run.minors.assign(indices.values().begin(), indices.values().end());
  };
  // Other passes under way may need what this one has passed.
  const std::vector<ArrayPtr> parts{stored_.values};
  for_entry_runs<Run>({parts, first, end, entries_at_once(kEntriesAtOnce, parts, context()), false},
                      context(), read, visit);
}

template <class T>
void GroupSums::add_cells_of_lists(Band& band) const {
  read_runs(0, majors_->entries(), [&](const Run& run) {
    const uint64_t last = run.first + run.minors.size();
    majors_->visit(run.first, last, [&](uint64_t cell, uint64_t begin, uint64_t end) {
      if (groups_->cells[cell] == CellGroups::kNone) return;
      for (uint64_t i = std::max(begin, run.first) - run.first; i < std::min(end, last) - run.first; ++i) {
        const uint64_t gene = run.minors[i];
        if (gene >= band.first && gene < band.end) add_one<T>(band, run.values, i, cell, gene);
      }
    });
  });
}

// Adds the entries of each gene in the order of their cells, whatever the order in the store.
template <class T>
void GroupSums::add_genes_of_lists(Band& band) const {
  const Pointers pointers(majors_->lists(), band.first, band.end - band.first);
  const std::span<const uint64_t> of = pointers.values();
  Run gene_run;  // of a gene that spans several runs
  uint64_t gene = band.first;
  const auto add_gene = [&](const Run& run, uint64_t from, uint64_t count) {
    const std::span<const uint32_t> cells = std::span(run.minors).subspan(from, count);
    if (std::is_sorted(cells.begin(), cells.end())) {
      for (uint64_t i = 0; i < count; ++i) add_one<T>(band, run.values, from + i, cells[i], gene);
      return;
    }
    for (const uint64_t i : sorted_places(cells)) add_one<T>(band, run.values, from + i, cells[i], gene);
  };
  read_runs(of.front(), of.back(), [&](const Run& run) {
    const uint64_t last = run.first + run.minors.size();
    for (; gene < band.end && of[gene - band.first] < last; ++gene) {
      const uint64_t begin = of[gene - band.first], end = of[gene - band.first + 1];
      const uint64_t from = std::max(begin, run.first), to = std::min(end, last);
      if (begin >= run.first && end <= last) {
        add_gene(run, from - run.first, to - from);
        continue;
      }
      gene_run.minors.insert(gene_run.minors.end(),
                             run.minors.begin() + static_cast<ptrdiff_t>(from - run.first),
                             run.minors.begin() + static_cast<ptrdiff_t>(to - run.first));
      append(stored_.values->dtype(), gene_run.values, run.values, from - run.first, to - from);
      if (end > last) return;
      add_gene(gene_run, 0, gene_run.minors.size());
      gene_run = {};
    }
  });
}

template <class T>
void GroupSums::add_dense(Band& band) const {
  const uint64_t width = stored_.cells_are_major ? stored_.genes : stored_.cells;
  const uint64_t rows = stored_.cells_are_major ? stored_.cells : band.end;
  const uint64_t first = stored_.cells_are_major ? 0 : band.first;
  read_runs(first * width, rows * width, [&](const Run& run) {
    for (uint64_t i = 0; i < run.values.count; ++i) {
      const uint64_t row = (run.first + i) / width, column = (run.first + i) % width;
      const uint64_t gene = stored_.cells_are_major ? column : row;
      if (gene >= band.first && gene < band.end)
        add_one<T>(band, run.values, i, stored_.cells_are_major ? row : column, gene);
    }
  });
}

class Chooser {
 public:
  explicit Chooser(const AnnotatedMatrix& matrix) : matrix_(matrix) {}

  ChosenCounts choose() const {
    const bool is_experiment = !matrix_.x_name.empty(), x_is_counts = matrix_.x_name == "counts";
    const std::string x_name = is_experiment ? "assay " + matrix_.x_name : "X";
    const auto counts = std::find_if(matrix_.layers.begin(), matrix_.layers.end(),
                                     [](const AnnotatedPart& part) { return part.name == "counts"; });
    std::optional<ChosenCounts> chosen;
    if (counts != matrix_.layers.end())
      chosen = where_counts(is_experiment ? "assay counts" : "layers/counts", counts->content, matrix_.var);
    if (!chosen && matrix_.raw && !x_is_counts)
      chosen = where_counts("raw/X", matrix_.raw->x, matrix_.raw->var);
    if (chosen) return *std::move(chosen);
    // Without counts, sums of raw are of more use than those of scaled values.
    if (matrix_.raw && !x_is_counts && !std::holds_alternative<std::monostate>(matrix_.raw->x)) {
      if (std::optional<ChosenCounts> x = where_counts(x_name.c_str(), matrix_.x, matrix_.var))
        return *std::move(x);
      return {"raw/X", readable("raw/X", matrix_.raw->x, matrix_.raw->var), matrix_.raw->var};
    }
    if (std::holds_alternative<std::monostate>(matrix_.x)) throw unsupported("no matrix of cells to sum");
    return {x_name, readable(x_name, matrix_.x, matrix_.var), matrix_.var};
  }

 private:
  std::optional<ChosenCounts> where_counts(const char* name, const Content& content, const Table& var) const {
    if (std::holds_alternative<std::monostate>(content)) return std::nullopt;
    ChosenCounts counts{name, readable(name, content, var), var};
    if (!looks_like_counts(*values_of(counts.matrix).values)) return std::nullopt;
    return counts;
  }

  Content readable(const std::string& name, const Content& content, const Table& var) const {
    Content generated = content;
    if (const auto* error = std::get_if<Error>(&content)) throw *error;
    if (const auto* sparse = std::get_if<SparseMatrix>(&content)) {
      if (sparse->error) throw *sparse->error;
      generated = evaluated(*sparse);
    } else if (const auto* array = std::get_if<LabelledArray>(&content)) {
      generated = labelled_values(*array);
      const size_t rank = std::get<LabelledArray>(generated).values->shape().size();
      if (rank != 2) throw unsupported("{} has rank {}", name, rank);
    } else {
      throw unsupported("{} is not a matrix", name);
    }
    const Values values = values_of(generated);
    if (values.cells != matrix_.cells || values.genes != var.rows)
      throw damaged("{} is {} by {}, expected {} by {}", name, values.cells, values.genes, matrix_.cells,
                    var.rows);
    return generated;
  }

  const AnnotatedMatrix& matrix_;
};

}  // namespace

ChosenCounts choose_counts(const AnnotatedMatrix& matrix) {
  return Chooser(matrix).choose();
}

std::optional<std::string> notice_of_sums(const ChosenCounts& chosen) {
  if (looks_like_counts(*values_of(chosen.matrix).values)) return std::nullopt;
  return fmt::format(
      "no matrix has counts (whole numbers from 0 on); these are sums of {}, which DESeq2 and "
      "edgeR do not take",
      chosen.name);
}

ArrayPtr group_sums(const ChosenCounts& counts, std::shared_ptr<const CellGroups> groups, Context& context) {
  Values values = values_of(counts.matrix);
  const uint64_t passes = context.workers.threads() + 1;
  const uint64_t room = context.cache.statistics().budget_bytes / kSumsPart / passes / sizeof(double);
  const uint64_t genes = std::clamp<uint64_t>(room / std::max<size_t>(1, groups->levels.size()), 1,
                                              std::max<uint64_t>(1, values.genes));
  return std::make_shared<GroupSums>(std::move(values), genes, std::move(groups), context);
}

}  // namespace plainfs
