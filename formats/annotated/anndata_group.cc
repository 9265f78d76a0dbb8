#include <algorithm>

#include "formats/annotated/anndata_uns.h"
#include "formats/annotated/finders.h"
#include "formats/annotated/left_out.h"

#include "formats/annotated/parts.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/core/text/path_names.h"
#include "formats/schemas/anndata/group.h"
#include "formats/schemas/anndata/legacy.h"
#include "formats/schemas/anndata/schema.h"

namespace plainfs::annotated {

namespace {

// The sides of the parts of a group. Only with first_alone may a part have more than two dimensions.
enum class Sides { cells_and_genes, both_alike, first_alone };

bool is_part(const Content& content, Sides sides) {
  if (const auto* array = std::get_if<LabelledArray>(&content)) {
    const size_t rank = array->values->shape().size();
    return (rank == 2 || (rank > 2 && sides == Sides::first_alone)) && array->values->dtype().is_numeric();
  }
  return std::holds_alternative<Table>(content) || std::holds_alternative<SparseMatrix>(content);
}

// Returns X or a layer: with genes in rows if it is sparse, as stored if it is dense.
Content expression(const Content& content) {
  return std::holds_alternative<SparseMatrix>(content) ? cells_by_genes(content) : content;
}

// Returns the members of group that have a place in an annotated matrix. Logs the others.
std::vector<AnnotatedPart> parts_of(const GroupPtr& group, std::string_view name, Sides sides,
                                    Context& context) {
  std::vector<AnnotatedPart> parts;
  const std::optional<Node> room = member_of(group, name, context);
  if (!room || !room->parts) return parts;
  for (Member& member : room->parts->members()) {
    const Content content = part_content(std::move(member.node), context);
    if (is_part(content, sides) || std::holds_alternative<Error>(content))
      parts.push_back({member.name, sides == Sides::cells_and_genes ? expression(content) : content});
    else if (sides != Sides::cells_and_genes)
      parts.push_back({member.name, {}, stored_member(*room->parts, member.name)});
  }
  return parts;
}

Content x_of(const GroupPtr& group, Context& context) {
  std::optional<Node> x = group->find("X");
  if (!x) return {};
  const Content content = part_content(*std::move(x), context);
  if (std::holds_alternative<Nothing>(content)) return {};
  if (const auto* array = std::get_if<LabelledArray>(&content); array && array->values->is_null()) return {};
  return expression(content);
}

// Adds the graphs of cells that files up to 0.6 keep in uns. anndata's readers put them into obsp.
void add_old_graphs(const GroupPtr& group, std::vector<AnnotatedPart>& obsp, Context& context) {
  const std::optional<Node> uns = member_of(group, "uns", context);
  const std::optional<Node> neighbors = uns ? member_of(uns->parts, "neighbors", context) : std::nullopt;
  for (const char* name : {"distances", "connectivities"}) {
    const std::optional<Node> graph = neighbors ? member_of(neighbors->parts, name, context) : std::nullopt;
    const bool is_known =
        std::any_of(obsp.begin(), obsp.end(), [&](const AnnotatedPart& part) { return part.name == name; });
    if (graph && extent_of(graph->content) && is_part(graph->content, Sides::both_alike) && !is_known)
      obsp.push_back({name, graph->content});
  }
}

// Returns whether node may be obs or var: a table, up to 0.6 an array of compounds, or a node that cannot be
// read for now.
bool may_be_frame(const Node& node) {
  if (transient_fault(node)) return true;
  const Content& content = node.content;
  if (std::holds_alternative<Table>(content)) return true;
  const auto* array = std::get_if<LabelledArray>(&content);
  return array && array->row_names && array->values->dtype().kind == Kind::compound;
}

std::optional<Table> frame_of(const std::optional<Node>& node) {
  if (auto table = content_of<Table>(node)) return table;
  const auto array = content_of<LabelledArray>(node);
  return array ? anndata::legacy_table(*array) : std::nullopt;
}

bool may_have_columns(const Node& obs) {
  if (transient_fault(obs)) return true;
  const std::optional<Table> frame = frame_of(obs);
  return frame && !frame->columns.empty();
}

// Returns the number of rows of obs or var; nullopt if it is unknown for now.
std::optional<uint64_t> rows_of(const Node& node) {
  if (transient_fault(node)) return std::nullopt;
  const std::optional<Table> frame = frame_of(node);
  return frame ? std::optional(frame->rows) : std::nullopt;
}

// Returns whether node may be X: anything but a missing value.
bool may_be_x(const Node& node) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  return !std::holds_alternative<Nothing>(node.content) && !(array && array->values->is_null());
}

// Returns whether a matrix is known to hold complex numbers, which an AnnData has and a Seurat object does
// not.
bool is_complex(const Node& node) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  return array && !transient_fault(node) && array->values->dtype().kind == Kind::complex;
}

