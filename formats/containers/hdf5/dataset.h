// A dataset of an HDF5 file as an array.
#pragma once

#include <string>

#include "formats/containers/hdf5/source_file.h"
#include "formats/core/model/node.h"

namespace plainfs::hdf5 {

// Returns the dataset that has its object header at address. path: for messages. If its type or layout cannot
// be read, returns an array that fails with the reason.
Node dataset_node(const SourceFilePtr& file, StoredDataset dataset, uint64_t address,
                  const std::string& path);

}  // namespace plainfs::hdf5
