// The files in which some cells of an annotated matrix can be taken, as ?take= names them.
#pragma once

#include <string>
#include <vector>

#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/views/file_forms.h"
#include "fs/views/view.h"

namespace plainfs::serve {

// A file of some cells. is_of_obs: of the table of their columns.
struct CellsFile {
  const char* form;  // as ?take= names it
  const FileForm* file;
  bool is_of_obs;

  std::string name() const {
    return is_of_obs ? "obs" + std::string(file->ending) : std::string(file_name(*file));
  }
};
inline constexpr CellsFile kCellsFiles[] = {{"h5ad", &forms::kH5ad, false},
                                            {"rds", &forms::kSeurat, false},
                                            {"csv", &forms::kTableCsv, true},
                                            {"xlsx", &forms::kTableXlsx, true},
                                            {"parquet", &forms::kTableParquet, true}};

// Returns the files of the cells that a query chooses, with addresses relative to the page.
inline std::vector<TakeAs> files_of_chosen_cells(const Query& query) {
  std::vector<TakeAs> files;
  for (const CellsFile& file : kCellsFiles)
    files.push_back({file.name(), query.only({"where", "assay"}).with("take", file.form).href()});
  return files;
}

}  // namespace plainfs::serve
