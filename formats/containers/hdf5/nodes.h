// The nodes of an HDF5 file: its groups, with soft, external and hard links, and its datasets as arrays.
#pragma once

#include <string>

#include "formats/containers/hdf5/source_file.h"
#include "formats/core/model/node.h"

namespace plainfs::hdf5 {

// Returns the root group. Members are sorted by name. A hard link to the group itself or to an enclosing
// group becomes a Link, since it would make the tree endless. Committed datatypes are left out.
GroupPtr root_group(SourceFilePtr file);

// Returns the dataset that has its object header at address. path: for messages. If its type or layout cannot
// be read, returns an array that fails with the reason.
Node dataset_node(const SourceFilePtr& file, StoredDataset dataset, uint64_t address,
                  const std::string& path);

}  // namespace plainfs::hdf5
