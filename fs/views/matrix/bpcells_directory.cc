#include "fs/views/matrix/matrix_files.h"

#include <algorithm>
#include <atomic>

#include "cache/lazy.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/text/number_loops.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/byte_layout.h"
#include "fs/layout/entry_segments.h"
#include "fs/layout/text_segments.h"
#include "fs/views/matrix/checked_numbers.h"

namespace plainfs {

namespace {

// The version of the files (Measured::version).
constexpr const char kBpcells[] = "bpcells 1";

constexpr uint64_t kCountsAtOnce = 64 * 1024;

bool are_counts(const DType& type, const Elements& elements) {
  if (std::find(elements.missing.begin(), elements.missing.end(), 1) != elements.missing.end()) return false;
  bool all = true;
  visit_number(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      all = all_hold(elements.values<T>(), [](T value) { return std::in_range<uint32_t>(value); });
  });
  return all;
}

// Returns whether no value is missing and all are non-negative integers of 32 bits.
bool are_counts(const Array& values, Context& context) {
  const DType& type = values.dtype();
  if (type.kind == Kind::unsigned_integer && type.size <= 4 && !values.may_be_missing()) return true;
  struct AreCounts {
    bool value;
  };
  const auto look = [&] {
    const uint64_t count = values.count();
    std::atomic<bool> all{true};
    context.workers.parallel_for(divide_up(count, kCountsAtOnce), [&](size_t run) {
      if (!all) return;
      const uint64_t first = run * kCountsAtOnce;
      if (!are_counts(type, read_run(values, first, std::min(kCountsAtOnce, count - first)))) all = false;
    });
    return AreCounts{all};
  };
  return values.survey<AreCounts>(0, look)->value;
}

ArrayPtr ones_and_zeros(ArrayPtr values) {
  const DType stored = values->dtype();
  return mapped(std::move(values), number_type(Kind::unsigned_integer, 4),
                [stored](const Elements& elements, const Box&) {
                  Elements generated = zero_elements(number_type(Kind::unsigned_integer, 4), elements.count);
                  visit_number(stored, [&](auto zero) {
                    using T = decltype(zero);
                    if constexpr (std::is_integral_v<T>)
                      std::transform(elements.values<T>().begin(), elements.values<T>().end(),
                                     generated.mutable_values<uint32_t>().begin(),
                                     [](T value) { return uint32_t{value != 0}; });
                  });
                  return generated;
                });
}

// The state of a matrix in which all files but the names can be generated.
struct GeneratedMatrix {
  const char* type;  // in the version file: "uint"
  const char* magic;
  ElementForm form;
  std::shared_ptr<const LazyOrder> order;
};

class BpcellsFiles : public std::enable_shared_from_this<BpcellsFiles> {
 public:
  BpcellsFiles(const SparseMatrix& matrix, Context& context) : matrix_(matrix), context_(context) {}

  std::vector<ViewEntry> list() {
    const auto file = [this](const char* name, ByteLayout (BpcellsFiles::*lay_out)()) {
      return ViewEntry{name, [self = shared_from_this(), lay_out] {
                         const auto generated = [self, lay_out] { return (self.get()->*lay_out)(); };
                         return layout_file(generated, self->context_, kBpcells);
                       }};
    };
    return {file("version", &BpcellsFiles::version),
            file("storage_order", &BpcellsFiles::storage_order),
            file("shape", &BpcellsFiles::shape),
            file("row_names", &BpcellsFiles::row_names),
            file("col_names", &BpcellsFiles::column_names),
            file("idxptr", &BpcellsFiles::pointers),
            file("index", &BpcellsFiles::indices),
            file("val", &BpcellsFiles::values)};
  }

 private:
  GeneratedMatrix make() const;
  const GeneratedMatrix& generated() const {
    return generated_.get([this] { return make(); });
  }

  uint64_t entries() { return generated().order->get().entries(); }

  // BPCells reads the version first, takes an incomplete list of names for a shorter one, and gives no names
  // to a matrix without a list. So the version exists only if the names can be read.
  ByteLayout version() {
    row_names();
    column_names();
    return text(std::string("unpacked-") + generated().type + "-matrix-v2\n");
  }
  ByteLayout storage_order() { return text(matrix_.by_row ? "row\n" : "col\n"); }
  ByteLayout shape() {
    check_extents();
    const uint32_t sides[] = {static_cast<uint32_t>(matrix_.rows), static_cast<uint32_t>(matrix_.columns)};
    ByteLayout layout = text("UINT32v1");
    layout.put(std::string_view(reinterpret_cast<const char*>(sides), sizeof sides));
    return layout;
  }
  ByteLayout row_names() { return names(matrix_.row_names, matrix_.rows); }
  ByteLayout column_names() { return names(matrix_.column_names, matrix_.columns); }
  ByteLayout pointers() {
    ByteLayout layout = text("UINT64v1");
    layout.put(array_segment(generated().order->get().matrix().pointer, little_uint64(), context_));
    return layout;
  }
  ByteLayout indices() {
    ByteLayout layout = text("UINT32v1");
    layout.put(std::make_shared<IndexSegment>(generated().order, entries(), std::endian::little));
    return layout;
  }
  ByteLayout values() {
    ByteLayout layout = text(generated().magic);
    layout.put(std::make_shared<ValueSegment>(generated().order, entries(), generated().form));
    return layout;
  }

  static ByteLayout text(std::string_view bytes) {
    ByteLayout layout;
    layout.put(bytes);
    return layout;
  }
  ByteLayout names(const ArrayPtr& names, uint64_t extent);
  // R, for which BPCells is written, has no larger extents.
  void check_extents() const {
    for (const uint64_t extent : {matrix_.rows, matrix_.columns})
      if (extent > INT32_MAX) throw unsupported("{} rows or columns are too many for BPCells", extent);
  }

  const SparseMatrix matrix_;
  Context& context_;
  Lazy<GeneratedMatrix> generated_;
};

GeneratedMatrix BpcellsFiles::make() const {
  if (matrix_.error) throw *matrix_.error;
  check_extents();
  SparseMatrix matrix = evaluated(matrix_);
  matrix.value->check();
  const DType type = matrix.value->dtype();
  GeneratedMatrix generated{"double", "DOUBLEv1", little_double(), nullptr};
  if (type.kind == Kind::real) {
    if (type.size < 8) generated = {"float", "FLOATSv1", little_float(), nullptr};
  } else if (!type.is_integer() && !type.is_truth()) {
    throw unsupported("a sparse matrix of {}", type.name());
  } else if (matrix.is_real || !are_counts(*matrix.value, context_)) {
    matrix.value = as_reals(matrix.value);
  } else {
    generated = {"uint", "UINT32v1", little_uint32(), nullptr};
    if (type.is_truth()) matrix.value = ones_and_zeros(matrix.value);
  }
  generated.order =
      std::make_shared<const LazyOrder>(std::make_unique<const EntryOrder>(std::move(matrix), context_));
  return generated;
}

ByteLayout BpcellsFiles::names(const ArrayPtr& names, uint64_t extent) {
  ByteLayout layout;
  if (!names) return layout;
  names->check();
  if (names->count() != extent) return layout;
  const ArrayPtr texts = without_missing_texts(names, context_);
  const TextLengthsPtr lengths = measure_texts(*texts, context_);
  layout.put(framed_texts(texts, lengths, 0, extent, with_line_feed()));
  return layout;
}

}  // namespace

ListEntries bpcells_directory(const SparseMatrix& matrix, Context& context) {
  const auto files = std::make_shared<BpcellsFiles>(matrix, context);
  return [files] { return files->list(); };
}

}  // namespace plainfs
