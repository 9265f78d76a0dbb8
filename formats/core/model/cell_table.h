// What is said of the cells of a store that says nothing of them itself (-o cells=).
#pragma once

#include <memory>
#include <string>

#include "formats/core/model/node.h"

namespace plainfs {

struct CellTable {
  Table table;         // its row names are the cells', no two alike
  std::string digest;  // of all that is in it
};
using CellTablePtr = std::shared_ptr<const CellTable>;

}  // namespace plainfs
