#include "formats/annotated/finders.h"

#include <algorithm>
#include <map>

#include "formats/annotated/experiment_annotations.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/parts.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"

namespace plainfs::annotated {

namespace {

struct Item {
  std::string name;
  Content content;
  std::string path;  // in the store
};

// The layout of an experiment. In takane's directories, lists have numbered members, links that name them,
// and a directory for each content. Among R objects each part stands under its name.
enum class Layout { takane, named };

class Experiment {
 public:
  Experiment(GroupPtr root, Layout layout, Context& context)
      : root_(std::move(root)), layout_(layout), context_(context) {}

  // Returns the reason why no file can hold the first assay, if it is known without reading data.
  std::optional<Error> refusal() const try {
    const std::vector<Item> assays = items_of("assays");
    return assays.empty() ? std::nullopt : refusal_of(assays.front().content);
  } catch (const Error&) {
    return std::nullopt;  // making the matrix reports the error
  }

  AnnotatedMatrix make() {
    std::vector<Item> assays = items_of("assays");
    if (assays.empty()) throw unsupported("{}: no assay has a matrix", root_->path());
    const Extent extent = *extent_of(assays.front().content);
    AnnotatedMatrix generated;
    generated.marks_missing = true;
    generated.genes = extent.rows;
    generated.cells = extent.columns;
    generated.var = frame_of("row_data", generated.genes, assays.front().content, &SparseMatrix::row_names,
                             &LabelledArray::row_names);
    generated.obs = frame_of("column_data", generated.cells, assays.front().content,
                             &SparseMatrix::column_names, &LabelledArray::column_names);
    generated.x_name = assays.front().name;
    generated.x = cells_by_genes(assays.front().content);
    for (size_t i = 1; i < assays.size(); ++i)
      generated.layers.push_back({assays[i].name, cells_by_genes(assays[i].content)});
    const auto origins = std::make_shared<Origins>(root_);
    add_origins(assays, *origins);
    UnsTree uns;
    add_metadata(root_, uns, *origins, context_);
    for (Item& item : items_of("reduced_dimensions")) {
      const std::string name = obsm_name(item.name);
      generated.obsm.push_back({name, std::move(item.content), {}, item.name});
      // Columns of embeddings have no names in AnnData.
      origins->add("/obsm/" + name, item.path);
      add_reduced_attributes(root_, item.name, generated.var.row_names, generated, uns, *origins, context_);
    }
    add_pairs(root_, generated, *origins, context_);
    add_ranges(root_, generated, *origins, context_);
    if (layout_ == Layout::named) {
      add_matrix_columns(root_, "column_data", generated.cells, "obsm", generated.obsm, *origins, context_);
      add_matrix_columns(root_, "row_data", generated.genes, "varm", generated.varm, *origins, context_);
    }
    take_coordinates(generated);
    for (const char* name : {"spatial_coordinates", "coordinates", "spatial_data"})
      origins->add("/obsm/spatial", member_path(*root_, name));
    origins->add("/uns/spatial", member_path(*root_, "images"));
    uns.add({"X_name"}, text_node(generated.x_name));
    generated.uns = uns.members();
    generated.origins = origins;
    return generated;
  }

 private:
  // Records the places of the matrices and tables.
  void add_origins(const std::vector<Item>& assays, Origins& origins) const {
    origins.add("/X", assays.front().path);
    for (size_t i = 1; i < assays.size(); ++i) origins.add("/layers/" + assays[i].name, assays[i].path);
    origins.add("/obs", member_path(*root_, "column_data"));
    origins.add("/var", member_path(*root_, "row_data"));
  }
  void take_coordinates(AnnotatedMatrix& generated) const;
  void note_images() const;
  std::vector<Item> items_of(std::string_view list) const;
  std::vector<std::pair<std::string, std::string>> members_of(const GroupPtr& list) const;
  Content content_of_item(const GroupPtr& list, const std::string& member) const;
  Table frame_of(std::string_view name, uint64_t rows, const Content& assay, ArrayPtr SparseMatrix::*sparse,
                 ArrayPtr LabelledArray::*dense) const;

