// Records of numbers and texts as one chunk of a Zarr array.
#pragma once

#include <string>

#include "formats/core/model/arrays/array.h"
#include "formats/core/text/json.h"

namespace plainfs {

struct ZarrRecords {
  Json dtype;         // [["names", "<U5"], ["scores", "<f4"]]
  Json fill;          // of a record without bytes
  std::string bytes;  // all records, without padding
};

// Returns the records of an array of compounds. Texts have the width of the longest, in UTF-32. Reads all.
// Throws unsupported if NumPy has no type for a field, or the records take more than 64 MiB.
ZarrRecords zarr_records(const ArrayPtr& values);

}  // namespace plainfs
