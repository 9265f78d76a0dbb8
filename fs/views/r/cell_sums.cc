#include "fs/views/r/seurat_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cache/request.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/sparse/dense_entries.h"
#include "fs/views/table/column_types.h"

namespace plainfs {

namespace {

// Cells that are summed together, and entries that one thread reads at a time.
constexpr uint64_t kCellsTogether = 64 * 1024, kSummedAtOnce = 64 * 1024;

struct Sums {
  std::vector<double> counts;
  std::vector<int32_t> features;
  std::vector<uint8_t> are_known;  // for features: no value is NaN or missing
  size_t allocated_bytes() const {
    return counts.capacity() * 8 + features.capacity() * 4 + are_known.capacity();
  }
};

class SumsOfCells {
 public:
  SumsOfCells(ColumnMatrixPtr matrix, Context& context)
      : matrix_(std::move(matrix)), context_(context), cache_owner_(context.cache.new_owner()) {}
  ~SumsOfCells() { context_.cache.drop(cache_owner_, cache_owner_ + 1); }
  SumsOfCells(const SumsOfCells&) = delete;
  SumsOfCells& operator=(const SumsOfCells&) = delete;

  uint64_t cells() const { return matrix_->columns(); }
  // Calls visit(sums, first, some, done) for runs of the cells [first, first + count): `some` cells from
  // index `first` of `sums` on, after `done` earlier ones.
  template <class Visit>
  void visit(uint64_t first, uint64_t count, Visit&& visit) const {
    for (uint64_t done = 0; done < count;) {
      const uint64_t band = (first + done) / kCellsTogether, within = (first + done) % kCellsTogether;
      const uint64_t some = std::min(count - done, kCellsTogether - within);
      const auto sums = context_.cache.get<Sums>({cache_owner_, band}, [&] { return generated(band); });
      visit(*sums, within, some, done);
      done += some;
    }
  }

 private:
  Sums generated(uint64_t band) const;
  // Adds up the cells [first, last), with entries that begin at the positions in `pointer`. Each cell is
  // added up by one thread from its first entry on, as in R, so that no sum depends on the number of threads.
  void add(std::span<const uint64_t> pointer, uint64_t first, uint64_t last, Sums& sums) const;

