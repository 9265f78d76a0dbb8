#include "formats/annotated/experiment_annotations.h"

#include <algorithm>

#include "formats/annotated/parts.h"
#include "formats/annotated/seurat_annotations.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/sparse/coordinate_source.h"
#include "formats/core/text/ascii.h"
#include "formats/registry.h"
#include "formats/schemas/robject/schema.h"

namespace plainfs::annotated {

namespace {

bool has_part(const std::vector<AnnotatedPart>& parts, std::string_view name) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const AnnotatedPart& part) { return part.name == name; });
}

bool has_column(const Table& table, std::string_view name) {
  return column_values(table.columns, name) != nullptr;
}

// Returns positions from 1 as positions from 0.
ArrayPtr from_zero(const ArrayPtr& positions) {
  const DType whole = number_type(Kind::integer, 8);
  return mapped(with_type(positions, whole), whole, [](Elements elements, const Box&) {
    for (int64_t& value : elements.mutable_values<int64_t>()) --value;
    return elements;
  });
}

ArrayPtr ones(uint64_t count) {
  Elements one = zero_elements(number_type(Kind::real, 8), 1);
  one.mutable_values<double>()[0] = 1;
  return constant(number_type(Kind::real, 8), {count}, std::move(one));
}

// Returns a table of pairs as a matrix of `side` rows and columns; monostate if its values are not known.
Content matrix_of_pairs(const Table& pairs, uint64_t side, Context& context) {
  const ArrayPtr from = column_values(pairs.columns, "from"), to = column_values(pairs.columns, "to");
  if (!from || !to || !from->dtype().is_integer() || !to->dtype().is_integer()) return {};
  ArrayPtr values;
  for (const Column& column : pairs.columns) {
    if (column.values == from || column.values == to) continue;
    if (values || !column.values->dtype().is_numeric()) return {};
    values = column.values;
  }
  CoordinateMatrix matrix;
  matrix.rows = matrix.columns = side;
  matrix.row = from_zero(from);
  matrix.column = from_zero(to);
  matrix.value = values ? values : ones(pairs.rows);
  matrix.is_real = true;
  return by_columns(matrix, context);
}

void add_pairs_of(const GroupPtr& root, const char* list, uint64_t side, const char* room,
                  std::vector<AnnotatedPart>& parts, Origins& origins, Context& context) {
  const std::optional<Node> pairs = member_of(root, list, context);
  if (!pairs || !pairs->parts) return;
  for (Member& member : pairs->parts->members()) {
    const Node node = refine(std::move(member.node), context);
    Content matrix;
    if (const auto* table = std::get_if<Table>(&node.content))
      matrix = matrix_of_pairs(*table, side, context);
    if (const auto* sparse = std::get_if<SparseMatrix>(&node.content)) matrix = *sparse;
    if (std::holds_alternative<std::monostate>(matrix) || has_part(parts, member.name)) continue;
    parts.push_back({member.name, std::move(matrix)});
    origins.add(fmt::format("/{}/{}", room, member.name), member_path(*pairs->parts, member.name));
  }
}

ArrayPtr strands(const ArrayPtr& strand, Context& context) {
  // The levels of R's factor, in its order.
  const DType code = number_type(Kind::integer, 1);
  const ArrayPtr codes = mapped(
      with_type(strand, number_type(Kind::integer, 8)), code, [](const Elements& elements, const Box&) {
        Elements generated = zero_elements(number_type(Kind::integer, 1), elements.count);
        const auto all = elements.values<int64_t>();
        for (uint64_t i = 0; i < elements.count; ++i)
          generated.mutable_values<int8_t>()[i] = static_cast<int8_t>(all[i] > 0 ? 0 : all[i] < 0 ? 1 : 2);
        return generated;
      });
  return factor(codes, text_array({"+", "-", "*"}), 0, "/row_ranges/strand", context);
}

// Returns the last positions of ranges.
ArrayPtr ends_of(const GenomicRanges& ranges) {
  const DType whole = number_type(Kind::integer, 8);
  return mapped(with_type(ranges.start, whole), whole,
                [width = with_type(ranges.width, whole)](Elements elements, const Box& box) {
                  const Elements widths = width->read(box);
                  const auto all = elements.mutable_values<int64_t>();
                  for (size_t i = 0; i < all.size(); ++i) all[i] += widths.values<int64_t>()[i] - 1;
                  return elements;
                });
}

}  // namespace

std::string obsm_name(const std::string& reduced) {
  const std::string small = lower_case(reduced);
  if (small == "pca" || small == "umap" || small == "tsne") return "X_" + small;
  return reduced == kSpatial || reduced.starts_with("X_") ? reduced : "X_" + reduced;
}

void add_pairs(const GroupPtr& root, AnnotatedMatrix& generated, Origins& origins, Context& context) {
  add_pairs_of(root, "column_pairs", generated.cells, "obsp", generated.obsp, origins, context);
  add_pairs_of(root, "row_pairs", generated.genes, "varp", generated.varp, origins, context);
}

void add_ranges(const GroupPtr& root, AnnotatedMatrix& generated, Origins& origins, Context& context) {
  const auto ranges = content_of<GenomicRanges>(member_of(root, "row_ranges", context));
  if (!ranges || ranges->error || ranges->start->count() != generated.genes) return;
  const auto add = [&](const char* name, ArrayPtr values) {
    if (has_column(generated.var, name)) return;
    generated.var.columns.push_back({name, std::move(values)});
    origins.add(std::string("/var/") + name, "/row_ranges");
  };
  add("seqnames", factor(ranges->sequence, ranges->sequence_names, 0, "/row_ranges/seqnames", context));
  add("start", ranges->start);
  add("end", ends_of(*ranges));
  add("width", ranges->width);
  add("strand", strands(ranges->strand, context));
}

