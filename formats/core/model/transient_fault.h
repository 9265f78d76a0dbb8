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

// Of a node that decides something: whether it is there, whether it is a link or a frame. Throws what keeps
// the node from being known just now: it may be anything, or nothing at all.
inline void check_known(const Node& node) {
  if (const Error* error = std::get_if<Error>(&node.content); error && is_transient(*error)) throw *error;
}

}  // namespace plainfs