  const GroupPtr root_;
  const Layout layout_;
  Context& context_;
};

// Adds the coordinates and slides of a SpatialExperiment.
void Experiment::take_coordinates(AnnotatedMatrix& generated) const {
  Content coordinates = layout_ == Layout::takane ? content_of_item(root_, "coordinates")
                                                  : experiment_coordinates(root_, generated.obs, context_);
  if (std::holds_alternative<std::monostate>(coordinates)) return note_images();
  const bool is_taken = std::any_of(generated.obsm.begin(), generated.obsm.end(),
                                    [](const AnnotatedPart& part) { return part.name == kSpatial; });
  if (is_taken) {
    context_.notice(
        fmt::format("{}: the coordinates are not in the .h5ad: a reduced dimension has the name {}",
                    root_->path(), kSpatial));
    return note_images();
  }
  generated.obsm.push_back({kSpatial, std::move(coordinates)});
  generated.slides = [root = root_, obs = generated.obs, &context = context_] {
    return experiment_slides(root, obs, context);
  };
  if (!may_have_pictures(root_)) return note_images();
  generated.pictures = [root = root_, obs = generated.obs, &context = context_] {
    return experiment_pictures(root, obs, context);
  };
}

// Logs that the pictures have no place, if there are any.
void Experiment::note_images() const {
  const std::optional<Node> images = root_->find("images");
  if (!images) return;
  check_known(*images);
  note_left_out(root_, "images", context_);
}

// Returns the matrix of a list's item, which takane keeps in the item's directory if it is dense; monostate
// if the item is no matrix.
Content Experiment::content_of_item(const GroupPtr& list, const std::string& member) const {
  std::optional<Node> item = member_of(list, member, context_);
  if (layout_ == Layout::takane && item && !extent_of(item->content) && item->parts)
    item = member_of(item->parts, "dense_array", context_);
  if (!item) return {};
  if (const auto* array = std::get_if<LabelledArray>(&item->content); array && array->labels)
    array->labels->check();  // throws if stored values have no meaning
  return extent_of(item->content) ? item->content : Content();
}

// Returns the members of a list that are items, in their order, each with its name.
std::vector<std::pair<std::string, std::string>> Experiment::members_of(const GroupPtr& list) const {
  std::vector<std::pair<std::string, std::string>> items;
  if (layout_ == Layout::named) {
    for (const Member& member : list->members()) items.emplace_back(member.name, member.name);
    return items;
  }
  std::map<std::string, std::string> names;  // by number
  for (const Member& member : list->members()) {
    const auto* link = std::get_if<Link>(&member.node.content);
    if (link && link->only.empty() && !link->path.empty())
      names[link->path.back()] = member.name;
    else if (!link && member.name.find_first_not_of("0123456789") == std::string::npos)
      items.emplace_back(member.name, member.name);
  }
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    return a.first.size() != b.first.size() ? a.first.size() < b.first.size() : a.first < b.first;
  });
  for (auto& [number, name] : items)
    if (const auto found = names.find(number); found != names.end()) name = found->second;
  return items;
}

// Returns the matrices of a list in their order, with their names. Logs other items.
std::vector<Item> Experiment::items_of(std::string_view list) const {
  const std::optional<Node> group = member_of(root_, list, context_);
  if (!group || !group->parts) return {};
  std::vector<Item> items;
  for (const auto& [member, name] : members_of(group->parts)) {
    Item item{name, content_of_item(group->parts, member), member_path(*group->parts, member)};
    std::replace(item.name.begin(), item.name.end(), '/', '_');  // a slash would divide the names in an .h5ad
    if (!std::holds_alternative<std::monostate>(item.content)) items.push_back(std::move(item));
  }
  return items;
}

// Returns the table called name. Rows without names get those of the assay.
Table Experiment::frame_of(std::string_view name, uint64_t rows, const Content& assay,
                           ArrayPtr SparseMatrix::*sparse, ArrayPtr LabelledArray::*dense) const {
  Table frame;
  frame.rows = rows;
  std::optional<Node> stored = member_of(root_, name, context_);
  if (layout_ == Layout::takane && stored && stored->parts)
    stored = member_of(stored->parts, "data_frame", context_);
  if (const auto table = content_of<Table>(stored)) frame = *table;
  if (frame.row_names) return frame;
  if (const auto* matrix = std::get_if<SparseMatrix>(&assay)) frame.row_names = matrix->*sparse;
  if (const auto* matrix = std::get_if<LabelledArray>(&assay)) frame.row_names = matrix->*dense;
  return frame;
}

// The parts of a group that make it an experiment.
struct Signs {
  bool has_directory = false,
       has_table = false;  // column_data or row_data, as takane's directory or as a table
  bool has_columns = false;
};

bool may_have_columns(const Node& column_data, Context& context) try {
  if (const auto* table = std::get_if<Table>(&column_data.content)) return !table->columns.empty();
  if (!column_data.parts) return std::holds_alternative<Error>(column_data.content);
  const auto frame = content_of<Table>(member_of(column_data.parts, "data_frame", context));
  return frame && !frame->columns.empty();
} catch (const Error&) {
  return true;
}

Signs signs_of(const GroupPtr& root, Context& context) {
  Signs signs;
  for (const char* name : {"column_data", "row_data"}) {
    const std::optional<Node> frame = root->find(name);
    const bool is_table = frame && (std::holds_alternative<Table>(frame->content) ||
                                    std::holds_alternative<Error>(frame->content));
    signs.has_table |= is_table;
    signs.has_directory |= frame && frame->parts && !is_table;
    if (frame && std::string_view(name) == "column_data")
      signs.has_columns = may_have_columns(*frame, context);
  }
  return signs;
}

void find_with(const Signs& signs, const GroupPtr& root, Context& context,
               std::vector<FoundAnnotatedMatrix>& found) {
  if (!signs.has_table && !signs.has_directory) return;
  const std::optional<Node> assays = root->find("assays");
  if (!assays || !assays->parts) return;
  const Layout layout = signs.has_table ? Layout::named : Layout::takane;
  found.push_back({"anndata", [root, layout, &context] { return Experiment(root, layout, context).make(); },
                   signs.has_columns});
  if (layout == Layout::named) found.back().refusal = Experiment(root, layout, context).refusal();
}

}  // namespace

void find_experiment(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found) {
  const GroupPtr& root = directory.parts;
  if (!root) return;
  const Signs signs = signs_of(root, context);
  if (signs.has_table || !root->parent()) find_with(signs, root, context, found);
}

void find_nested_experiment(const Node& directory, Context& context,
                            std::vector<FoundAnnotatedMatrix>& found) {
  if (directory.parts) find_with(signs_of(directory.parts, context), directory.parts, context, found);
}

}  // namespace plainfs::annotated
