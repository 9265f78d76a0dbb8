#include "formats/schemas/anndata/group.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "formats/core/frames/names.h"
#include "formats/core/frames/scalars.h"
#include "formats/core/text/path_names.h"
#include "formats/schemas/anndata/elements.h"
#include "formats/schemas/anndata/legacy.h"

namespace plainfs::anndata {
namespace {

Section section_called(std::string_view name,
                       std::initializer_list<std::pair<std::string_view, Section>> sections) {
  for (const auto& [called, section] : sections)
    if (called == name) return section;
  return Section::plain;
}

constexpr const char* kCoordinates = "coordinates";  // the coordinates of a slide's spots

// Returns null for an empty list: it has no .tsv.
ArrayPtr unless_empty(ArrayPtr names) {
  const bool is_empty = names && names->shape() == Shape{0} && frames::is_readable(*names);
  return is_empty ? nullptr : names;
}

Node with_content(const Node& group, Content content) {
  Node node = group;
  node.content = std::move(content);
  // The attributes of the group, not those of the array or table beside it.
  node.attributes = [parts = group.parts] { return parts->attributes(); };
  return node;
}

std::shared_ptr<const AnnDataGroup> group_of(const GroupPtr& stored, Section section, const GroupPtr& parent,
                                             Context& context) {
  const GroupPtr layout =
      section == Section::anndata && is_legacy_root(*stored) ? with_todays_layout(stored) : stored;
  return std::make_shared<AnnDataGroup>(std::make_shared<Sides>(layout, context), layout, section, parent);
}

}  // namespace

Axes axes_in(Section section, std::string_view name) {
  switch (section) {
    case Section::anndata:
      return name == "X" ? Axes{Side::obs, Side::var, true} : Axes{};
    case Section::raw:
      return name == "X" ? Axes{Side::obs, Side::raw_var, true} : Axes{};
    case Section::layers:
      return {Side::obs, Side::var, true};
    case Section::obsm:
    case Section::mudata_obsm:
      return {Side::obs, Side::none, false};
    case Section::varm:
    case Section::mudata_varm:
      return {Side::var, Side::none, false};
    case Section::raw_varm:
      return {Side::raw_var, Side::none, false};
    case Section::obsp:
      return {Side::obs, Side::obs, false};
    case Section::varp:
      return {Side::var, Side::var, false};
    case Section::mudata:
    case Section::frame:
    case Section::uns:
    case Section::spatial:
    case Section::slide:
    case Section::plain:
      break;
  }
  return {};
}

Section section_in(Section section, std::string_view name) {
  switch (section) {
    case Section::anndata:
      return section_called(name, {{"layers", Section::layers},
                                   {"obsm", Section::obsm},
                                   {"varm", Section::varm},
                                   {"obsp", Section::obsp},
                                   {"varp", Section::varp},
                                   {"raw", Section::raw},
                                   {"uns", Section::uns}});
    case Section::uns:
      return section_called(name, {{"spatial", Section::spatial}});
    case Section::spatial:
      return Section::slide;
    case Section::raw:
      return section_called(name, {{"varm", Section::raw_varm}});
    case Section::mudata:
      return section_called(name, {{"obsm", Section::mudata_obsm},
                                   {"varm", Section::mudata_varm},
                                   {"obsp", Section::obsp},
                                   {"varp", Section::varp}});
    // A key that contains a slash is a path.
    case Section::layers:
    case Section::obsm:
    case Section::varm:
    case Section::obsp:
    case Section::varp:
    case Section::raw_varm:
      return section;
    default:
      return Section::plain;
  }
}

Role role_in(Section section, std::string_view name) {
  if (section == Section::obsm) return Role::embedding;
  if (section == Section::layers && name == "counts") return Role::counts;
  if (section == Section::raw && name == "X") return Role::raw_matrix;
  if (section == Section::anndata && name == "X") return Role::main_matrix;
  const bool has_cells = section == Section::anndata || section == Section::mudata;
  return has_cells && name == "obs" ? Role::main_table : Role::none;
}

std::optional<Node> element_of(const Node& node, const GroupPtr& parent, Context& context) {
  const Attributes attributes = node.parts->attributes();
  Node element = node;
  if (auto frame = frames::DataFrame::of(node.parts, context)) {
    element = with_content(node, frame->table());
    element.parts = std::make_shared<AnnDataGroup>(std::make_shared<Sides>(node.parts, context), node.parts,
                                                   Section::frame, parent, std::move(frame));
    return element;
  }
  if (ArrayPtr values = encoded_values(node, attributes, context))
    return with_content(node, LabelledArray{std::move(values), nullptr, nullptr});
  if (auto matrix = sparse_matrix(*node.parts, attributes, false)) {
    element.content = std::move(*matrix);
    return element;
  }
  const bool mudata = is_mudata(attributes);
  if (!mudata && !is_anndata(*node.parts, attributes)) return std::nullopt;
  element.parts = group_of(node.parts, mudata ? Section::mudata : Section::anndata, parent, context);
  return element;
}

std::vector<Member> AnnDataGroup::members() const {
  std::vector<Member> members = stored().members();
  for (Member& member : members) member.node = refined(member.name, std::move(member.node));
  if (section_ != Section::slide) return members;
  const bool is_taken = stored().find(kCoordinates).has_value();
  if (std::optional<Node> link = is_taken ? std::nullopt : link_to_coordinates())
    members.push_back({kCoordinates, *std::move(link)});
  return members;
}

std::optional<Node> AnnDataGroup::find(std::string_view name) const {
  std::optional<Node> node = stored().find(name);
  if (node) return refined(std::string(name), std::move(*node));
  return section_ == Section::slide && name == kCoordinates ? link_to_coordinates() : std::nullopt;
}

// Returns a link to the coordinates of all cells in obsm.
std::optional<Node> AnnDataGroup::link_to_coordinates() const {
  const std::vector<std::string> place{"obsm", "spatial"};
  if (!find_path(sides_->root(), place)) return std::nullopt;
  std::vector<std::string> path = path_names(sides_->root().path());
  path.insert(path.end(), place.begin(), place.end());
  return Node{Link{"", std::move(path), "obsm/spatial"}};
}

Node AnnDataGroup::refined(const std::string& name, Node node) const {
  node.role = role_in(section_, name);
  try {
    if (std::holds_alternative<LabelledArray>(node.content)) return refined_array(name, node);
    if (std::holds_alternative<std::monostate>(node.content) && node.parts) return refined_group(name, node);
  } catch (const Error& error) {  // of attributes: its meaning is unknown, its parts are still listed
    node.content = error;
  }
  return node;
}

Node AnnDataGroup::refined_array(const std::string& name, Node node) const {
  const ArrayPtr values = std::get<LabelledArray>(node.content).values;
  Context& context = sides_->context();
  if (is_null_element(node)) {
    node.attributes = [node] { return attributes_of(node); };
    node.content = Nothing{};
    return node;
  }
  if (is_legacy_frame(node) && ((section_ == Section::anndata && (name == "obs" || name == "var")) ||
                                (section_ == Section::raw && name == "var"))) {
    const GroupPtr labels =
        section_ == Section::raw ? find_group(stored(), "cat") : find_group(stored(), "uns");
    node.content = legacy_frame(node, labels, context);
    return node;
  }
  if (frame_) {
    std::get<LabelledArray>(node.content).labels = frame_->referred_labels(node);
    return node;
  }
  if (values->shape().size() == 2) node.content = labelled(values, axes_of(name), path_of(name));
  return node;
}

Node AnnDataGroup::refined_group(const std::string& name, Node node) const {
  const bool is_raw = section_ == Section::anndata && name == "raw";  // mudata may encode it as an AnnData
  if (!is_raw) {
    const Axes axes = axes_of(name);
    if (auto matrix = sparse_matrix(*node.parts, node.parts->attributes(), axes.is_expression)) {
      node.content = named(std::move(*matrix), axes, path_of(name));
      return node;
    }
    if (auto element = element_of(node, shared_from_this(), sides_->context())) return *element;
    if (section_ == Section::anndata && (name == "obs" || name == "var") &&
        !node.parts->attributes().find("encoding-type"))
      sides_->context().warn(
          fmt::format("{}: no encoding-type, expected dataframe; only its columns are shown, not a table",
                      path_of(name)));
  }
  const Section section = section_in(section_, name);
  if (section_ == Section::slide && name == "scalefactors")
    if (auto factors = frames::table_of_scalars(node.parts->members()))
      node = with_content(node, *std::move(factors));
  node.parts = std::make_shared<AnnDataGroup>(sides_, node.parts, section, shared_from_this());
  return node;
}

std::string AnnDataGroup::path_of(const std::string& name) const {
  return member_path(*this, name);
}

// obsm and varm of a MuData hold a mask for each modality, with its name.
Axes AnnDataGroup::axes_of(const std::string& name) const {
  const bool may_be_mask = section_ == Section::mudata_obsm || section_ == Section::mudata_varm;
  const GroupPtr modalities = may_be_mask ? find_group(sides_->root(), "mod") : nullptr;
  return modalities && modalities->find(name) ? Axes{} : axes_in(section_, name);
}

LabelledArray AnnDataGroup::labelled(ArrayPtr values, const Axes& axes, const std::string& place) const {
  const Shape shape = values->shape();
  const bool is_matrix = axes.is_expression && values->dtype().is_numeric();
  LabelledArray array{std::move(values), sides_->fitting(axes.rows, shape[0], place + ": rows"),
                      sides_->fitting(axes.columns, shape[1], place + ": columns")};
  if (is_matrix)
    array.matrix =
        MatrixFiles{true, sides_->fitting_ids(axes.columns, shape[1], place + ": gene_ids"),
                    unless_empty(array.column_names), unless_empty(array.row_names), shared_from_this()};
  return array;
}

SparseMatrix AnnDataGroup::named(SparseMatrix matrix, const Axes& axes, const std::string& place) const {
  if (matrix.rows == 0 && matrix.columns == 0 && matrix.error) return matrix;  // its shape is unknown
  const Side rows = axes.is_expression ? axes.columns : axes.rows;
  const Side columns = axes.is_expression ? axes.rows : axes.columns;
  matrix.row_names = unless_empty(sides_->fitting(rows, matrix.rows, place + ": rows"));
  matrix.column_names = unless_empty(sides_->fitting(columns, matrix.columns, place + ": columns"));
  if (axes.is_expression) matrix.row_ids = sides_->fitting_ids(rows, matrix.rows, place + ": gene_ids");
  return matrix;
}

}  // namespace plainfs::anndata
