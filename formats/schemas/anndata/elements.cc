#include "formats/schemas/anndata/elements.h"

#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/element.h"
#include "formats/core/frames/parts.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/text/ascii.h"
#include "formats/schemas/anndata/awkward.h"
#include "formats/schemas/anndata/legacy.h"

namespace plainfs::anndata {
namespace {

using frames::Encoding;
using frames::MatrixShape;

// Returns "csr" or "csc" for any known encoding of a compressed matrix; empty or another text otherwise.
std::string sparse_format(const Attributes& attributes) {
  if (const auto encoding = frames::encoding_of(attributes)) {
    if (encoding->is("csr_matrix", {"0.1.0"})) return "csr";
    return encoding->is("csc_matrix", {"0.1.0"}) ? "csc" : "";
  }
  return attributes.text("h5sparse_format").value_or("");
}

// A file of 0.6 to which a later anndata appended may have either attribute.
MatrixShape shape_of(const Group& group, const Attributes& attributes) {
  if (const auto shape = frames::matrix_shape_in(attributes, "shape")) return *shape;
  if (const auto shape = frames::matrix_shape_in(attributes, "h5sparse_shape")) return *shape;
  throw damaged("{}: the shape of a sparse matrix is missing", group.path());
}

// Returns whether the member called name is a group with the attributes of a data frame, readable or not.
bool is_frame_like(const Group& root, std::string_view name) {
  const std::optional<Node> node = root.find(name);
  if (node) check_known(*node);
  if (!node || !node->parts || !std::holds_alternative<std::monostate>(node->content)) return false;
  bool index = false, order = false;
  for (const Attribute& attribute : node->parts->attributes()) {
    index = index || attribute.name == "_index";
    order = order || attribute.name == "column-order";
  }
  return index && order;
}

}  // namespace

std::optional<SparseMatrix> sparse_matrix(const Group& group, const Attributes& attributes, bool transposed) {
  const std::string format = sparse_format(attributes);
  if (format != "csr" && format != "csc") return std::nullopt;
  try {
    return frames::compressed_matrix(group, shape_of(group, attributes), format == "csr", transposed);
  } catch (const Error& error) {
    SparseMatrix matrix = frames::compressed_parts(group);
    matrix.error = error;
    return matrix;
  }
}

ArrayPtr encoded_values(const Node& node, const Attributes& attributes, Context& context) {
  const auto encoding = frames::encoding_of(attributes);
  if (encoding && encoding->is("awkward-array", {"0.1.0"})) return awkward_array(node.parts, attributes);
  ArrayPtr values = frames::values_of(node, context);
  return values ? frames::as_written(std::move(values)) : values;
}

bool is_null_element(const Node& node) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array) return false;
  const Array& values = *array->values;
  if (!values.is_null() && (!values.shape().empty() || values.dtype().kind != Kind::boolean)) return false;
  const auto encoding = frames::encoding_of(attributes_of(node));
  return encoding && encoding->is("null", {"0.1.0"});
}

// anndata accepts the root of a store whatever its encoding. MuDataSeurat wrote "AnnData" until 2023.
bool is_anndata(const Group& group, const Attributes& attributes) {
  if (const auto encoding = frames::encoding_of(attributes)) {
    if (is_same_in_any_case(encoding->type, "anndata")) return true;
    if (group.parent()) return false;
  }
  return is_legacy_root(group) || (is_frame_like(group, "obs") && is_frame_like(group, "var"));
}

bool is_mudata(const Attributes& attributes) {
  const auto encoding = frames::encoding_of(attributes);
  return encoding && encoding->type == "MuData";
}

}  // namespace plainfs::anndata
