// An array as it is meant, where that is more than what is stored.
#pragma once

#include <utility>

#include "formats/core/model/node.h"

namespace plainfs {

// With labels in place of stored codes, and what is missing marked so.
inline LabelledArray as_meant(LabelledArray array) {
  if (array.labels) array.values = std::exchange(array.labels, nullptr);
  return array;
}

}  // namespace plainfs