// Returns the reason why no file can hold X. An unreadable one is reported by the file.
std::optional<Error> refusal_of_x(const Node& x) {
  if (transient_fault(x) || std::holds_alternative<Error>(x.content)) return std::nullopt;
  return refusal_of(x.content);
}

// Returns whether a member of an AnnData is or holds X, counts or raw/X.
bool may_be_counts(const Member& member) try {
  if (member.name == "X") return may_be_x(member.node);
  if (member.name != "layers" && member.name != "raw") return false;
  if (!member.node.parts) return std::holds_alternative<Error>(member.node.content);
  const std::optional<Node> matrix = member.node.parts->find(member.name == "raw" ? "X" : "counts");
  return matrix && may_be_x(*matrix);
} catch (const Error&) {
  return true;  // making the matrix reports the error
}

Table needed_frame(const GroupPtr& group, std::string_view name, Context& context) {
  if (auto table = frame_of(member_of(group, name, context))) return *std::move(table);
  throw unsupported("{} is not a table of AnnData", name);
}

// Returns whether AnnData's schema has recognised the group. Tables called obs and var may stand in any
// group, beside matrices of the other orientation.
bool is_anndata_group(const Group& group) {
  const auto* own = dynamic_cast<const anndata::AnnDataGroup*>(&stored_group(group));
  return own && own->section() == anndata::Section::anndata;
}

// Takes the pictures of uns/spatial if it holds groups.
void take_pictures(const GroupPtr& group, AnnotatedMatrix& generated, Context& context) {
  const auto uns = member_of(group, "uns", context);
  const std::optional<Node> spatial = uns && uns->parts ? uns->parts->find(kSpatial) : std::nullopt;
  if (!spatial) return;
  check_known(*spatial);
  const std::vector<Member> slides = spatial->parts ? spatial->parts->members() : std::vector<Member>();
  for (const Member& slide : slides) check_known(slide.node);
  const auto is_group = [](const Member& member) { return member.node.parts != nullptr; };
  if (std::any_of(slides.begin(), slides.end(), is_group))
    generated.pictures = [group, &context] { return anndata_pictures(group, context); };
}

// Returns the MuData of which the group is a modality; null for any other group.
GroupPtr mudata_of(const Group& group) {
  const GroupPtr modalities = group.parent();
  const GroupPtr root = modalities && last_name(modalities->path()) == "mod" ? modalities->parent() : nullptr;
  return root && root->find("obs") ? root : nullptr;
}

// Returns the places of the parts in the store, which are AnnData's own. The store of a modality is its
// MuData.
OriginsPtr origins_of(const GroupPtr& group) {
  const GroupPtr mudata = mudata_of(*group);
  auto origins = std::make_shared<Origins>(mudata ? mudata : group);
  if (mudata) add_derived_parts(*mudata, anndata::modalities_of(*group->parent()), *origins);
  origins->add("/", group->path());
  const std::string root = group->path() == "/" ? "" : group->path();
  for (const char* name : {"distances", "connectivities"})  // of files up to 0.6
    origins->add(std::string("/obsp/") + name, fmt::format("{}/uns/neighbors/{}", root, name));
  for (const char* name : {"distances", "connectivities"})
    origins->add(std::string("/obsp/") + name, fmt::format("{}/obsp/{}", root, name));
  return origins;
}

