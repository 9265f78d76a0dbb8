// The two tables that know every format: containers, which open a path, and schemas, which give nodes their
// meaning. A format is added by a line here (formats/README.md tells how).
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/model/store.h"

namespace plainfs {

std::span<const Container> containers();
std::span<const Schema> schemas();

// The container that would open what is probed, or null.
const Container* container_of(const Probe& probe);
// Whether there is one for what is at a path of this machine.
bool is_store_on_host(const std::string& path);
// node as the schemas see it. Where one of them throws, it is not known what the node means, and no
// other meaning is guessed: it is listed, and every use of it is an error.
Node refine(Node node, Context& context);
// The same, but throws what the schema throws.
Node with_meaning(Node node, Context& context);

// The libraries that whole formats are left to, each with its version.
std::vector<std::pair<std::string, std::string>> format_libraries();

}  // namespace plainfs
