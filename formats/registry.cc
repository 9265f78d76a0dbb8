#include "formats/registry.h"

#include "formats/containers/bpcells/directory.h"
#include "formats/containers/hdf5/container.h"
#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/superblock.h"
#include "formats/containers/netcdf/netcdf.h"
#include "formats/containers/rds/container.h"
#include "formats/containers/zarr/zarr.h"
#include "formats/core/codecs/codecs.h"
#include "formats/core/model/node.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/remote/http_client.h"
#include "formats/schemas/anndata/schema.h"
#include "formats/schemas/bpcells/schema.h"
#include "formats/schemas/cf/char_texts.h"
#include "formats/schemas/cf/schema.h"
#include "formats/schemas/h5seurat/schema.h"
#include "formats/schemas/hdfstore/schema.h"
#include "formats/schemas/loom/schema.h"
#include "formats/schemas/matlab/schema.h"
#include "formats/schemas/mex/store.h"
#include "formats/schemas/nwb/schema.h"
#include "formats/schemas/ome/schema.h"
#include "formats/schemas/ome/spatialdata.h"
#include "formats/schemas/parquet/store.h"
#include "formats/schemas/robject/schema.h"
#include "formats/schemas/takane/object.h"
#include "formats/schemas/tenx/schema.h"
#include "formats/schemas/vcf/schema.h"
#include "formats/schemas/zarr_references/schema.h"

namespace plainfs {
namespace {

// The order in which containers are asked. An object directory may hold files that the next ones recognise.
constexpr Container kContainers[] = {
    {"takane", takane::recognises, takane::open},
    {"BPCells", bpcells::recognises_directory, bpcells::open_directory},
    {"Zarr", zarr::recognises, zarr::open},
    {"HDF5", hdf5::recognises, hdf5::open, hdf5::has_plain_superblock},
    {"NetCDF classic", netcdf::recognises, netcdf::open},
    {"rds", rds::recognises, rds::open},
    {"MatrixMarket", mex::recognises, mex::open, nullptr, true},
    {"Parquet", parquet::recognises, parquet::open, nullptr, false, true},
};

constexpr Schema kSchemas[] = {
    {"an R object", robject::refine, robject::describe},
    {"h5Seurat", h5seurat::refine, h5seurat::describe},
    {"BPCells", bpcells::refine, nullptr},
    {"AnnData", anndata::refine, anndata::describe},
    {"10x", tenx::refine, tenx::describe},
    {"loom", loom::refine, loom::describe},
    {"VCF Zarr", vcf::refine, vcf::describe},
    {"HDMF table", nwb::refine, nwb::describe},
    {"OME-Zarr", ome::refine, ome::describe},
    {"SpatialData", spatialdata::refine, spatialdata::describe},
    {"netCDF text", chartext::refine, nullptr},
    {"MATLAB", matlab::refine, matlab::describe},
    {"a pandas frame", hdfstore::refine, nullptr},
    {"CF", cf::refine, nullptr},
    {"references of Zarr", zarr_references::refine, nullptr},
};

// Returns whether schemas are asked about node: they interpret groups and arrays to which the container gave
// no meaning.
bool may_mean_more(const Node& node) {
  return node.store.empty() && (is_plain_group(node) || std::holds_alternative<LabelledArray>(node.content));
}

// Returns a node of unknown meaning: its parts or values throw error when they are used. Its attributes stay.
Node without_meaning(Node node, const Error& error, Context& context) {
  if (node.parts) {
    const GroupPtr group = node.parts;
    const std::string place = group->path() + ": ", why = error.what();
    context.warn(why.starts_with(place) ? why : place + why);
    node.content = {};
    if (!node.attributes) node.attributes = [group] { return group->attributes(); };
    node.parts = std::make_shared<BrokenGroup>(group->parent(), group->path(), error);
  } else if (auto* stored = std::get_if<LabelledArray>(&node.content)) {
    LabelledArray& array = *stored;
    if (!node.attributes) node.attributes = [values = array.values] { return values->attributes(); };
    array.values = std::make_shared<BrokenArray>(array.values->dtype(), error);
  }
  return node;
}

// Throws if the meaning of node is unknown for now. Without it, its parts would get a wrong meaning.
Node known_for_good(Node node) {
  check_known(node);
  return node;
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

Node with_meaning(Node node, Context& context) {
  if (!may_mean_more(node)) return known_for_good(std::move(node));
  for (const Schema& schema : schemas()) {
    try {
      if (std::optional<Node> refined = schema.refine(node, context)) {
        if (refined->role == Role::none) refined->role = node.role;
        return known_for_good(std::move(*refined));
      }
    } catch (const Error& error) {
      throw error.at(fmt::format("cannot determine whether it is {}", schema.name));
    }
  }
  return node;
}

Node refine(Node node, Context& context) {
  try {
    return with_meaning(node, context);
  } catch (const Error& error) {
    return without_meaning(std::move(node), error, context);
  }
}

std::vector<std::pair<std::string, std::string>> format_libraries() {
  std::vector<std::pair<std::string, std::string>> libraries = codec_libraries();
  libraries.insert(libraries.begin(),
                   {{"libhdf5", hdf5::library_version()}, {"libcurl", remote::http_library_version()}});
  return libraries;
}

}  // namespace plainfs
