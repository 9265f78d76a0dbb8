#include "formats/schemas/cf/schema.h"

#include "formats/containers/netcdf/netcdf.h"
#include "formats/schemas/cf/named_group.h"
#include "formats/schemas/cf/netcdf4.h"
#include "formats/schemas/hdmf/schema.h"

namespace plainfs::cf {

std::optional<Node> refine(const Node& node, Context& context) {
  if (!std::holds_alternative<std::monostate>(node.content) || !node.parts) return std::nullopt;
  const bool is_zarr = hdmf::is_of_zarr(*node.parts);
  if (!is_zarr && !is_of_hdf5(*node.parts) && !netcdf::is_of_netcdf(*node.parts)) return std::nullopt;
  Node refined = is_zarr ? hdmf::refine(node, context).value_or(node) : node;
  refined.parts = std::make_shared<NamedGroup>(refined.parts, context);
  return refined;
}

}  // namespace plainfs::cf
