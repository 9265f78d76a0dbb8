#include "formats/schemas/annotated/experiment.h"

#include <algorithm>
#include <map>

#include "formats/schemas/annotated/parts.h"

namespace plainfs::annotated {

namespace {

struct Item {
  std::string name;
  Content content;
};

class Experiment {
 public:
  Experiment(GroupPtr root, Context& context) : root_(std::move(root)), context_(context) {}

  AnnotatedMatrix make() {
    std::vector<Item> assays = items_of("assays");
    if (assays.empty()) throw unsupported("{}: no assay is a matrix", root_->path());
    const Extent extent = *extent_of(assays.front().content);
    AnnotatedMatrix made;
    made.marks_missing = true;
    made.genes = extent.rows;
    made.cells = extent.columns;
    made.var = frame_of("row_data", made.genes, assays.front().content, &SparseMatrix::row_names,
                        &LabelledArray::row_names);
    made.obs = frame_of("column_data", made.cells, assays.front().content, &SparseMatrix::column_names,
                        &LabelledArray::column_names);
    made.x_name = assays.front().name;
    made.x = cells_by_genes(assays.front().content);
    for (size_t i = 1; i < assays.size(); ++i)
      made.layers.push_back({assays[i].name, cells_by_genes(assays[i].content)});
    for (Item& item : items_of("reduced_dimensions"))
      made.obsm.push_back({item.name, std::move(item.content)});
    return made;
  }

 private:
  std::vector<Item> items_of(std::string_view list) const;
  Content content_of_item(const GroupPtr& list, const std::string& number) const;
  Table frame_of(std::string_view name, uint64_t rows, const Content& assay, ArrayPtr SparseMatrix::*sparse,
                 ArrayPtr LabelledArray::*dense) const;

  const GroupPtr root_;
  Context& context_;
};

// The matrix of a list's item: in the item's directory where it is dense; monostate where it is none.
Content Experiment::content_of_item(const GroupPtr& list, const std::string& number) const {
  std::optional<Node> item = member_of(list, number, context_);
  if (item && !extent_of(item->content) && item->parts)
    item = member_of(item->parts, "dense_array", context_);
  if (!item) return {};
  if (const auto* array = std::get_if<LabelledArray>(&item->content); array && array->labels)
    array->labels->check();  // stored values that have no meaning say so
  return extent_of(item->content) ? item->content : Content();
}

// The matrices of a list in their order, under their names; what else is in it is told of.
std::vector<Item> Experiment::items_of(std::string_view list) const {
  const std::optional<Node> group = member_of(root_, list, context_);
  if (!group || !group->parts) return {};
  std::map<std::string, std::string> names;  // by number
  std::vector<std::string> numbers;
  for (const Member& member : group->parts->members()) {
    const auto* link = std::get_if<Link>(&member.node.content);
    if (link && link->only.empty() && !link->path.empty())
      names[link->path.back()] = member.name;
    else if (!link && member.name.find_first_not_of("0123456789") == std::string::npos)
      numbers.push_back(member.name);
  }
  std::sort(numbers.begin(), numbers.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  std::vector<Item> items;
  for (const std::string& number : numbers) {
    const auto name = names.find(number);
    Item item{name == names.end() ? number : name->second, content_of_item(group->parts, number)};
    std::replace(item.name.begin(), item.name.end(), '/', '_');  // which parts the names in an .h5ad
    if (std::holds_alternative<std::monostate>(item.content))
      context_.notice(fmt::format("{}/{}: not in the .h5ad", group->parts->path(), number));
    else
      items.push_back(std::move(item));
  }
  return items;
}

// Rows without names of their own have the assay's.
Table Experiment::frame_of(std::string_view name, uint64_t rows, const Content& assay,
                           ArrayPtr SparseMatrix::*sparse, ArrayPtr LabelledArray::*dense) const {
  Table frame;
  frame.rows = rows;
  const std::optional<Node> directory = member_of(root_, name, context_);
  if (directory && directory->parts) {
    const std::optional<Node> stored = member_of(directory->parts, "data_frame", context_);
    if (const auto table = content_of<Table>(stored)) frame = *table;
  }
  if (frame.row_names) return frame;
  if (const auto* matrix = std::get_if<SparseMatrix>(&assay)) frame.row_names = matrix->*sparse;
  if (const auto* matrix = std::get_if<LabelledArray>(&assay)) frame.row_names = matrix->*dense;
  return frame;
}

bool may_have_columns(const Node& column_data, Context& context) try {
  if (!column_data.parts) return false;
  const auto frame = content_of<Table>(member_of(column_data.parts, "data_frame", context));
  return frame && !frame->columns.empty();
} catch (const Error&) {
  return true;
}

}  // namespace

void find_experiment(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found) {
  if (!directory.parts || directory.parts->parent()) return;
  bool has_assays = false, has_frame = false, has_columns = false;
  for (const Member& member : directory.parts->members()) {
    has_assays |= member.name == "assays" && member.node.parts;
    has_frame |= (member.name == "row_data" || member.name == "column_data") && member.node.parts;
    if (member.name == "column_data") has_columns |= may_have_columns(member.node, context);
  }
  if (!has_assays || !has_frame) return;
  found.push_back({"anndata", [root = directory.parts, &context] { return Experiment(root, context).make(); },
                   has_columns});
}

}  // namespace plainfs::annotated
