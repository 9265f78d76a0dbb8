// A part of a CF variable as a table: a column for each dimension, then the values.
#pragma once

#include "formats/core/cf/dataset.h"
#include "formats/core/model/arrays/gathered.h"

namespace plainfs {

// Returns one row for each element of the box in C order: the decoded coordinate along each dimension (its
// index if it has no coordinate), then the decoded value. Reads nothing. Requires: the box lies inside the
// shape of the decoded values. Throws damaged if it has 2^64 elements or more. chosen: for an axis, the
// elements to take instead of those in the box, null for none.
Table long_table(const CfDataset& dataset, const CfVariable& variable, Box box,
                 const std::vector<Indices>& chosen = {});

}  // namespace plainfs
