// Transient faults: of a disk, memory or permissions (Errc::unreadable).
#pragma once

#include <optional>

#include "formats/core/model/node.h"

namespace plainfs {

// Returns an error of the node that may not recur, as far as that is known without reading anything. If there
// is one, the content of the node is unknown, and nothing may be omitted because of it.
std::optional<Error> transient_fault(const Node& node);
// Returns the transient error of an array, which may be null or a BrokenArray.
std::optional<Error> transient_fault(const ArrayPtr& array);

// Throws the error that currently prevents identifying a node on which a decision depends: whether it exists,
// or whether it is a link or a frame. Such a node may be anything, or absent.
inline void check_known(const Node& node) {
  if (const Error* error = std::get_if<Error>(&node.content); error && is_transient(*error)) throw *error;
}

}  // namespace plainfs
