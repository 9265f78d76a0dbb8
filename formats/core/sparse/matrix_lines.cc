#include "formats/core/sparse/matrix_lines.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

#include "cache/cancellable_lock.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/sparse/dense_entries.h"
#include "formats/core/sparse/entry_runs.h"
#include "formats/core/sparse/line_order.h"
#include "formats/core/sparse/sorted.h"
#include "formats/core/sparse/sparse_majors.h"

namespace plainfs {

namespace {

// Elements of a dense matrix that are read at a time.
constexpr uint64_t kElementsInRun = 256 * 1024;
// A hint: the number of elements of a line to read at once.
constexpr uint64_t kLineChunk = 256 * 1024;

void check_is_matrix(const DType& type) {
  if (!type.is_numeric()) throw unsupported("a matrix of {}", type.name());
}

template <class T>
T added(const DType& type, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (type.is_truth()) return a != 0 || b != 0;
    T sum;
    if (__builtin_add_overflow(a, b, &sum))
      throw unsupported("{} + {} does not fit into {}", a, b, type.name());
    return sum;
  } else if constexpr (std::is_same_v<T, Half>) {
    return to_half(to_float(a) + to_float(b));
  } else {
    return a + b;
  }
}

// Entries are added to 0, which turns -0 into 0.
void add_to_zeros(const DType& type, Elements& values) {
  if (type.kind != Kind::real) return;
  visit_number(type, [&](auto zero) {
    for (auto& value : values.mutable_values<decltype(zero)>())
      if (is_zero(value)) value = {};
  });
}

// The entries of a line, by their places.
struct LineEntries {
  std::vector<uint32_t> places{};
  Elements values{};
  size_t allocated_bytes() const { return places.capacity() * sizeof(uint32_t) + values.allocated_bytes(); }
};

// Returns the entries in order. Entries at one place are added up in stored order.
LineEntries in_order(const DType& type, LineEntries line) {
  add_to_zeros(type, line.values);
  if (rise_strictly(std::span<const uint32_t>(line.places))) return line;
  LineEntries ordered;
  ordered.values = zero_elements(type, 0);
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    for (const uint64_t i : sorted_places(std::span<const uint32_t>(line.places))) {
      if (ordered.places.empty() || ordered.places.back() != line.places[i]) {
        ordered.places.push_back(line.places[i]);
        append(type, ordered.values, line.values, i, 1);
        continue;
      }
      T& sum = ordered.values.template mutable_values<T>().back();
      sum = added(type, sum, line.values.template values<T>()[i]);
      if (!line.values.is_missing(i)) continue;
      ordered.values.missing.resize(ordered.values.count);
      ordered.values.missing.back() = 1;
    }
  });
  return ordered;
}

class SparseLines : public MatrixLines {
 public:
  SparseLines(const SparseMatrix& matrix, bool are_rows, Context& context);
  ~SparseLines() override { context_.cache.drop(cache_owner_, cache_owner_ + 1); }

  Elements read(uint64_t line, uint64_t first, uint64_t count) const override;
  void expect(std::span<const uint64_t> lines) const override;
  void sort_ahead(uint64_t max_entries) const override;
  bool is_costly() const override { return !is_along_ && !order_.has_room(); }
  std::optional<std::vector<int64_t>> measure(const ExtraWidths& widths) const override;
  std::optional<std::vector<uint64_t>> count_entries() const override;
  void visit_entries(uint64_t first, uint64_t count,
                     const std::function<void(const FoundEntries&)>& visit) const override;

 private:
  using EntriesPtr = std::shared_ptr<const LineEntries>;

  EntriesPtr entries(uint64_t line) const;
  LineEntries make(uint64_t line) const;
  LineEntries read_along(uint64_t line) const;
  std::vector<LineEntries> read_across(std::span<const uint64_t> lines) const;
  template <class Work>
  void pass(Work&& work) const;

  const SparseMatrix matrix_;
  Context& context_;
  const bool is_along_;  // lines run along the compressed axis
  const SparseMajors majors_;
  const uint64_t minors_;
  const uint64_t cache_owner_;
  mutable std::atomic<bool> has_read_{false};  // relaxed: another pass costs time only
  const LineOrder order_;                      // for lines across
};

