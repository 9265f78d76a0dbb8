// What annotated matrices are put together from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs::annotated {

// The member as the schemas see it; nullopt where there is none. Throws what keeps it from being read:
// nothing is left out for that.
std::optional<Node> member_of(const GroupPtr& group, std::string_view name, Context& context);

// The same for looking at what is there: what cannot be read is given as such, and nothing is read again that
// the listing of the group knows.
std::optional<Node> look_at_member(const GroupPtr& group, std::string_view name, Context& context);

// As member_of() of a member that is at hand.
Node readable(Node node, Context& context);

// The content of such a member, or the error that keeps it from being read: a damaged part costs itself.
// Throws an error that may pass.
Content part_content(Node node, Context& context);

// Logs that a member has no place in an annotated matrix.
void note_left_out(const GroupPtr& group, std::string_view name, Context& context);

// Its content where it is of that kind.
template <class Wanted>
std::optional<Wanted> content_of(const std::optional<Node>& node) {
  if (!node || !std::holds_alternative<Wanted>(node->content)) return std::nullopt;
  return std::get<Wanted>(node->content);
}

// A matrix that is shown with genes in rows, with cells in rows; monostate where it is none.
Content cells_by_genes(const Content& genes_by_cells);

// rows and columns as users see them; nullopt where content is no matrix.
struct Extent {
  uint64_t rows;
  uint64_t columns;
};
std::optional<Extent> extent_of(const Content& content);

// Whether there is nothing in a list, or in the part of an object.
bool is_empty(const Node& node);

// Returns whether names are those of expected in another order. False if either is null or no text. Reads
// both.
bool is_reordered(const ArrayPtr& names, const ArrayPtr& expected);

// A table of names alone.
Table named_rows(uint64_t rows, ArrayPtr names);

// The columns of a table about features, in the order of the features. Rows are matched by name, so a table
// may have rows for some features only, in any order (Seurat 2 sorts hvg.info by dispersion): the values of
// the other features are missing. A table whose names are not those of features has one row for each feature,
// in order. Throws damaged otherwise, with the table's place.
std::vector<Column> feature_columns(const Table& table, const ArrayPtr& features, const std::string& place);

// The genes of a matrix of genes by cells, with the columns gene_ids and feature_types where they are known.
Table genes_of(uint64_t rows, const ArrayPtr& names, const ArrayPtr& ids, const ArrayPtr& types);

}  // namespace plainfs::annotated
