#include "formats/schemas/h5seurat/seurat_file.h"

#include "formats/core/text/utf8.h"

namespace plainfs::h5seurat {

void check_names(const Attributes& attributes) {
  for (const Attribute& attribute : attributes) {
    if (!is_utf8(attribute.name)) throw damaged("the name of an attribute is not UTF-8");
  }
}

ArrayPtr SeuratFile::cell_names() const {
  return cell_names_.get([this] { return find_names(*root_, "cell.names", context_); });
}

}  // namespace plainfs::h5seurat
