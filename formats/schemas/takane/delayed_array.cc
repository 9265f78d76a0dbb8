#include "formats/schemas/takane/delayed_array.h"

#include <memory>

#include "cache/mutex.h"
#include "formats/core/frames/written.h"
#include "formats/schemas/takane/computed_matrix.h"
#include "formats/schemas/takane/delayed_tree.h"
#include "formats/schemas/takane/directory_group.h"
#include "formats/schemas/takane/side_names.h"

namespace plainfs::takane {
namespace {

constexpr const char* kDelayedArray = "delayed_array";

// Its own names, else those it was given, where they fit.
ArrayPtr names_on(size_t side, const Delayed& array, const ArrayPtr& given, const Opening& opening) {
  if (array.names[side]) return array.names[side];
  const std::string where = fmt::format("{}: {}", opening.place.path, side == 0 ? "rows" : "columns");
  return fitting_side(given, array.shape[side], where, opening.context);
}

// Makes a matrix once and hands it out from then on; thread-safe.
class MadeOnce {
 public:
  explicit MadeOnce(std::function<SparseMatrix()> make) : make_(std::move(make)) {}
  SparseMatrix operator()() {
    const MutexLock lock(mutex_);
    if (!matrix_) matrix_ = make_();
    return *matrix_;
  }

 private:
  const std::function<SparseMatrix()> make_;
  Mutex mutex_;  // lets it be made once
  std::optional<SparseMatrix> matrix_ GUARDED_BY(mutex_);
};

SparseMatrix sparse_result(const Delayed& array, const Opening& opening) {
  SparseMatrix matrix;
  matrix.rows = array.shape[0];
  matrix.columns = array.shape[1];
  matrix.by_row = array.by_row;
  matrix.is_real = array.is_real;
  matrix.missing = array.is_real ? MissingEntries::shown_as_nan : MissingEntries::refused;
  matrix.row_names = names_on(0, array, opening.sides.rows, opening);
  matrix.column_names = names_on(1, array, opening.sides.columns, opening);
  matrix.error = array.error;
  const auto make = [source = array.sparse, &context = opening.context] {
    return computed_lists(source, context);
  };
  matrix.evaluate = [made = std::make_shared<MadeOnce>(make)] { return (*made)(); };
  return matrix;
}

Content dense_result(const Delayed& array, const Opening& opening) {
  if (array.error) return *array.error;
  LabelledArray shown{frames::as_written(array.dense), nullptr, nullptr};
  if (array.shape.size() != 2) return shown;
  shown.row_names = names_on(0, array, opening.sides.rows, opening);
  shown.column_names = names_on(1, array, opening.sides.columns, opening);
  return shown;
}

}  // namespace

Node open_delayed_array(const Opening& opening) {
  check_version(opening.object, kDelayedArray);
  const auto node_with = [&](Content own, std::vector<Member> members) {
    return Node{.content = std::move(own),
                .parts = object_group(opening.place, "array.h5", std::move(members), opening.context)};
  };
  try {
    TreeBudget budget;
    const Delayed array = read_delayed(opening.place, budget, opening.context);
    if (array.sparse) return node_with(sparse_result(array, opening), {});
    return node_with({}, {{kDelayedArray, Node{.content = dense_result(array, opening)}}});
  } catch (const Error& error) {
    return node_with({}, {{kDelayedArray, Node{.content = error}}});
  }
}

}  // namespace plainfs::takane
