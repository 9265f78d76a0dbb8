#include <algorithm>

#include "formats/containers/zarr/extension.h"
#include "formats/containers/zarr/fill.h"
#include "formats/containers/zarr/json_members.h"
#include "formats/containers/zarr/metadata.h"

namespace plainfs::zarr {
namespace {

// Run lengths are expanded. No real grid has more chunks than this along an axis of unequal ones.
constexpr uint64_t kMaxUnequalChunks = uint64_t{1} << 24;

constexpr std::string_view kArrayMembers[] = {
    "zarr_format", "node_type",          "shape",      "data_type",       "chunk_grid",          "fill_value",
    "codecs",      "chunk_key_encoding", "attributes", "dimension_names", "storage_transformers"};
constexpr std::string_view kGroupMembers[] = {"zarr_format", "node_type", "attributes",
                                              "consolidated_metadata"};

// Throws unsupported if the document has an unknown member, unless its must_understand is false (zarr-specs
// v3, "extension points").
void check_members(const Json& document, std::span<const std::string_view> known) {
  for (const auto& [name, value] : *document.object()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const Json* must_understand = value.find("must_understand");
    if (!must_understand || !must_understand->boolean() || *must_understand->boolean()) {
      throw unsupported("zarr.json has the member \"{}\"", name);
    }
  }
}

// One axis of a rectilinear grid: a step, or lengths and [length, times] pairs.
struct GridAxis {
  uint64_t step;
  std::vector<uint64_t> lengths;  // empty if the axis has steps
};

GridAxis parse_axis(const Json& axis, uint64_t axis_length) {
  if (!axis.list()) return {to_length(axis, "chunk_shapes"), {}};
  GridAxis result{1, {}};
  uint64_t covered = 0;
  for (const Json& item : *axis.list()) {
    const bool is_run = item.list() != nullptr;
    const Shape run = is_run ? to_lengths(item, "chunk_shapes") : Shape{to_length(item, "chunk_shapes"), 1};
    if (run.size() != 2 || run[0] == 0)
      throw damaged("chunk_shapes has an invalid item: {}", to_json_text(item).substr(0, 80));
    if (result.lengths.empty()) result.step = run[0];
    for (uint64_t i = 0; i < run[1] && covered < axis_length; ++i) {
      if (result.lengths.size() == kMaxUnequalChunks)
        throw unsupported("more than {} chunks on an axis", kMaxUnequalChunks);
      result.lengths.push_back(run[0]);
      if (__builtin_add_overflow(covered, run[0], &covered)) covered = axis_length;
    }
  }
  if (covered < axis_length)
    throw damaged("chunk_shapes covers {} elements of an axis of {}", covered, axis_length);
  const auto& lengths = result.lengths;
  if (!lengths.empty() &&
      std::all_of(lengths.begin(), lengths.end(), [&](uint64_t x) { return x == lengths[0]; })) {
    return {lengths[0], {}};
  }
  return result;
}

struct Grid {
  ChunkGrid grid;
  ChunkLengths lengths;
};

Grid parse_rectilinear(const Json& configuration, Shape shape) {
  if (required_text(configuration, "kind") != "inline")
    throw unsupported("rectilinear grid that is not inline");
  const Json::List* axes = required(configuration, "chunk_shapes").list();
  if (!axes || axes->size() != shape.size())
    throw damaged("chunk_shapes does not have one entry for each axis");
  Shape steps;
  ChunkLengths lengths;
  ChunkLengths each;
  for (size_t d = 0; d < shape.size(); ++d) {
    GridAxis axis = parse_axis((*axes)[d], shape[d]);
    steps.push_back(axis.step);
    each.push_back(axis.lengths.empty() ? std::vector{axis.step} : axis.lengths);
    std::sort(each.back().begin(), each.back().end());
    each.back().erase(std::unique(each.back().begin(), each.back().end()), each.back().end());
    lengths.push_back(std::move(axis.lengths));
  }
  return {ChunkGrid(std::move(shape), std::move(steps), std::move(lengths)), std::move(each)};
}

Grid parse_grid(const Json& chunk_grid, Shape shape) {
  const Extension extension = parse_extension(chunk_grid, "chunk_grid");
  if (extension.name == "rectilinear") return parse_rectilinear(extension.configuration, std::move(shape));
  if (extension.name != "regular") throw unsupported("chunk grid \"{}\"", extension.name);
  Shape chunk_shape = to_lengths(required(extension.configuration, "chunk_shape"), "chunk_shape");
  ChunkLengths lengths;
  for (const uint64_t length : chunk_shape) lengths.push_back({length});
  return {ChunkGrid(std::move(shape), std::move(chunk_shape)), std::move(lengths)};
}

ChunkKeys parse_key_encoding(const Json& encoding) {
  const Extension extension = parse_extension(encoding, "chunk_key_encoding");
  const bool is_default = extension.name == "default";
  if (!is_default && extension.name != "v2") throw unsupported("chunk key encoding \"{}\"", extension.name);
  ChunkKeys keys{is_default, is_default ? '/' : '.', true};
  if (const Json* separator = extension.configuration.find("separator"))
    keys.separator = to_separator(*separator);
  return keys;
}

void check_no_transformers(const Json& zarr_json) {
  const Json* transformers = zarr_json.find("storage_transformers");
  if (!transformers || transformers->is_null()) return;
  if (!transformers->list()) throw damaged("storage_transformers is not a list");
  if (!transformers->list()->empty()) throw unsupported("storage transformers");
}

}  // namespace

NodeType parse_v3_node_type(const Json& zarr_json) {
  const Json& format = required(zarr_json, "zarr_format");
  if (format.text()) throw unsupported("zarr_format \"{}\" is a draft of 2021, not Zarr v3", *format.text());
  if (format.as_uint64() != uint64_t{3}) throw damaged("zarr_format is not 3");
  const std::string type = required_text(zarr_json, "node_type");
  if (type != "array" && type != "group")
    throw damaged("node_type is \"{}\", expected \"array\" or \"group\"", type);
  return type == "array" ? NodeType::array : NodeType::group;
}

void check_v3_group(const Json& zarr_json) {
  check_members(zarr_json, kGroupMembers);
}

Attributes parse_v3_attributes(const Json& zarr_json) {
  Attributes attributes;
  if (const Json* member = zarr_json.find("attributes"); member && !member->is_null()) {
    if (!member->object()) throw damaged("attributes is not an object");
    attributes = to_attributes(*member->object());
  }
  const Json* names = zarr_json.find("dimension_names");
  const bool has_own = attributes.find("dimension_names") != nullptr;
  if (names && !names->is_null() && !has_own) attributes.push_back({"dimension_names", *names});
  return attributes;
}

ArrayMetadata parse_v3_array(const Json& zarr_json) {
  check_members(zarr_json, kArrayMembers);
  check_no_transformers(zarr_json);
  Grid grid =
      parse_grid(required(zarr_json, "chunk_grid"), to_lengths(required(zarr_json, "shape"), "shape"));
  const DType dtype = parse_v3_dtype(required(zarr_json, "data_type"));
  check_byte_counts(dtype, grid.grid);
  ChunkKeys keys = parse_key_encoding(required(zarr_json, "chunk_key_encoding"));
  CodecChain chain = parse_v3_codecs(required(zarr_json, "codecs"), dtype, std::move(grid.lengths));
  Elements fill = v3_fill(required(zarr_json, "fill_value"), dtype);
  return {std::move(grid.grid), keys, std::move(chain), std::move(fill)};
}

}  // namespace plainfs::zarr
