#include "fs/views/matrix/tenx_h5.h"

#include <algorithm>

#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/sparse/column_order.h"
#include "formats/core/sparse/sparse_majors.h"
#include "fs/layout/h5_layout.h"
#include "fs/layout/text_segments.h"
#include "fs/views/matrix/checked_numbers.h"

namespace plainfs {

namespace {

using hdf5::SkeletonDataset;
using hdf5::SkeletonKind;

// The form of values in a type that all readers accept: i4 for every integer that fits, u4 and u8 for
// unsigned ones that may not, f4 and f8.
struct ValueForm {
  SkeletonKind kind;
  ElementForm form;
};
ValueForm tenx_value_form(const DType& type) {
  switch (type.kind) {
    case Kind::unsigned_integer:
      if (type.size == 4) return {SkeletonKind::unsigned_integer, little_uint32()};
      if (type.size == 8) return {SkeletonKind::unsigned_integer, little_stored(type)};
      return {SkeletonKind::integer, little_int32()};
    case Kind::boolean:
    case Kind::logical:
    case Kind::integer:
      return {SkeletonKind::integer, little_int32()};
    case Kind::real:
      return {SkeletonKind::real, type.size == 8 ? little_double() : little_float()};
    default:
      throw unsupported("a sparse matrix of {}", type.name());
  }
}

// Returns the values, checked on read: throws unsupported if an i4 cannot hold one.
ArrayPtr fitting(const ArrayPtr& values, const ValueForm& form) {
  ArrayPtr whole = without_missing_integers(values);
  return form.kind == SkeletonKind::integer ? within_32_bits(std::move(whole)) : whole;
}

// Adds text of fixed length, marked as ASCII if possible, because scanpy decodes that.
void put_texts(const std::string& path, const ArrayPtr& texts, Context& context, H5Layout& out) {
  const TextLengthsPtr lengths = measure_texts(*texts, context);
  const auto width = static_cast<uint32_t>(std::min<uint64_t>(padded_width(*lengths), INT32_MAX));
  const SkeletonKind kind = lengths->is_ascii ? SkeletonKind::ascii_text : SkeletonKind::utf8_text;
  out.data(path, {kind, width, {texts->count()}}, padded_texts(texts, width));
}

ArrayPtr shape_of(const SparseMatrix& matrix) {
  if (matrix.rows > INT32_MAX || matrix.columns > INT32_MAX)
    throw unsupported("{} by {} is too large for 10x's files", matrix.rows, matrix.columns);
  return number_array(std::vector{static_cast<int32_t>(matrix.rows), static_cast<int32_t>(matrix.columns)});
}

H5Layout lay_out_tenx(const SparseMatrix& stored, const TenxFeatures& features, Context& context) {
  if (stored.error) throw *stored.error;
  stored.value->check();
  const ValueForm value = tenx_value_form(stored.value->dtype());
  const ArrayPtr shape = shape_of(stored);
  const SparseMatrix matrix = stored.by_row ? by_column(stored, context) : stored;
  const SparseMajors majors(matrix);  // checks that the parts fit
  const uint64_t entries = majors.entries();
  H5Layout out(context);
  out.group("/", {{"filetype", std::string("matrix")}, {"version", int64_t{2}}});
  out.group("/matrix");
  put_texts("/matrix/barcodes", matrix.column_names, context, out);
  out.numbers("/matrix/data", fitting(matrix.value, value), {value.kind, value.form.size, {entries}},
              value.form);
  out.numbers("/matrix/indices", indices_below(matrix.index, matrix.rows, "row"),
              {SkeletonKind::integer, 8, {entries}}, little_int64());
  out.numbers("/matrix/indptr", matrix.pointer, {SkeletonKind::integer, 8, {matrix.pointer->count()}},
              little_int64());
  out.dataset("/matrix/shape", shape);
  out.group("/matrix/features");
  out.texts("/matrix/features/_all_tag_keys", {"genome"});
  put_texts("/matrix/features/feature_type", features.types, context, out);
  // No store records the genome of a feature.
  out.data("/matrix/features/genome", {SkeletonKind::ascii_text, 1, {matrix.rows}},
           padded_texts(constant_text(matrix.rows, ""), 1));
  put_texts("/matrix/features/id", features.ids, context, out);
  put_texts("/matrix/features/name", features.names, context, out);
  return out;
}

}  // namespace

ByteLayout tenx_h5(const SparseMatrix& stored, const TenxFeatures& features, Context& context) {
  return lay_out_tenx(stored, features, context).finish();
}

std::unique_ptr<const PackedForm> packed_tenx_h5(const SparseMatrix& stored, const TenxFeatures& features,
                                                 Context& context) {
  // Like lib/python/cellranger/hdf5.py of Cell Ranger 10.
  constexpr uint64_t kElementsInChunk = 80'000;
  return lay_out_tenx(stored, features, context).pack({4, kElementsInChunk, true, true});
}

}  // namespace plainfs
