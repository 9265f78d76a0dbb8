// What libhdf5 says of a dataset, as a StoredDataset.
#pragma once

#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/library/library_file.h"

namespace plainfs::hdf5 {

// What cannot be told is said in it; never throws an Error. Requires: the library's lock is held.
StoredDataset dataset_facts(hid_t dataset, const FileLayout& layout);

}  // namespace plainfs::hdf5
