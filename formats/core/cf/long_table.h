// A part of a CF variable as a table: a column for each dimension, then the values.
#pragma once

#include "formats/core/cf/dataset.h"

namespace plainfs {

// Returns one row for each element of the box in C order: the decoded coordinate along each dimension (its
// index if it has no coordinate), then the decoded value. Reads nothing. Requires: the box lies inside the
// variable's shape. Throws damaged if it has 2^64 elements or more.
Table long_table(const CfDataset& dataset, const CfVariable& variable, const Box& box);

}  // namespace plainfs
