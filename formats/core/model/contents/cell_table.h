// Annotations of cells for a store that has none itself (-o cells=).
#pragma once

#include <memory>
#include <string>

#include "formats/core/model/node.h"

namespace plainfs {

struct CellTable {
  Table table;         // its row names are the cells, without duplicates
  std::string digest;  // of the whole content
};
using CellTablePtr = std::shared_ptr<const CellTable>;

}  // namespace plainfs