  const ColumnMatrixPtr matrix_;
  Context& context_;
  const uint64_t cache_owner_;
};

template <class T>
double as_double(T value, bool is_truth) {
  return is_truth ? !is_zero(value) : number_cast<double>(value);
}

// The sums over a part of a cell's entries.
struct CellSum {
  double count;
  uint32_t features = 0;
  bool is_known = true;
};

template <class T>
void add_whole_numbers(std::span<const T> values, CellSum& sum) {
  int64_t count = 0;
  for (const T value : values) {
    count += value;
    sum.features += value > 0;
  }
  sum.count += static_cast<double>(count);
}

template <class T>
void add_in_order(std::span<const T> values, bool is_truth, const uint8_t* missing, CellSum& sum) {
  for (size_t i = 0; i < values.size(); ++i) {
    const double value =
        missing && missing[i] ? std::numeric_limits<double>::quiet_NaN() : as_double(values[i], is_truth);
    sum.count += value;
    sum.is_known &= !std::isnan(value);
    sum.features += value > 0;
  }
}

// Returns whether the sums of cells [first, last) do not depend on the order and form in which their values
// are added: integers with a sum below 2^53, which doubles represent exactly. The order of the entries is
// then irrelevant.
bool add_up_exactly(const DType& type, std::span<const uint64_t> pointer, uint64_t first, uint64_t last) {
  if (!type.is_integer() || type.size > 4) return false;
  const uint64_t most = uint64_t{1} << (53 - 8 * type.size);
  for (uint64_t cell = first; cell < last; ++cell)
    if (pointer[cell + 1] - pointer[cell] > most) return false;
  return true;
}

template <class T>
void add_values(std::span<const T> values, bool is_exact, bool is_truth, const uint8_t* missing,
                CellSum& sum) {
  if constexpr (std::is_integral_v<T> && sizeof(T) <= 4)
    if (is_exact && !missing) return add_whole_numbers(values, sum);
  add_in_order(values, is_truth, missing, sum);
}

void SumsOfCells::add(std::span<const uint64_t> pointer, uint64_t first, uint64_t last, Sums& sums) const {
  const EntryOrder& order = matrix_->order()->get();
  const Array& stored = *order.matrix().value;
  const DType& type = stored.dtype();
  const bool is_truth = type.is_truth(), is_exact = add_up_exactly(type, pointer, first, last);
  uint64_t cell = first;
  for (uint64_t from = pointer[first]; from < pointer[last];) {
    check_cancelled();
    const uint64_t count = std::min(kSummedAtOnce, pointer[last] - from);
    const Elements elements =
        is_exact ? read_run(stored, from, count) : order.read_values(order.places(from, count), from, count);
    visit_number(type, [&](auto zero) {
      using T = decltype(zero);
      const auto values = elements.values<T>();
      const uint8_t* const missing = elements.missing.empty() ? nullptr : elements.missing.data();
      for (uint64_t i = 0; i < count;) {
        while (pointer[cell + 1] <= from + i) ++cell;
        const uint64_t end = std::min(count, pointer[cell + 1] - from);
        CellSum sum{sums.counts[cell]};
        add_values(values.subspan(i, end - i), is_exact, is_truth, missing ? missing + i : nullptr, sum);
        sums.counts[cell] = sum.count;
        sums.features[cell] += static_cast<int32_t>(sum.features);
        sums.are_known[cell] &= sum.is_known;
        i = end;
      }
    });
    from += count;
  }
}

Sums SumsOfCells::generated(uint64_t band) const {
  const uint64_t first = band * kCellsTogether, some = std::min(kCellsTogether, cells() - first);
  const Pointers pointers(matrix_->order()->get().majors().lists(), first, some);
  const std::span<const uint64_t> pointer = pointers.values();
  Sums sums{std::vector<double>(some), std::vector<int32_t>(some), std::vector<uint8_t>(some, 1)};
  std::vector<uint64_t> parts{0};  // the first cell of each thread's share
  for (uint64_t cell = 0; cell < some; ++cell)
    if (pointer[cell + 1] - pointer[parts.back()] >= kSummedAtOnce || cell + 1 == some)
      parts.push_back(cell + 1);
  context_.workers.parallel_for(parts.size() - 1,
                                [&](size_t i) { add(pointer, parts[i], parts[i + 1], sums); });
  return sums;
}

class CellCounts : public Array {
 public:
  explicit CellCounts(std::shared_ptr<const SumsOfCells> sums)
      : Array(number_type(Kind::real, 8), {sums->cells()}), sums_(std::move(sums)) {}
  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements elements = zero_elements(dtype(), box.extent[0]);
    sums_->visit(box.origin[0], box.extent[0],
                 [&](const Sums& sums, uint64_t first, uint64_t some, uint64_t done) {
                   std::copy_n(sums.counts.begin() + static_cast<ptrdiff_t>(first), some,
                               elements.mutable_values<double>().begin() + static_cast<ptrdiff_t>(done));
                 });
    return elements;
  }
  bool may_be_missing() const override { return false; }

 private:
  const std::shared_ptr<const SumsOfCells> sums_;
};

class CellFeatures : public Array {
 public:
  explicit CellFeatures(std::shared_ptr<const SumsOfCells> sums)
      : Array(number_type(Kind::integer, 4), {sums->cells()}), sums_(std::move(sums)) {}
  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements elements = zero_elements(dtype(), box.extent[0]);
    elements.missing.resize(elements.count);
    sums_->visit(box.origin[0], box.extent[0],
                 [&](const Sums& sums, uint64_t first, uint64_t some, uint64_t done) {
                   for (uint64_t i = 0; i < some; ++i) {
                     elements.mutable_values<int32_t>()[done + i] = sums.features[first + i];
                     elements.missing[done + i] = !sums.are_known[first + i];
                   }
                 });
    return elements;
  }

 private:
  const std::shared_ptr<const SumsOfCells> sums_;
};

}  // namespace

CellSums cell_sums(const ColumnMatrixPtr& matrix, Context& context) {
  const auto sums = std::make_shared<const SumsOfCells>(matrix, context);
  const auto features = std::make_shared<CellFeatures>(sums);
  record_integer_extent(*features, {0, INT32_MAX});
  return {std::make_shared<CellCounts>(sums), features};
}

}  // namespace plainfs
