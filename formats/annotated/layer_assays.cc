#include "formats/annotated/layer_assays.h"

#include <algorithm>
#include <string_view>

#include "formats/annotated/parts.h"
#include "formats/annotated/seurat_annotations.h"
#include "formats/annotated/seurat_layers.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/registry.h"

namespace plainfs::annotated {

namespace {

constexpr char kRawAssay[] = "raw";
constexpr uint64_t kComparedRun = 65536;  // elements to compare at a time

bool has_matrix(const Content& content) {
  return !std::holds_alternative<std::monostate>(content);
}

// Returns whether both arrays have the same elements. Reads them up to the first difference.
bool are_equal(const ArrayPtr& a, const ArrayPtr& b) {
  if (a == b) return true;
  if (!a || !b || a->dtype() != b->dtype() || a->shape() != b->shape()) return false;
  for (uint64_t first = 0; first < a->count(); first += kComparedRun) {
    const uint64_t count = std::min(kComparedRun, a->count() - first);
    Elements ours = read_run(*a, first, count), theirs = read_run(*b, first, count);
    ours.missing.resize(count);
    theirs.missing.resize(count);
    if (ours != theirs) return false;
  }
  return true;
}

// Returns whether both matrices have the same entries in the same form.
bool are_equal(const Content& a, const Content& b) {
  const auto *sparse = std::get_if<SparseMatrix>(&a), *other = std::get_if<SparseMatrix>(&b);
  if (sparse && other) {
    if (sparse->error || other->error || sparse->by_row != other->by_row) return false;
    const SparseMatrix ours = evaluated(*sparse), theirs = evaluated(*other);
    return are_equal(ours.pointer, theirs.pointer) && are_equal(ours.index, theirs.index) &&
           are_equal(ours.value, theirs.value);
  }
  const auto *dense = std::get_if<LabelledArray>(&a), *second = std::get_if<LabelledArray>(&b);
  return dense && second && dense->values->column_major() == second->values->column_major() &&
         are_equal(dense->values, second->values);
}

// Returns whether a member of an object belongs to an assay, by one of its attributes.
bool any_belongs_to(const std::optional<Node>& list, std::string_view attribute, const std::string& assay) {
  if (!list || !list->parts) return false;
  for (const Member& member : list->parts->members())
    if (attributes_of(member.node).texts(attribute) == std::vector<std::string>{assay}) return true;
  return false;
}

// An assay that may be a part of the active one.
class FurtherAssay {
 public:
  FurtherAssay(const ActiveAssay& active, std::string name, GroupPtr group, Context& context)
      : active_(active), name_(std::move(name)), group_(std::move(group)), context_(context) {
    const auto array = content_of<LabelledArray>(member_of(group_, "features", context_));
    features_ = array ? array->values : nullptr;
  }

  const ArrayPtr& features() const { return features_; }
  std::string place(std::string_view member) const { return member_path(*group_, member); }
  bool has_features_of_active() const {
    return features_ && features_->dtype().kind == Kind::text &&
           active_.features->dtype().kind == Kind::text && are_equal(features_, active_.features);
  }

  // Returns the metadata of the features.
  Table metadata() const {
    Table table = named_rows(features_->count(), features_);
    if (const auto meta = content_of<Table>(member_of(group_, "meta.features", context_)))
      table.columns = feature_columns(*meta, features_, place("meta.features"));
    return table;
  }

  // Returns whether the assay has parts beside counts, data and metadata.
  bool has_other_parts() const {
    static const std::set<std::string_view> kOwn{"counts",   "data",  "layers", "meta.features",
                                                 "features", "cells", "key"};
    for (const Member& member : group_->members()) {
      if (kOwn.contains(member.name)) continue;
      const Node node = refine(member.node, context_);
      const auto* array = std::get_if<LabelledArray>(&node.content);
      const bool has_values = !array || array->values->count() > 0;
      if (!std::holds_alternative<Link>(node.content) && !is_empty(node) && has_values) return true;
    }
    if (const GroupPtr layers = find_group(*group_, "layers"))
      for (const Member& layer : layers->members())
        if (layer.name != "counts" && layer.name != "data") return true;
    return any_belongs_to(look_at_member(active_.root, "reductions", context_), "active.assay", name_) ||
           any_belongs_to(look_at_member(active_.root, "graphs", context_), "assay.used", name_);
  }

  // Returns the only matrix of the assay, features by cells; monostate if it has none or several.
  Content only_matrix() const try {
    const SeuratLayers matrices(group_, features_, active_.cells, context_);
    if (matrices.fault_of_cells()) return {};
    const auto whole = [&](const char* name) {
      const std::optional<Node> node = matrices.stored(name);
      return node ? matrices.whole(*node) : Content();
    };
    Content data = whole("data"), counts = whole("counts");
    if (!has_matrix(data)) return counts;
    const bool is_only = !matrices.stored("counts") || are_equal(counts, data);
    return is_only ? std::move(data) : Content();
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return {};  // the assay's own file reports it
  }

