// The directory 10x/ that Seurat's Read10X and scanpy's read_10x_mtx take: a matrix as Cell Ranger delivers
// it.
#pragma once

#include <string>
#include <vector>

#include "fs/views/view.h"

namespace plainfs {

// Adds a file to the directory 10x/ among files, which is made where there is none.
void add_to_tenx_directory(OfferedFile file, std::vector<OfferedFile>& files);

}  // namespace plainfs
