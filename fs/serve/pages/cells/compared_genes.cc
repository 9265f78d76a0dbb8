#include "fs/serve/pages/cells/compared_genes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/sparse/line_order.h"
#include "fs/serve/pages/model/rank_sum.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxPasses = 6;  // over a matrix that could be sorted instead
constexpr uint64_t kValuesAtOnce = uint64_t{1} << 20;
constexpr uint64_t kBytesAValue = 40;  // of several genes, in two forms, and a copy to sort
constexpr uint64_t kGenesAtOnce = 16;

// Returns the base of the logarithms in uns/log1p/base; e without it.
double log_base(const Node& directory) {
  const GroupPtr uns = directory.parts ? find_group(*directory.parts, "uns") : nullptr;
  const GroupPtr log1p = uns ? find_group(*uns, "log1p") : nullptr;
  const ArrayPtr base = log1p ? find_array(*log1p, "base") : nullptr;
  if (!base || !base->dtype().is_numeric() || base->count() != 1) return std::exp(1.0);
  std::vector<double> value;
  append_doubles(base->dtype(), read_all(*base), value);
  return value[0] > 0 && std::isfinite(value[0]) ? value[0] : std::exp(1.0);
}

// Returns whether float holds all values of a type.
bool fits_float(const DType& type) {
  return type.kind == Kind::real ? type.size <= sizeof(float) : type.size <= sizeof(uint16_t);
}

// Adds the values to a sum. Returns false if one is not finite.
template <class T>
bool add_up(std::span<const T> values, double& sum) {
  bool are_finite = true;
  for (const T value : values) {
    are_finite &= std::isfinite(value);
    sum += static_cast<double>(value);
  }
  return are_finite;
}

class ComparedGenes {
 public:
  ComparedGenes(const PageCells& cells, const GeneMatrix& matrix, const Level& level, WorkBudget& budget,
                RunProgress& progress, uint64_t block_bytes)
      : cells_(cells),
        matrix_(matrix),
        lines_(cells.lines_of(matrix)),
        level_(level),
        budget_(budget),
        progress_(progress),
        block_bytes_(block_bytes),
        log_base_(std::log(log_base(cells.directory()))),
        found_(matrix.genes()->count()) {}

  Markers compare() {
    std::optional<std::vector<uint64_t>> entries = lines_.count_entries();
    if (entries) entries->resize(found_.size());  // genes without a name are not compared
    if (!entries)
      compare_all_values();
    else if (fits_float(lines_.dtype()))
      compare_entries<float>(*entries);
    else
      compare_entries<double>(*entries);
    return ranked();
  }

 private:
  // Takes the genes with all their values. Sorts a matrix that is stored by cells.
  void compare_all_values() {
    const uint64_t count = level_.is_chosen.size(), genes = found_.size();
    const uint64_t at_once = std::max<uint64_t>(1, kValuesAtOnce / count);
    const WorkBudget::Share share =
        budget_.take_for(std::min(genes, at_once) * count * (cells_.workers().threads() + 1), kBytesAValue);
    progress_.expect(genes);
    cells_.sort(matrix_);
    cells_.workers().parallel_for(divide_up(genes, at_once), [&](size_t part) {
      const uint64_t first = part * at_once, some = std::min(at_once, genes - first);
      const std::vector<double> values = cells_.values_of(matrix_, first, some);
      std::vector<double> split(count);
      for (uint64_t i = 0; i < some; ++i) {
        check_cancelled();
        uint64_t low = 0, high = count;
        for (uint64_t cell = 0; cell < count; ++cell)
          if (const double value = values[i * count + cell]; value != 0)
            split[level_.is_chosen[cell] != 0 ? low++ : --high] = value;
        found_[first + i] = marker_of(first + i, std::span(split).first(low), std::span(split).subspan(high));
        progress_.add(1);
      }
    });
  }

  // The values of a block of genes that are not zero: of each gene those of chosen cells from the front,
  // those of the rest from the back.
  template <class T>
  struct Block {
    uint64_t first = 0, count = 0;  // genes
    std::vector<T> values;
    std::vector<uint64_t> begins, low, high, ends;  // for each gene
  };

  template <class T>
  void compare_entries(const std::vector<uint64_t>& entries) {
    uint64_t all = 0, largest = 0;
    for (const uint64_t count : entries) {
      all += count;
      largest = std::max(largest, count);
    }
    progress_.expect(2 * std::max<uint64_t>(all, 1));
    const uint64_t fitting = block_bytes_ / sizeof(T);
    const WorkBudget::Share share = budget_.take_for(std::min(all, std::max(fitting, largest)), sizeof(T));
    if (all / std::max<uint64_t>(1, fitting) >= kMaxPasses) lines_.sort_ahead(UINT64_MAX);
    Block<T> block;
    for (uint64_t first = 0; first < entries.size(); first += block.count) {
      start(block, first, fitting, entries);
      read(block);
      compare(block);
    }
  }

