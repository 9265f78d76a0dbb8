#include "formats/h5seurat/seurat_file.h"

namespace plainfs::h5seurat {

ArrayPtr SeuratFile::cell_names() const {
  std::call_once(cells_sought_, [this] { cell_names_ = find_names(*root_, "cell.names", context_); });
  return cell_names_;
}

ArrayPtr fitting_names(ArrayPtr names, uint64_t count, const std::string& place, Context& context) {
  if (!names) return nullptr;
  if (names->shape().size() == 1 && names->count() == count) return names;
  context.notice(fmt::format("{}: {} names for {} elements are not used", place, names->count(), count));
  return nullptr;
}

ArrayPtr find_names(const Group& group, std::string_view name, Context& context) {
  try {
    ArrayPtr names = find_array(group, name);
    if (!names || names->is_null()) return nullptr;
    names->check();
    if (names->dtype().is_text()) return names;
    context.notice(fmt::format("{}: {} is no list of names: {}", group.path(), name, names->dtype().name()));
  } catch (const Error& error) {
    context.notice(fmt::format("{}: {} is not used as names: {}", group.path(), name, error.what()));
  }
  return nullptr;
}

}  // namespace plainfs::h5seurat
