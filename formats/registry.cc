#include "formats/registry.h"

#include "formats/bpcells/directory.h"
#include "formats/bpcells/schema.h"
#include "formats/h5seurat/schema.h"
#include "formats/hdf5/container.h"
#include "formats/hdmf/schema.h"
#include "formats/loom/schema.h"
#include "formats/rds/container.h"
#include "formats/takane/object.h"
#include "formats/tenx/schema.h"
#include "formats/zarr/zarr.h"

namespace plainfs {
namespace {

// In the order in which they are asked: an object directory may hold what the next ones recognise.
constexpr Container kContainers[] = {
    {"takane", takane::recognises, takane::open},
    {"BPCells", bpcells::recognises_directory, bpcells::open_directory},
    {"Zarr", zarr::recognises, zarr::open},
    {"HDF5", hdf5::recognises, hdf5::open},
    {"rds", rds::recognises, rds::open},
};

constexpr Schema kSchemas[] = {
    {"h5Seurat", h5seurat::refine, h5seurat::describe},
    {"BPCells", bpcells::refine, nullptr},
    {"10x", tenx::refine, tenx::describe},
    {"loom", loom::refine, loom::describe},
    {"HDMF", hdmf::refine, nullptr},
};

// Schemas look at what containers leave without a meaning: groups and arrays.
bool may_mean_more(const Node& node) {
  return node.store.empty() && (std::holds_alternative<std::monostate>(node.content) ||
                                std::holds_alternative<LabelledArray>(node.content));
}

}  // namespace

std::span<const Container> containers() {
  return kContainers;
}
std::span<const Schema> schemas() {
  return kSchemas;
}

const Container* container_of(const Probe& probe) {
  for (const Container& container : containers()) {
    if (container.recognises(probe)) return &container;
  }
  return nullptr;
}

Node refine(Node node, Context& context) {
  if (!may_mean_more(node)) return node;
  for (const Schema& schema : schemas()) {
    try {
      if (std::optional<Node> refined = schema.refine(node, context)) return std::move(*refined);
    } catch (const Error& error) {
      // What a schema stumbles over (unreadable attributes) takes the meaning away, not the node.
      context.warn(fmt::format("{}: not read as {}: {}", node.parts ? node.parts->path() : "an array",
                               schema.name, error.what()));
    }
  }
  return node;
}

}  // namespace plainfs