  // Starts a block of at least one gene.
  template <class T>
  void start(Block<T>& block, uint64_t first, uint64_t fitting, const std::vector<uint64_t>& entries) {
    block.first = first;
    block.begins.clear();
    block.ends.clear();
    uint64_t end = 0;
    for (uint64_t gene = first; gene < entries.size() && (gene == first || end + entries[gene] <= fitting);
         ++gene) {
      block.begins.push_back(end);
      block.ends.push_back(end += entries[gene]);
    }
    block.count = block.begins.size();
    block.low = block.begins;
    block.high = block.ends;
    block.values.resize(end);
  }

  template <class T>
  void read(Block<T>& block) {
    std::vector<double> values;
    lines_.visit_entries(block.first, block.count, [&](const FoundEntries& found) {
      values.clear();
      append_doubles(lines_.dtype(), found.values, values);
      for (size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0) continue;
        const uint32_t gene = found.lines[i];
        const bool is_chosen = level_.is_chosen[found.majors[i]] != 0;
        block.values[is_chosen ? block.low[gene]++ : --block.high[gene]] = static_cast<T>(values[i]);
      }
      progress_.add(values.size());
    });
  }

  template <class T>
  void compare(Block<T>& block) {
    cells_.workers().parallel_for(divide_up(block.count, kGenesAtOnce), [&](size_t part) {
      const uint64_t end = std::min(block.count, (part + 1) * kGenesAtOnce);
      for (uint64_t i = part * kGenesAtOnce; i < end; ++i) {
        check_cancelled();
        const std::span<T> values(block.values);
        found_[block.first + i] =
            marker_of(block.first + i, values.subspan(block.begins[i], block.low[i] - block.begins[i]),
                      values.subspan(block.high[i], block.ends[i] - block.high[i]));
        progress_.add(block.ends[i] - block.begins[i]);
      }
    });
  }

  // Takes the values that are not zero, which are sorted then. Returns nullopt if some are not finite.
  template <class T>
  std::optional<Marker> marker_of(uint64_t gene, std::span<T> chosen, std::span<T> rest) const {
    double sum = 0, sum_rest = 0;
    if (!add_up<T>(chosen, sum) || !add_up<T>(rest, sum_rest)) return std::nullopt;
    const uint64_t own = level_.cells, others = level_.is_chosen.size() - own;
    const RankSum test =
        rank_sum(RankedGroup<T>{chosen, own - chosen.size()}, RankedGroup<T>{rest, others - rest.size()});
    const auto count = static_cast<double>(own), count_rest = static_cast<double>(others);
    const auto counts = [&](double mean) { return std::expm1(mean * log_base_) + 1e-9; };
    return Marker{gene,
                  test.score,
                  test.p,
                  1,
                  std::log2(counts(sum / count) / counts(sum_rest / count_rest)),
                  static_cast<double>(chosen.size()) / count,
                  static_cast<double>(rest.size()) / count_rest};
  }

  Markers ranked() const {
    Markers markers;
    std::vector<double> p;
    for (const std::optional<Marker>& one : found_) {
      if (!one) {
        ++markers.left_out;
        continue;
      }
      markers.genes.push_back(*one);
      p.push_back(one->p);
    }
    const std::vector<double> adjusted = adjusted_p(p);
    for (size_t i = 0; i < adjusted.size(); ++i) markers.genes[i].adjusted = adjusted[i];
    std::stable_sort(markers.genes.begin(), markers.genes.end(),
                     [](const Marker& a, const Marker& b) { return a.score > b.score; });
    return markers;
  }

  const PageCells& cells_;
  const GeneMatrix& matrix_;
  const MatrixLines& lines_;
  const Level& level_;
  WorkBudget& budget_;
  RunProgress& progress_;
  const uint64_t block_bytes_;
  const double log_base_;
  std::vector<std::optional<Marker>> found_;  // for each gene
};

}  // namespace

Markers compare_genes(const PageCells& cells, const GeneMatrix& matrix, const Level& level,
                      WorkBudget& budget, RunProgress& progress, uint64_t block_bytes) {
  return ComparedGenes(cells, matrix, level, budget, progress, block_bytes).compare();
}

}  // namespace plainfs::serve
