#include "fs/views/matrix/mtx_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/text/number_text.h"
#include "fs/text/field_text.h"

namespace plainfs {

namespace {

class MtxCoordinates : public EmittingSource<MtxCoordinates> {
 public:
  explicit MtxCoordinates(CoordinateMatrix matrix) : matrix_(std::move(matrix)) {}

  void prepare() override {
    for (const ArrayPtr& part : {matrix_.row, matrix_.column, matrix_.value}) part->check();
    const DType& type = matrix_.value->dtype();
    if (!has_mtx_values(type)) throw unsupported("a sparse matrix of {}", type.name());
    count_ = matrix_.value->count();
    for (const ArrayPtr& part : {matrix_.row, matrix_.column})
      if (part->count() != count_)
        throw damaged("a sparse matrix has {} values and {} indices", count_, part->count());
    entries_in_block_ =
        std::max<uint64_t>(1, kBlockText / mtx_line_width(matrix_.rows, matrix_.columns, type));
  }

  std::string head() const override {
    const DType real = number_type(Kind::real, 8);
    return mtx_head(matrix_.is_real ? real : matrix_.value->dtype(), matrix_.rows, matrix_.columns, count_,
                    matrix_.is_symmetric);
  }

  std::string version() const override { return "mtx coordinates 1"; }
  uint64_t block_count() const override { return divide_up(count_, entries_in_block_); }

  template <class Sink>
  void emit(uint64_t block, Sink& sink) const {
    const uint64_t first = block * entries_in_block_;
    const uint64_t count = std::min(entries_in_block_, count_ - first);
    const IndexRun<uint64_t> row(*matrix_.row, first, count, matrix_.rows, "row");
    const IndexRun<uint64_t> column(*matrix_.column, first, count, matrix_.columns, "column");
    const Elements values = read_run(*matrix_.value, first, count);
    if (matrix_.missing == MissingEntries::refused && !values.missing.empty())
      throw unsupported("MatrixMarket has no missing values for integers and truth values");
    const DType type = mtx_number_type(matrix_.value->dtype());
    std::string scratch;
    for (uint64_t i = 0; i < count; ++i) {
      sink.put_number(row.values()[i] + 1);
      sink.put(' ');
      sink.put_number(column.values()[i] + 1);
      sink.put(' ');
      put_mtx_value(type, values, i, scratch, sink);
      sink.put('\n');
    }
  }

 private:
  const CoordinateMatrix matrix_;
  uint64_t count_ = 0;
  uint64_t entries_in_block_ = 1;
};

}  // namespace

std::unique_ptr<TextSource> mtx_coordinates(CoordinateMatrix matrix, Context&) {
  return std::make_unique<MtxCoordinates>(std::move(matrix));
}

namespace {

bool is_whole(const DType& type) {
  return type.is_integer() || type.is_truth() || type.kind == Kind::enumeration;
}

}  // namespace

bool has_mtx_values(const DType& type) {
  return is_whole(type) || type.kind == Kind::real || type.kind == Kind::complex;
}

DType mtx_number_type(const DType& type) {
  if (type.kind == Kind::boolean) return number_type(Kind::unsigned_integer, 1);
  if (type.kind == Kind::logical || type.kind == Kind::enumeration) return number_type(type.base, type.size);
  return type;
}

std::string mtx_head(const DType& type, uint64_t rows, uint64_t columns, uint64_t entries,
                     bool is_symmetric) {
  const char* const field = is_whole(type) ? "integer" : type.kind == Kind::complex ? "complex" : "real";
  return fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n", field,
                     is_symmetric ? "symmetric" : "general", rows, columns, entries);
}

uint64_t mtx_line_width(uint64_t rows, uint64_t columns, const DType& type) {
  return number_length(rows) + number_length(columns) + 3 + typical_width(type) / 2;
}

}  // namespace plainfs