SparseLines::SparseLines(const SparseMatrix& matrix, bool are_rows, Context& context)
    : MatrixLines(matrix.value->dtype(), are_rows ? matrix.rows : matrix.columns,
                  are_rows ? matrix.columns : matrix.rows),
      matrix_(matrix),
      context_(context),
      is_along_(are_rows == matrix.by_row),
      majors_(matrix_),
      minors_(matrix.minors()),
      cache_owner_(context.cache.new_owner()),
      order_(matrix_, majors_, context) {
  check_is_matrix(dtype());
  if (std::max(matrix.rows, matrix.columns) > UINT32_MAX)
    throw unsupported("a matrix of {} by {}", matrix.rows, matrix.columns);
}

Elements SparseLines::read(uint64_t line, uint64_t first, uint64_t count) const {
  const EntriesPtr entries = this->entries(line);
  Elements elements = zero_elements(dtype(), count);
  const std::vector<uint32_t>& places = entries->places;
  const auto begin = std::lower_bound(places.begin(), places.end(), first);
  const auto end = std::lower_bound(begin, places.end(), first + count);
  const size_t size = dtype().size;
  for (auto place = begin; place != end; ++place) {
    const uint64_t from = place - places.begin(), to = *place - first;
    std::memcpy(elements.bytes.data() + to * size, entries->values.bytes.data() + from * size, size);
    if (!entries->values.is_missing(from)) continue;
    elements.missing.resize(count);
    elements.missing[to] = 1;
  }
  return elements;
}

void SparseLines::expect(std::span<const uint64_t> lines) const {
  if (is_along_ || lines.size() < 2) return;
  std::vector<uint64_t> unknown;
  for (const uint64_t line : lines)
    if (!context_.cache.held<LineEntries>({cache_owner_, line})) unknown.push_back(line);
  if (unknown.size() < 2 || (has_read_.load(std::memory_order_relaxed) && order_.has_room())) return;
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  std::vector<LineEntries> found = read_across(unknown);
  for (size_t i = 0; i < unknown.size(); ++i)
    context_.cache.get<LineEntries>({cache_owner_, unknown[i]}, [&] { return std::move(found[i]); });
}

void SparseLines::sort_ahead(uint64_t max_entries) const {
  if (is_along_ || majors_.entries() > max_entries || !order_.prepare()) return;
  has_read_.store(true, std::memory_order_relaxed);  // the next line is read from the order
}

SparseLines::EntriesPtr SparseLines::entries(uint64_t line) const {
  return context_.cache.get<LineEntries>({cache_owner_, line}, [&] { return make(line); });
}

LineEntries SparseLines::make(uint64_t line) const {
  if (is_along_) return read_along(line);
  if (has_read_.load(std::memory_order_relaxed)) order_.prepare();
  return std::move(read_across(std::span(&line, 1)).front());
}

LineEntries SparseLines::read_along(uint64_t line) const {
  const Pointers pointers(majors_.lists(), line, 1);
  const uint64_t begin = pointers.values()[0], end = pointers.values()[1];
  const IndexRun<uint32_t> places(*matrix_.index, begin, end - begin, length(), "index");
  return in_order(dtype(), {{places.values().begin(), places.values().end()},
                            read_run(*matrix_.value, begin, end - begin)});
}

// Calls work(first, last) for runs of all entries, in several threads.
template <class Work>
void SparseLines::pass(Work&& work) const {
  const std::vector<ArrayPtr> parts{matrix_.index, matrix_.value};
  for_entry_runs({parts, 0, majors_.entries(), entries_at_once(kEntriesAtOnce, parts, context_),
                  !stay_in_cache(majors_.lists(), context_)},
                 context_, work);
}

// Reads the lines together. Requires: they ascend, and there is at least one.
std::vector<LineEntries> SparseLines::read_across(std::span<const uint64_t> lines) const {
  std::vector<LineEntries> found(lines.size(), {{}, zero_elements(dtype(), 0)});
  order_.visit(WantedLines::some(lines), true, [&](const FoundEntries& some) {
    for (size_t i = 0, end = 0; i < some.lines.size(); i = end) {
      while (end < some.lines.size() && some.lines[end] == some.lines[i]) ++end;
      LineEntries& line = found[some.lines[i]];
      line.places.insert(line.places.end(), some.majors.begin() + static_cast<ptrdiff_t>(i),
                         some.majors.begin() + static_cast<ptrdiff_t>(end));
      append(dtype(), line.values, some.values, i, end - i);
    }
  });
  for (LineEntries& line : found) line = in_order(dtype(), std::move(line));
  has_read_.store(true, std::memory_order_relaxed);
  return found;
}