void add_matrix_columns(const GroupPtr& root, const char* table, uint64_t rows, const char* room,
                        std::vector<AnnotatedPart>& parts, Origins& origins, Context& context) {
  const std::optional<Node> node = root->find(table);
  if (!node || !node->parts || !std::holds_alternative<Table>(node->content)) return;
  for (Member& member : node->parts->members()) {
    const Node column = refine(std::move(member.node), context);
    const auto* array = std::get_if<LabelledArray>(&column.content);
    if (!array || !extent_of(column.content) || extent_of(column.content)->rows != rows ||
        !array->values->dtype().is_numeric() || has_part(parts, member.name))
      continue;
    parts.push_back({member.name, LabelledArray{array->values, nullptr, nullptr}});
    origins.add(fmt::format("/{}/{}", room, member.name), member_path(*node->parts, member.name));
  }
}

// scater's runPCA records the variances, and the percentage of the total that each is.
void add_reduced_attributes(const GroupPtr& root, const std::string& name, const ArrayPtr& genes,
                            AnnotatedMatrix& generated, UnsTree& uns, Origins& origins, Context& context) {
  const rds::ValuePtr experiment = robject::value_of(*root);
  const rds::ValuePtr reduced = experiment ? robject::reduced_dimension(*experiment, name) : nullptr;
  if (!reduced) return;
  const std::string own = obsm_name(name).substr(2);
  const auto reals = [](const Node& node) {
    const auto* array = std::get_if<LabelledArray>(&node.content);
    const bool is_list = array && array->values->shape().size() == 1 && array->values->dtype().is_numeric();
    return is_list ? reals_of(*array->values) : std::vector<double>();
  };
  for (Member& member : robject::attribute_nodes(*reduced, context)) {
    const auto* array = std::get_if<LabelledArray>(&member.node.content);
    if (member.name == "rotation" && array && genes && extent_of(*array)) {
      ArrayPtr padded = padded_loadings(labelled_values(*array).values, array->row_names, genes);
      const std::string to = loadings_name(own);
      if (padded && !has_part(generated.varm, to)) {
        generated.varm.push_back({to, LabelledArray{std::move(padded), nullptr, nullptr}});
        continue;
      }
    }
    std::vector<double> numbers = reals(member.node);
    if (member.name == "varExplained" && !numbers.empty()) uns.add({own, "variance"}, reals_node(numbers));
    if (member.name == "percentVar" && !numbers.empty()) {
      for (double& number : numbers) number /= 100;
      uns.add({own, "variance_ratio"}, reals_node(numbers));
    }
    uns.add({own, member.name}, as_uns(std::move(member.node), context));
  }
  origins.add("/uns/" + own, "/reduced_dimensions/" + name);
}

void add_metadata(const GroupPtr& root, UnsTree& uns, Origins& origins, Context& context) {
  const std::optional<Node> metadata = member_of(root, "other_data", context);
  if (!metadata || !is_plain_group(*metadata)) return;
  for (Member& member : metadata->parts->members()) {
    const std::string name =
        member.name.find_first_not_of("0123456789") == std::string::npos ? "item" + member.name : member.name;
    if (uns.add({name}, as_uns(std::move(member.node), context)))
      origins.add("/uns/" + name, member_path(*metadata->parts, member.name));
  }
}

void add_loom_parts(const GroupPtr& root, AnnotatedMatrix& generated, Origins& origins, Context& context) {
  const auto add_graphs = [&](const char* list, uint64_t side, const char* room,
                              std::vector<AnnotatedPart>& parts) {
    const std::optional<Node> graphs = member_of(root, list, context);
    if (!graphs || !graphs->parts) return;
    for (Member& member : graphs->parts->members()) {
      const Node node = refine(std::move(member.node), context);
      const auto* graph = std::get_if<CoordinateMatrix>(&node.content);
      if (!graph || graph->rows != side || graph->columns != side) continue;
      parts.push_back({member.name, by_columns(CoordinateMatrix(*graph), context)});
      origins.add(fmt::format("/{}/{}", room, member.name), member_path(*graphs->parts, member.name));
    }
  };
  add_graphs("col_graphs", generated.cells, "obsp", generated.obsp);
  add_graphs("row_graphs", generated.genes, "varp", generated.varp);
  add_matrix_columns(root, "col_attrs", generated.cells, "obsm", generated.obsm, origins, context);
  add_matrix_columns(root, "row_attrs", generated.genes, "varm", generated.varm, origins, context);
  UnsTree uns;
  const std::optional<Node> attrs = member_of(root, "attrs", context);
  if (attrs && attrs->parts)
    for (Member& member : attrs->parts->members())
      if (uns.add({member.name}, as_uns(std::move(member.node), context)))
        origins.add("/uns/" + member.name, member_path(*attrs->parts, member.name));
  for (const Attribute& attribute : root->attributes()) {
    const Json value = attribute.unpacked();
    if (const std::string* text = value.text())
      uns.add({attribute.name}, text_node(*text));
    else if (const auto whole = value.as_int64())
      uns.add({attribute.name}, whole_node(*whole));
    else if (const auto real = value.as_double())
      uns.add({attribute.name}, real_node(*real));
    else
      context.notice(fmt::format("/: the attribute {} is not in files generated from it", attribute.name));
  }
  generated.uns = uns.members();
}

}  // namespace plainfs::annotated
