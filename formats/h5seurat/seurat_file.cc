#include "formats/h5seurat/seurat_file.h"

namespace plainfs::h5seurat {

ArrayPtr SeuratFile::cell_names() const {
  std::call_once(cells_sought_, [this] { cell_names_ = find_names(*root_, "cell.names", context_); });
  return cell_names_;
}

}  // namespace plainfs::h5seurat
