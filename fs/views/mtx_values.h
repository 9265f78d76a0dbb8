// What MatrixMarket text is the same for sparse and dense matrices: which values it can hold, its header, and
// about how long its lines are.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/model/dtype.h"

namespace plainfs {

// Whether values of type are numbers or truth values, which a matrix.mtx can hold.
bool has_mtx_values(const DType& type);

// The type whose text the values have: the integers of a truth value or an enumeration, for which
// MatrixMarket has no words. Requires: has_mtx_values(type).
DType mtx_number_type(const DType& type);

// The banner and the line of sizes.
std::string mtx_head(const DType& type, uint64_t rows, uint64_t columns, uint64_t entries,
                     bool is_symmetric = false);

// Characters a line takes, about.
uint64_t mtx_line_width(uint64_t rows, uint64_t columns, const DType& type);

}  // namespace plainfs
