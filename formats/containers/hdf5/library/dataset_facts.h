// libhdf5's description of a dataset, as a StoredDataset.
#pragma once

#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/library/library_file.h"

namespace plainfs::hdf5 {

// Returns the facts about a dataset. Facts that cannot be read are replaced by an error in the result, so it
// never throws an Error. Requires: the library's lock is held.
StoredDataset dataset_facts(hid_t dataset, const FileLayout& layout);

}  // namespace plainfs::hdf5