std::optional<std::vector<int64_t>> SparseLines::measure(const ExtraWidths& widths) const {
  std::vector<int64_t> more(count());
  std::atomic<bool> is_clear{true};
  Mutex mutex;  // guards `more`
  pass([&](uint64_t first, uint64_t last) {
    // Includes the entry before, which may be of the same major.
    const uint64_t from = first - (first > 0);
    const IndexRun<uint32_t> indices(*matrix_.index, from, last - from, minors_, matrix_.minor_word());
    const std::span<const uint32_t> all = indices.values();
    std::vector<std::pair<uint64_t, uint64_t>> spans;  // the entries of each major in this run
    std::vector<uint64_t> majors;
    majors_.visit(first, last, [&](uint64_t major, uint64_t begin, uint64_t end) {
      const uint64_t known = std::max(begin, from);
      if (!rise_strictly(all.subspan(known - from, std::min(end, last) - known))) is_clear = false;
      spans.emplace_back(std::max(begin, first), std::min(end, last));
      majors.push_back(major);
    });
    Elements values = read_run(*matrix_.value, first, last - first);
    add_to_zeros(dtype(), values);
    const std::vector<int8_t> each = widths(values);
    const MutexLock lock(mutex);
    if (!is_along_) {
      for (uint64_t i = first; i < last; ++i) more[all[i - from]] += each[i - first];
      return;
    }
    for (size_t i = 0; i < spans.size(); ++i)
      more[majors[i]] +=
          std::accumulate(each.begin() + static_cast<ptrdiff_t>(spans[i].first - first),
                          each.begin() + static_cast<ptrdiff_t>(spans[i].second - first), int64_t{0});
  });
  if (!is_clear) return std::nullopt;
  return more;
}

std::optional<std::vector<uint64_t>> SparseLines::count_entries() const {
  std::vector<uint64_t> counts(count());
  std::atomic<bool> is_clear{true};
  Mutex mutex;  // guards `counts`
  const EntryPass pass{{matrix_.index},
                       0,
                       majors_.entries(),
                       entries_at_once(kEntriesAtOnce, {matrix_.index}, context_),
                       !stay_in_cache(majors_.lists(), context_)};
  for_entry_runs(pass, context_, [&](uint64_t first, uint64_t last) {
    // Includes the entry before, which may be of the same major.
    const uint64_t from = first - (first > 0);
    const IndexRun<uint32_t> indices(*matrix_.index, from, last - from, minors_, matrix_.minor_word());
    const std::span<const uint32_t> all = indices.values();
    majors_.visit(first, last, [&](uint64_t, uint64_t begin, uint64_t end) {
      const uint64_t known = std::max(begin, from);
      if (!rise_strictly(all.subspan(known - from, std::min(end, last) - known))) is_clear = false;
    });
    const MutexLock lock(mutex);
    if (!is_along_)
      for (const uint32_t line : all.subspan(first - from)) ++counts[line];
    else
      majors_.visit(first, last, [&](uint64_t major, uint64_t begin, uint64_t end) {
        counts[major] += std::min(end, last) - std::max(begin, first);
      });
  });
  if (!is_clear) return std::nullopt;
  return counts;
}

void SparseLines::visit_entries(uint64_t first, uint64_t count,
                                const std::function<void(const FoundEntries&)>& visit) const {
  if (count == 0) return;
  if (!is_along_) return order_.visit(WantedLines::run(first, count), true, visit);
  const Pointers pointers(majors_.lists(), first, count);
  const std::vector<ArrayPtr> parts{matrix_.index, matrix_.value};
  const EntryPass pass{parts, pointers.values().front(), pointers.values().back(),
                       entries_at_once(kEntriesAtOnce, parts, context_),
                       !stay_in_cache(majors_.lists(), context_)};
  const auto read = [&](FoundEntries& found, uint64_t begin, uint64_t end) {
    const IndexRun<uint32_t> places(*matrix_.index, begin, end - begin, length(), "index");
    found.majors.assign(places.values().begin(), places.values().end());
    found.lines.clear();
    majors_.visit(begin, end, [&](uint64_t major, uint64_t, uint64_t after) {
      found.lines.resize(std::min(after, end) - begin, static_cast<uint32_t>(major - first));
    });
    found.values = read_run(*matrix_.value, begin, end - begin);
  };
  for_entry_runs<FoundEntries>(pass, context_, read, visit);
}

