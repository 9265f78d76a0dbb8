#include "formats/schemas/tenx/matrix.h"

#include <cmath>
#include <utility>
#include <vector>

#include "formats/core/frames/names.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/number_cast.h"

namespace plainfs::tenx {
namespace {

// Returns a list of real numbers as integers. Reading throws damaged unless every value is an integer from 0
// to 2^53. name: for messages.
ArrayPtr as_integers(const ArrayPtr& reals, const std::string& name) {
  const DType type = reals->dtype();
  return mapped(reals, number_type(Kind::integer, 8), [type, name](const Elements& stored, const Box&) {
    Elements whole = zero_elements(number_type(Kind::integer, 8), stored.count);
    const auto to = whole.mutable_values<int64_t>();
    visit_number(type, [&](auto zero) {
      const auto from = stored.values<decltype(zero)>();
      for (uint64_t i = 0; i < stored.count; ++i) {
        const double value = number_cast<double>(from[i]);
        if (!(value >= 0 && value <= 0x1p53 && value == std::floor(value)))
          throw damaged("{} has the number {}, expected an integer from 0 on", name, value);
        to[i] = static_cast<int64_t>(value);
      }
    });
    return whole;
  });
}

// Returns a list of integers, which R's writers store as real numbers; null if there is no such list.
ArrayPtr integers_of(const Group& group, const std::string& name) {
  const ArrayPtr part = frames::list_part_of(group, name);
  if (!part || frames::may_be_integers(*part)) return part;
  return part->dtype().kind == Kind::real ? as_integers(part, name) : nullptr;
}

struct Parts {
  ArrayPtr indptr, data, indices, shape, barcodes;
  bool complete = false;
};

Parts parts_of(const Group& group) {
  Parts parts;
  parts.complete =
      (parts.indptr = integers_of(group, "indptr")) && (parts.indices = integers_of(group, "indices")) &&
      (parts.data = frames::list_part_of(group, "data")) && (parts.shape = integers_of(group, "shape")) &&
      (parts.barcodes = frames::text_part_of(group, "barcodes"));
  return parts;
}

// Finds the lists of layout 2, else of layout 1. Returns false if neither is present.
bool find_features(const Group& group, CountMatrix& found) {
  found.features = frames::group_part_of(group, "features");
  found.layout = found.features ? 2 : 1;
  const Group& lists = found.features ? *found.features : group;
  found.matrix.row_ids = frames::text_part_of(lists, found.features ? "id" : "genes");
  found.matrix.row_names = frames::text_part_of(lists, found.features ? "name" : "gene_names");
  return found.matrix.row_ids && (found.matrix.row_names || found.features);
}

// Keeps those of ids and names that have an entry for every feature.
void choose_names(SparseMatrix& matrix, const Notice& notice) {
  const auto fits = [&](const ArrayPtr& list) {
    return frames::is_broken(*list) || list->count() == matrix.rows;
  };
  ArrayPtr &ids = matrix.row_ids, &names = matrix.row_names;
  const auto report = [&](const ArrayPtr& unused, const char* what) {
    if (notice) notice(fmt::format("{} {} for {} features are not used", unused->count(), what, matrix.rows));
  };
  if (names && !fits(names) && fits(ids)) {
    report(names, "names");
    names = nullptr;
  } else if (names && fits(names) && !fits(ids)) {
    report(ids, "ids");
    ids = nullptr;
  }
  ids = frames::some_decoded_names(ids);
  names = frames::some_decoded_names(names);
  if (!names) names = std::exchange(ids, nullptr);
}

uint64_t count_at(const Array& shape, const Elements& extent, size_t axis) {
  return visit_number(shape.dtype(), [&](auto zero) -> uint64_t {
    const auto length = extent.values<decltype(zero)>()[axis];
    if constexpr (std::is_integral_v<decltype(zero)>)
      if (length >= 0) return static_cast<uint64_t>(length);
    throw damaged("shape has a negative length");
  });
}

void read_shape(const Array& shape, SparseMatrix& matrix) {
  try {
    shape.check();
    if (shape.count() != 2) throw damaged("shape has {} numbers, expected 2", shape.count());
    const Elements extent = shape.read(range(0, 2));
    matrix.rows = count_at(shape, extent, 0);
    matrix.columns = count_at(shape, extent, 1);
  } catch (const Error& error) {
    matrix.error = error;
    // The numbers of names are those of rows and columns.
    matrix.rows = matrix.row_ids->count();
    matrix.columns = matrix.column_names->count();
  }
}

}  // namespace

std::optional<CountMatrix> matrix_in(const Group& group, const Notice& notice) {
  Parts parts = parts_of(group);
  if (!parts.complete) return std::nullopt;
  CountMatrix found;
  if (!find_features(group, found)) return std::nullopt;
  found.matrix.value = std::move(parts.data);
  found.matrix.index = std::move(parts.indices);
  found.matrix.pointer = std::move(parts.indptr);
  found.matrix.column_names = std::move(parts.barcodes);
  read_shape(*parts.shape, found.matrix);
  choose_names(found.matrix, notice);
  found.matrix.column_names = frames::some_names(std::move(found.matrix.column_names));
  return found;
}

}  // namespace plainfs::tenx
