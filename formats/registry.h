// The two tables of all formats: containers, which open a path, and schemas, which give nodes their meaning.
// To add a format, add a line here (see formats/README.md).
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/model/store.h"

namespace plainfs {

std::span<const Container> containers();
std::span<const Schema> schemas();

// Returns the container that would open what probe has found, or null.
const Container* container_of(const Probe& probe);
// Returns node with the meaning that the schemas give it. If a schema throws, the meaning of the node is
// unknown and no other is guessed: the node is listed, and every use of it is an error.
Node refine(Node node, Context& context);
// Returns node with the meaning that the schemas give it. Throws what a schema throws.
Node with_meaning(Node node, Context& context);

// Returns the libraries that read whole formats, each with its version.
std::vector<std::pair<std::string, std::string>> format_libraries();

}  // namespace plainfs
