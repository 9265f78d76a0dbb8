#include "formats/core/sparse/computed_matrix.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "cache/lazy.h"
#include "formats/core/base/checked.h"
#include "formats/core/sparse/column_order.h"

namespace plainfs {
namespace {

constexpr uint64_t kMaxMajors = uint64_t{1} << 27;  // 1 GiB of pointers
constexpr uint64_t kMajorsAtOnce = 1 << 10;
constexpr uint64_t kEntriesInPiece = 1 << 16;
constexpr uint64_t kEntriesInCostlyPiece = 1 << 22;

struct Piece {
  Elements index;
  Elements value;
  size_t allocated_bytes() const { return index.allocated_bytes() + value.allocated_bytes(); }
};

// The entries of a source, divided into pieces of whole majors.
class Pieces {
 public:
  Pieces(EntrySourcePtr source, Context& context)
      : source_(std::move(source)), context_(context), owner_(context.cache.new_owner()) {
    const uint64_t majors = source_->majors();
    if (majors > kMaxMajors) throw unsupported("a sparse matrix with a side of {} is too large", majors);
    const uint64_t wanted = source_->reads_all() ? kEntriesInCostlyPiece : kEntriesInPiece;
    pointer_.resize(majors + 1);
    const uint64_t step = source_->reads_all() ? std::max<uint64_t>(1, majors) : kMajorsAtOnce;
    context.workers.parallel_for(divide_up(majors, step), [&](size_t i) {
      const uint64_t first = i * step;
      const std::vector<uint64_t> some = source_->lengths(first, std::min(step, majors - first));
      std::copy(some.begin(), some.end(), pointer_.begin() + static_cast<ptrdiff_t>(first + 1));
    });
    for (uint64_t major = 0; major < majors; ++major)
      pointer_[major + 1] = checked_add(pointer_[major], pointer_[major + 1]);
    for (uint64_t major = 0; major < majors; ++major)
      if (pointer_[major + 1] - pointer_[first_majors_.back()] > wanted && major > first_majors_.back())
        first_majors_.push_back(major);
  }
  ~Pieces() { context_.cache.drop(owner_, owner_ + 1); }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  const EntrySource& source() const { return *source_; }
  const std::vector<uint64_t>& pointer() const { return pointer_; }
  uint64_t count() const { return pointer_.back(); }

  // Returns entries [first, first + count) of one of the two lists.
  Elements read(Elements Piece::*list, const DType& dtype, uint64_t first, uint64_t count) const {
    Elements all = zero_elements(dtype, 0);
    for (uint64_t at = first, end = first + count; at < end;) {
      const size_t number = piece_of(at);
      const auto piece = get(number);
      const uint64_t begin = pointer_[first_majors_[number]];
      const uint64_t some = std::min(end, begin + (*piece.*list).count) - at;
      append(dtype, all, *piece.*list, at - begin, some);
      at += some;
    }
    return all;
  }

 private:
  size_t piece_of(uint64_t entry) const {
    const auto after = std::upper_bound(first_majors_.begin(), first_majors_.end(), entry,
                                        [this](uint64_t e, uint64_t major) { return e < pointer_[major]; });
    return static_cast<size_t>(after - first_majors_.begin()) - 1;
  }

  std::shared_ptr<const Piece> get(size_t number) const {
    return context_.cache.get<Piece>({owner_, number}, [&] {
      const uint64_t first = first_majors_[number];
      const uint64_t end = number + 1 < first_majors_.size() ? first_majors_[number + 1] : source_->majors();
      EntryRun run = source_->read(first, end - first);
      if (run.index.size() != pointer_[end] - pointer_[first])
        throw damaged("{} entries, expected {} as counted before", run.index.size(),
                      pointer_[end] - pointer_[first]);
      Piece piece{zero_elements(number_type(Kind::unsigned_integer, 8), run.index.size()),
                  std::move(run.value)};
      std::copy(run.index.begin(), run.index.end(), piece.index.mutable_values<uint64_t>().begin());
      if (piece.value.count == 0) piece.value = zero_elements(source_->dtype(), 0);
      return piece;
    });
  }

  const EntrySourcePtr source_;
  Context& context_;
  const uint64_t owner_;  // of the cache
  std::vector<uint64_t> pointer_{0};
  std::vector<uint64_t> first_majors_{0};  // of each piece
};

class EntryList : public Array {
 public:
  EntryList(std::shared_ptr<const Pieces> pieces, Elements Piece::*list, DType dtype)
      : Array(std::move(dtype), {pieces->count()}), pieces_(std::move(pieces)), list_(list) {}
  Elements read(const Box& box) const override {
    check_inside(box, shape());
    return pieces_->read(list_, dtype(), box.origin[0], box.extent[0]);
  }

