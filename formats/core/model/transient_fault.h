// Faults that may pass: a disk, memory, permissions (Errc::unreadable).
#pragma once

#include <optional>

#include "formats/core/model/node.h"

namespace plainfs {

// An error of the node that may not be there the next time, as far as that is known without reading anything.
// What such a node is, or lacks, is not known for now: nothing may be left out because of it.
std::optional<Error> transient_fault(const Node& node);
// The same of an array that may be null or a BrokenArray.
std::optional<Error> transient_fault(const ArrayPtr& array);

}  // namespace plainfs
