#include "formats/core/model/node.h"

#include <algorithm>
#include <span>
#include <utility>

#include "formats/core/model/transient_fault.h"

namespace plainfs {

const Column* find_column(const std::vector<Column>& columns, std::string_view name) {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}
Column* find_column(std::vector<Column>& columns, std::string_view name) {
  return const_cast<Column*>(find_column(std::as_const(columns), name));
}
ArrayPtr column_values(const std::vector<Column>& columns, std::string_view name) {
  const Column* const found = find_column(columns, name);
  return found ? found->values : nullptr;
}

Content::Content() = default;
Content::Content(const Content&) = default;
Content::Content(Content&&) noexcept = default;
Content& Content::operator=(const Content&) = default;
Content& Content::operator=(Content&&) noexcept = default;
Content::~Content() = default;

std::optional<Node> Group::find(std::string_view name) const {
  for (Member& member : members()) {
    if (member.name == name) return std::move(member.node);
  }
  return std::nullopt;
}

SparseMatrix evaluated(SparseMatrix matrix) {
  if (!matrix.evaluate || matrix.error) return matrix;
  SparseMatrix lists = matrix.evaluate();
  matrix.value = std::move(lists.value);
  matrix.index = std::move(lists.index);
  matrix.pointer = std::move(lists.pointer);
  matrix.evaluate = nullptr;
  return matrix;
}

SparseMatrix transposed(SparseMatrix matrix) {
  std::swap(matrix.rows, matrix.columns);
  std::swap(matrix.row_names, matrix.column_names);
  matrix.by_row = !matrix.by_row;
  matrix.row_ids = nullptr;
  matrix.as_stored = nullptr;
  return matrix;
}

ArrayPtr array_of(const Node& node) {
  if (const auto* error = std::get_if<Error>(&node.content)) throw *error;
  const auto* array = std::get_if<LabelledArray>(&node.content);
  return array ? array->values : nullptr;
}

namespace {

constexpr int kMaxLinks = 40;  // on the way to one member

// Follows names from `group` on, and links within the store.
std::optional<Node> follow(const Group& group, std::span<const std::string> path, int& links_left) {
  std::optional<Node> node;
  for (const std::string& name : path) {
    const Group* const from = node ? node->parts.get() : &group;
    if (!from) return std::nullopt;
    auto next = from->find(name);
    if (next && std::holds_alternative<Link>(next->content)) {
      const Link link = std::get<Link>(next->content);
      if (!link.source.empty() || link.verbatim || links_left-- == 0) return std::nullopt;
      GroupPtr root = from->parent();
      while (root && root->parent()) root = root->parent();
      next = follow(root ? *root : *from, link.path, links_left);
    }
    if (!next) return std::nullopt;
    check_known(*next);
    node = std::move(next);
  }
  return node;
}

std::optional<Node> find_member(const Group& group, std::string_view name) {
  const std::string path[] = {std::string(name)};
  return find_path(group, path);
}

}  // namespace

std::optional<Node> find_path(const Group& group, std::span<const std::string> path) {
  int links_left = kMaxLinks;
  return follow(group, path, links_left);
}

ArrayPtr find_array(const Group& group, std::string_view name) {
  const std::optional<Node> node = find_member(group, name);
  return node ? array_of(*node) : nullptr;
}

GroupPtr find_group(const Group& group, std::string_view name) {
  const std::optional<Node> node = find_member(group, name);
  if (!node) return nullptr;
  if (const auto* error = std::get_if<Error>(&node->content); error && !node->parts) throw *error;
  return node->parts;
}

Attributes attributes_of(const Node& node) {
  if (node.attributes) return node.attributes();
  if (const auto* array = std::get_if<LabelledArray>(&node.content)) return array->values->attributes();
  return node.parts ? node.parts->attributes() : Attributes{};
}

}  // namespace plainfs