 private:
  const ActiveAssay& active_;
  const std::string name_;
  const GroupPtr group_;
  Context& context_;
  ArrayPtr features_;
};

void add_raw(const FurtherAssay& assay, AnnotatedMatrix& generated, Origins& origins) {
  Content matrix = assay.only_matrix();
  if (!has_matrix(matrix)) return;
  generated.raw = AnnotatedMatrix::Raw{cells_by_genes(matrix), assay.metadata(), {}};
  for (const char* name : {"counts", "data", "layers"}) origins.add("/raw/X", assay.place(name));
  origins.add("/raw/var", assay.place("meta.features"));
  for (const char* name : {"features", "cells", "variable.features"}) origins.add_implied(assay.place(name));
}

// A list in `misc` of annotations of one side.
struct Room {
  UnsTree::Path path;  // in misc
  std::string place;   // in the annotated matrix
  uint64_t rows;
  bool is_square;
  std::vector<AnnotatedPart>& parts;
  std::set<std::string> taken;  // names that have another source
};

bool fits_room(const Room& room, const Content& content) {
  if (const auto* table = std::get_if<Table>(&content)) return !room.is_square && table->rows == room.rows;
  if (const std::optional<Extent> extent = extent_of(content))
    return extent->rows == room.rows && (!room.is_square || extent->columns == room.rows);
  const auto* array = std::get_if<LabelledArray>(&content);
  if (!array || room.is_square || array->values->shape().size() < 3) return false;
  const Shape& shape = array->values->shape();
  return (array->values->column_major() ? shape.back() : shape.front()) == room.rows;
}

// Returns an array without the names of its rows and columns, for which AnnData has no place.
Content without_names(Content content) {
  const auto* array = std::get_if<LabelledArray>(&content);
  if (!array) return content;
  return LabelledArray{labelled_values(*array).values, nullptr, nullptr};
}

std::set<std::string> names_listed(const GroupPtr& root, std::string_view list, const std::string& prefix) {
  std::set<std::string> names;
  if (const GroupPtr group = find_group(*root, list))
    for (const Member& member : group->members()) names.insert(prefix + member.name);
  return names;
}

// Returns the names of loadings in varm.
std::set<std::string> names_of_loadings(const GroupPtr& root) {
  std::set<std::string> names;
  for (const std::string& name : names_listed(root, "reductions", ""))
    names.insert({loadings_name(name), name + "_projected"});
  return names;
}

void add_room(const GroupPtr& misc, Room room, Origins& origins, std::set<UnsTree::Path>& found,
              Context& context) {
  const std::optional<Node> list = find_path(*misc, room.path);
  if (!list || !is_plain_group(*list)) return;
  for (Member& member : list->parts->members()) {
    const Node node = refine(std::move(member.node), context);
    if (room.taken.contains(member.name) || !fits_room(room, node.content)) continue;
    room.parts.push_back({member.name, without_names(node.content)});
    origins.add(fmt::format("{}/{}", room.place, member.name), member_path(*list->parts, member.name));
    UnsTree::Path path = room.path;
    path.push_back(member.name);
    found.insert(std::move(path));
  }
}

}  // namespace

void add_layer_assays(const ActiveAssay& active, AnnotatedMatrix& generated, Origins& origins,
                      Context& context) {
  const GroupPtr assays = find_group(*active.root, "assays");
  if (!assays) return;
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(generated.layers.begin(), generated.layers.end(),
                       [&](const AnnotatedPart& layer) { return layer.name == name; });
  };
  for (const Member& member : assays->members()) {
    if (member.name == active.name || !member.node.parts) continue;
    const FurtherAssay assay(active, member.name, member.node.parts, context);
    if (!assay.features() || assay.has_other_parts()) continue;
    if (member.name == kRawAssay) {
      add_raw(assay, generated, origins);
      continue;
    }
    if (is_taken(member.name) || !assay.has_features_of_active() || !assay.metadata().columns.empty())
      continue;
    const Content matrix = assay.only_matrix();
    if (!has_matrix(matrix)) continue;
    generated.layers.push_back({member.name, cells_by_genes(matrix)});
    origins.add("/layers/" + member.name, member_path(*assays, member.name));
  }
}

std::set<UnsTree::Path> add_annotations_in_misc(const ActiveAssay& assay, AnnotatedMatrix& generated,
                                                Origins& origins, Context& context) {
  std::set<UnsTree::Path> found;
  const GroupPtr misc = find_group(*assay.root, "misc");
  if (!misc) return found;
  const auto add = [&](Room room) { add_room(misc, std::move(room), origins, found, context); };
  std::set<std::string> embeddings = names_listed(assay.root, "reductions", "X_");
  embeddings.insert(kSpatial);
  add({{"obsm"}, "/obsm", generated.cells, false, generated.obsm, embeddings});
  std::set<std::string> graphs = names_listed(assay.root, "graphs", "");
  graphs.insert("connectivities");
  add({{"obsp"}, "/obsp", generated.cells, true, generated.obsp, graphs});
  add({{"varm"}, "/varm", generated.genes, false, generated.varm, names_of_loadings(assay.root)});
  // scConvert's lists have other names.
  for (const std::string& name : {std::string("varp"), std::string("__varp__"), "__varp__." + assay.name})
    add({{name}, "/varp", generated.genes, true, generated.varp, {}});
  if (generated.raw)
    add({{kRawAssay, "varm"}, "/raw/varm", generated.raw->var.rows, false, generated.raw->varm, {}});
  return found;
}

}  // namespace plainfs::annotated
