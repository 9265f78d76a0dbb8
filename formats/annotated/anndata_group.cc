#include "formats/annotated/anndata_group.h"

#include <algorithm>

#include "formats/annotated/parts.h"
#include "formats/registry.h"

namespace plainfs::annotated {

namespace {

bool is_number(const DType& type) {
  return type.kind == Kind::boolean || type.kind == Kind::logical || type.kind == Kind::integer ||
         type.kind == Kind::unsigned_integer || type.kind == Kind::real;
}

bool is_part(const Content& content) {
  if (const auto* array = std::get_if<LabelledArray>(&content))
    return array->values->shape().size() >= 2 && is_number(array->values->dtype());
  return std::holds_alternative<Table>(content) || std::holds_alternative<SparseMatrix>(content);
}

// X and its layers are shown with genes in rows where they are sparse, and as they are stored where dense.
Content expression(const Content& content) {
  return std::holds_alternative<SparseMatrix>(content) ? cells_by_genes(content) : content;
}

// The members of group that have a place in an annotated matrix; the others are told of.
std::vector<AnnotatedPart> parts_of(const GroupPtr& group, std::string_view name, bool is_expression,
                                    Context& context) {
  std::vector<AnnotatedPart> parts;
  const std::optional<Node> room = member_of(group, name, context);
  if (!room || !room->parts) return parts;
  for (Member& member : room->parts->members()) {
    const Node node = refine(std::move(member.node), context);
    if (const auto* error = std::get_if<Error>(&node.content)) throw *error;
    if (is_part(node.content))
      parts.push_back({member.name, is_expression ? expression(node.content) : node.content});
    else if (!std::holds_alternative<Nothing>(node.content))
      context.notice(fmt::format("{}/{}: not in the .h5ad", room->parts->path(), member.name));
  }
  return parts;
}

Content x_of(const GroupPtr& group, Context& context) {
  const std::optional<Node> x = member_of(group, "X", context);
  if (!x || std::holds_alternative<Nothing>(x->content)) return {};
  if (const auto* error = std::get_if<Error>(&x->content)) throw *error;
  if (const auto* array = std::get_if<LabelledArray>(&x->content); array && array->values->is_null())
    return {};
  return expression(x->content);
}

AnnotatedMatrix anndata_of(const GroupPtr& group, const Table& obs, const Table& var, Context& context) {
  AnnotatedMatrix made;
  made.cells = obs.rows;
  made.genes = var.rows;
  made.obs = obs;
  made.var = var;
  made.x = x_of(group, context);
  made.layers = parts_of(group, "layers", true, context);
  made.obsm = parts_of(group, "obsm", false, context);
  made.varm = parts_of(group, "varm", false, context);
  made.obsp = parts_of(group, "obsp", false, context);
  made.varp = parts_of(group, "varp", false, context);
  const std::optional<Node> raw = member_of(group, "raw", context);
  if (raw && raw->parts) {
    if (const auto raw_var = content_of<Table>(member_of(raw->parts, "var", context)))
      made.raw = {x_of(raw->parts, context), *raw_var, parts_of(raw->parts, "varm", false, context)};
  }
  return made;
}

}  // namespace

void find_anndata(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found) {
  if (!directory.parts) return;
  const Table *obs = nullptr, *var = nullptr;
  const std::vector<Member> members = directory.parts->members();
  for (const Member& member : members) {
    if (member.name == "mod") return;  // several, in a MuData
    if (member.name == "obs") obs = std::get_if<Table>(&member.node.content);
    if (member.name == "var") var = std::get_if<Table>(&member.node.content);
  }
  if (!obs || !var) return;
  found.push_back({"anndata", [group = directory.parts, obs = *obs, var = *var, &context] {
                     return anndata_of(group, obs, var, context);
                   }});
}

}  // namespace plainfs::annotated
