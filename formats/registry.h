// The two tables that know every format: containers, which open a path, and schemas, which give nodes their
// meaning. A format is added by a line here (formats/README.md tells how).
#pragma once

#include <span>

#include "formats/model/store.h"

namespace plainfs {

std::span<const Container> containers();
std::span<const Schema> schemas();

// The container that would open what is probed, or null.
const Container* container_of(const Probe& probe);
// node as the schemas see it. One that throws is warned of and passed over.
Node refine(Node node, Context& context);

}  // namespace plainfs