class DenseLines : public MatrixLines {
 public:
  DenseLines(ArrayPtr values, size_t axis, Context& context)
      : MatrixLines(values->dtype(), values->shape()[axis], values->shape()[1 - axis]),
        values_(std::move(values)),
        axis_(axis),
        context_(context) {
    check_is_matrix(dtype());
    values_->check();
  }

  Elements read(uint64_t line, uint64_t first, uint64_t count) const override {
    if (axis_ == 0) return values_->read({{line, first}, {1, count}});
    return values_->read({{first, line}, {count, 1}});
  }

  std::optional<std::vector<int64_t>> measure(const ExtraWidths& widths) const override {
    std::vector<int64_t> more(count());
    const Shape& shape = values_->shape();
    if (shape[0] == 0 || shape[1] == 0) return more;
    const uint64_t band = elements_in_band(shape, values_->chunk_shape());
    const uint64_t rows =
        std::max<uint64_t>(1, run_length(kElementsInRun, band, dtype(), context_) / shape[1]);
    Mutex mutex;  // guards `more`
    context_.workers.parallel_for(divide_up(shape[0], rows), [&](size_t together) {
      const uint64_t first = together * rows, some = std::min(rows, shape[0] - first);
      const Elements elements = values_->read({{first, 0}, {some, shape[1]}});
      std::vector<int64_t> own(axis_ == 0 ? some : shape[1]);
      const std::vector<int8_t> each = widths(elements);
      for (uint64_t i = 0; i < each.size(); ++i) own[axis_ == 0 ? i / shape[1] : i % shape[1]] += each[i];
      values_->release({{first, 0}, {some, shape[1]}});
      const MutexLock lock(mutex);
      for (size_t i = 0; i < own.size(); ++i) more[axis_ == 0 ? first + i : i] += own[i];
    });
    return more;
  }

 private:
  const ArrayPtr values_;
  const size_t axis_;
  Context& context_;
};

// One or several lines; a single one has rank 1.
class LinesArray : public Array {
 public:
  LinesArray(MatrixLinesPtr lines, std::vector<uint64_t> which, Shape shape)
      : Array(lines->dtype(), std::move(shape)), lines_(std::move(lines)), which_(std::move(which)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const bool is_one = shape().size() == 1;
    const uint64_t first = is_one ? 0 : box.origin[1], some = is_one ? 1 : box.extent[1];
    lines_->expect(std::span(which_).subspan(first, some));
    if (some == 1) return lines_->read(which_[first], box.origin[0], box.extent[0]);
    Elements all = zero_elements(dtype(), element_count(box.extent));
    const size_t size = dtype().size;
    for (uint64_t line = 0; line < some; ++line) {
      const Elements one = lines_->read(which_[first + line], box.origin[0], box.extent[0]);
      for (uint64_t i = 0; i < one.count; ++i) {
        const uint64_t to = i * some + line;
        std::memcpy(all.bytes.data() + to * size, one.bytes.data() + i * size, size);
        if (!one.is_missing(i)) continue;
        all.missing.resize(all.count);
        all.missing[to] = 1;
      }
    }
    return all;
  }
  Shape chunk_shape() const override {
    Shape chunk = shape();
    chunk[0] = std::min(chunk[0], kLineChunk);
    return chunk;
  }

 private:
  const MatrixLinesPtr lines_;
  const std::vector<uint64_t> which_;
};

}  // namespace

MatrixLinesPtr sparse_lines(const SparseMatrix& matrix, bool are_rows, Context& context) {
  if (matrix.error) throw *matrix.error;
  return std::make_shared<SparseLines>(matrix, are_rows, context);
}

MatrixLinesPtr dense_lines(ArrayPtr values, size_t axis, Context& context) {
  return std::make_shared<DenseLines>(std::move(values), axis, context);
}

ArrayPtr line_array(MatrixLinesPtr lines, uint64_t line) {
  const uint64_t length = lines->length();
  return std::make_shared<LinesArray>(std::move(lines), std::vector<uint64_t>{line}, Shape{length});
}

ArrayPtr lines_array(MatrixLinesPtr lines, std::vector<uint64_t> which) {
  Shape shape{lines->length(), which.size()};
  return std::make_shared<LinesArray>(std::move(lines), std::move(which), std::move(shape));
}

}  // namespace plainfs