AnnotatedMatrix anndata_of(const GroupPtr& group, Context& context) {
  AnnotatedMatrix generated;
  generated.obs = needed_frame(group, "obs", context);
  generated.var = needed_frame(group, "var", context);
  generated.cells = generated.obs.rows;
  generated.genes = generated.var.rows;
  generated.x = x_of(group, context);
  generated.layers = parts_of(group, "layers", Sides::cells_and_genes, context);
  generated.obsm = parts_of(group, "obsm", Sides::first_alone, context);
  generated.varm = parts_of(group, "varm", Sides::first_alone, context);
  generated.obsp = parts_of(group, "obsp", Sides::both_alike, context);
  add_old_graphs(group, generated.obsp, context);
  generated.varp = parts_of(group, "varp", Sides::both_alike, context);
  UnsOfAnnData uns = anndata_uns(group, generated, context);
  generated.uns = std::move(uns.members);
  generated.stored_uns = std::move(uns.stored);
  take_pictures(group, generated, context);
  generated.slides = [group, obs = generated.obs, &context] { return anndata_slides(group, obs, context); };
  const std::optional<Node> raw = member_of(group, "raw", context);
  if (raw && raw->parts) {
    if (const auto raw_var = frame_of(member_of(raw->parts, "var", context)))
      generated.raw = {x_of(raw->parts, context), *raw_var,
                       parts_of(raw->parts, "varm", Sides::first_alone, context)};
  }
  generated.origins = origins_of(group);
  return generated;
}

}  // namespace

void add_derived_parts(const Group& mudata, const std::vector<std::string>& modalities, Origins& origins) {
  for (const char* name : {"var", "varm", "varp", "obsmap", "varmap"})
    origins.add_implied(member_path(mudata, name));
  for (const std::string& name : modalities) origins.add_implied(member_path(mudata, "obsm") + "/" + name);
}

AnnotatedMatrix mudata_annotations(const GroupPtr& root, const std::vector<std::string>& modalities,
                                   Context& context) {
  const auto is_mask = [&](const AnnotatedPart& part) {
    return std::find(modalities.begin(), modalities.end(), part.name) != modalities.end();
  };
  AnnotatedMatrix generated;
  generated.obs = needed_frame(root, "obs", context);
  generated.cells = generated.obs.rows;
  if (auto var = frame_of(member_of(root, "var", context))) generated.var = *std::move(var);
  generated.genes = generated.var.rows;
  generated.obsm = parts_of(root, "obsm", Sides::first_alone, context);
  generated.varm = parts_of(root, "varm", Sides::first_alone, context);
  std::erase_if(generated.obsm, is_mask);
  std::erase_if(generated.varm, is_mask);
  generated.obsp = parts_of(root, "obsp", Sides::both_alike, context);
  generated.varp = parts_of(root, "varp", Sides::both_alike, context);
  UnsOfAnnData uns = anndata_uns(root, generated, context);
  generated.uns = std::move(uns.members);
  generated.stored_uns = std::move(uns.stored);
  const auto origins = std::make_shared<Origins>(root);
  origins->add("/", root->path());
  for (const char* name : {"obsmap", "varmap"}) origins->add_implied(member_path(*root, name));
  for (const char* name : {"obsm", "varm"})
    for (const std::string& modality : modalities)
      origins->add_implied(member_path(*root, name) + "/" + modality);
  generated.origins = origins;
  return generated;
}

void find_anndata(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found) {
  if (!directory.parts || !is_anndata_group(*directory.parts)) return;
  FoundAnnotatedMatrix anndata{"anndata",
                               [group = directory.parts, &context] { return anndata_of(group, context); }};
  anndata.has_counts = false;
  bool has_obs = false, has_var = false, has_raw = false, has_complex_x = false;
  for (const Member& member : directory.parts->members()) {
    if (member.name == "mod") return;  // a MuData has several
    if (member.name == "obs") {
      has_obs = may_be_frame(member.node);
      anndata.has_obs = may_have_columns(member.node);
      anndata.cells = rows_of(member.node);
    }
    if (member.name == "var") {
      has_var = may_be_frame(member.node);
      anndata.genes = rows_of(member.node);
    }
    anndata.has_counts |= may_be_counts(member);
    if (member.name == "X") anndata.refusal = refusal_of_x(member.node);
    has_complex_x |= member.name == "X" && is_complex(member.node);
    has_raw |= member.name == "raw";
  }
  anndata.has_counts &= !has_complex_x;
  if (has_raw) anndata.genes.reset();  // those of raw may be used
  if (has_obs && has_var) found.push_back(std::move(anndata));
}

}  // namespace plainfs::annotated
