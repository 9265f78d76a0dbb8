#include "formats/h5seurat/seurat_file.h"

#include "formats/text/utf8.h"

namespace plainfs::h5seurat {
namespace {

bool is_text(const DType& dtype) {
  return dtype.kind == Kind::text || dtype.kind == Kind::fixed_text;
}

}  // namespace

bool is_readable(const Array& array) {
  try {
    array.check();
    return true;
  } catch (const Error&) {
    return false;
  }
}

void check_names(const Attributes& attributes) {
  for (const Attribute& attribute : attributes) {
    if (!is_utf8(attribute.name)) throw damaged("an attribute's name is no text");
  }
}

ArrayPtr SeuratFile::cell_names() const {
  std::call_once(cells_sought_, [this] { cell_names_ = find_names(*root_, "cell.names", context_); });
  return cell_names_;
}

ArrayPtr fitting_names(ArrayPtr names, uint64_t count, const std::string& place, Context& context) {
  if (!names || !is_readable(*names)) return names;
  if (names->shape().size() == 1 && names->count() == count) return names;
  context.notice(fmt::format("{}: {} names for {} elements are not used", place, names->count(), count));
  return nullptr;
}

ArrayPtr find_names(const Group& group, std::string_view name, Context& context) {
  try {
    ArrayPtr names = find_array(group, name);
    if (!names || names->is_null()) return nullptr;
    names->check();
    if (is_text(names->dtype())) return names;
    context.notice(fmt::format("{}: {} is no list of names: {}", group.path(), name, names->dtype().name()));
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(text_type(), error);
  }
  return nullptr;
}

}  // namespace plainfs::h5seurat
