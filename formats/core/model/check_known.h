// What is asked of a node that decides something: whether it is there, whether it is a link or a frame.
#pragma once

#include "formats/core/model/node.h"

namespace plainfs {

// Throws what keeps the node from being known just now: it may be anything, or nothing at all.
inline void check_known(const Node& node) {
  if (const Error* error = std::get_if<Error>(&node.content); error && is_transient(*error)) throw *error;
}

}  // namespace plainfs