 private:
  const std::shared_ptr<const Pieces> pieces_;
  Elements Piece::*const list_;
};

class Flipped : public EntrySource {
 public:
  Flipped(EntrySourcePtr source, Context& context)
      : EntrySource(source->minors(), source->majors(), source->dtype()),
        source_(std::move(source)),
        context_(context) {}

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    return sorted()->lengths(first, count);
  }
  EntryRun read(uint64_t first, uint64_t count) const override { return sorted()->read(first, count); }
  EntryRun positions(uint64_t first, uint64_t count) const override {
    return sorted()->positions(first, count);
  }

 private:
  const EntrySourcePtr& sorted() const {
    return sorted_.get([this] {
      SparseMatrix rows = computed_lists(source_, context_);
      rows.rows = source_->majors();
      rows.columns = source_->minors();
      rows.by_row = true;
      return compressed_source(lists_of(by_column(rows, context_)));
    });
  }

  const EntrySourcePtr source_;
  Context& context_;
  const Lazy<EntrySourcePtr> sorted_;
};

class ComputedDense : public Array {
 public:
  ComputedDense(EntrySourcePtr source, bool by_row, RepeatedEntries repeated)
      : Array(source->dtype(),
              by_row ? Shape{source->majors(), source->minors()} : Shape{source->minors(), source->majors()}),
        source_(std::move(source)),
        by_row_(by_row),
        repeated_(repeated) {}

  Shape chunk_shape() const override {
    constexpr uint64_t kElements = 1 << 18;
    const uint64_t minors = std::max<uint64_t>(1, source_->minors());
    const uint64_t most = std::max<uint64_t>(1, source_->majors());
    const uint64_t majors = std::clamp<uint64_t>(kElements / minors, 1, most);
    return by_row_ ? Shape{majors, minors} : Shape{minors, majors};
  }

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const size_t major_axis = by_row_ ? 0 : 1;
    const uint64_t majors = box.extent[major_axis], minors = box.extent[1 - major_axis];
    const uint64_t first_minor = box.origin[1 - major_axis];
    const uint64_t count = element_count(box.extent);
    Elements dense = zero_elements(dtype(), count);
    const EntryRun run = source_->read(box.origin[major_axis], majors);
    for (uint64_t major = 0; major < majors; ++major)
      for (uint64_t entry = run.pointer[major]; entry < run.pointer[major + 1]; ++entry) {
        const uint64_t minor = run.index[entry] - first_minor;
        if (minor >= minors) continue;  // also true below first_minor
        put(dense, by_row_ ? major * minors + minor : minor * majors + major, run.value, entry);
      }
    return dense;
  }

 private:
  void put(Elements& dense, uint64_t place, const Elements& values, uint64_t entry) const {
    const size_t size = values.bytes.size() / values.count;
    if (repeated_ == RepeatedEntries::are_added && has_value(dense, place, size))
      return add_at_place(dtype(), values, entry, dense, place);
    std::memcpy(dense.bytes.data() + place * size, values.bytes.data() + entry * size, size);
    if (!values.is_missing(entry)) return;
    dense.missing.resize(dense.count);
    dense.missing[place] = 1;
  }

  static bool has_value(const Elements& dense, uint64_t place, size_t size) {
    const std::byte* const begin = dense.bytes.data() + place * size;
    return dense.is_missing(place) ||
           std::any_of(begin, begin + size, [](std::byte byte) { return byte != std::byte{0}; });
  }

  const EntrySourcePtr source_;
  const bool by_row_;
  const RepeatedEntries repeated_;
};

}  // namespace

std::function<SparseMatrix()> evaluated_once(std::function<SparseMatrix()> make) {
  return [make = std::move(make), generated = std::make_shared<Lazy<SparseMatrix>>()] {
    return generated->get(make);
  };
}

SparseMatrix computed_lists(const EntrySourcePtr& source, Context& context) {
  const auto pieces = std::make_shared<const Pieces>(source, context);
  SparseMatrix matrix;
  matrix.value = std::make_shared<EntryList>(pieces, &Piece::value, source->dtype());
  matrix.index = std::make_shared<EntryList>(pieces, &Piece::index, number_type(Kind::unsigned_integer, 8));
  matrix.pointer = pointer_list(pieces->pointer());
  return matrix;
}

EntrySourcePtr flipped(EntrySourcePtr source, Context& context) {
  return std::make_shared<Flipped>(std::move(source), context);
}

ArrayPtr computed_dense(EntrySourcePtr source, bool by_row, RepeatedEntries repeated) {
  return std::make_shared<ComputedDense>(std::move(source), by_row, repeated);
}

}  // namespace plainfs
