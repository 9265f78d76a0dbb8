// A dataset of an HDF5 file as an array.
#pragma once

#include <string>

#include "formats/containers/hdf5/source_file.h"
#include "formats/core/model/node.h"

namespace plainfs::hdf5 {

// The dataset whose object header is at address; path: for messages. Where its type or layout cannot be read
// it is an array that fails with the reason.
Node dataset_node(const SourceFilePtr& file, StoredDataset dataset, uint64_t address,
                  const std::string& path);

}  // namespace plainfs::hdf5
