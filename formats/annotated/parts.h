// The parts of annotated matrices, assembled from the members of a store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs::annotated {

// Returns the member of group called name, with the meaning that the schemas give it; nullopt if there is
// none. Throws the error that makes it unreadable: nothing is left out because of an error.
std::optional<Node> member_of(const GroupPtr& group, std::string_view name, Context& context);

// Returns the member of group called name for inspection: an unreadable member is returned as such, and
// nothing is read again that the listing of the group has read.
std::optional<Node> look_at_member(const GroupPtr& group, std::string_view name, Context& context);

// Returns node with the meaning that the schemas give it. Throws like member_of().
Node readable(Node node, Context& context);

// Returns the content of node, or the error that makes it unreadable, so that a damaged part affects nothing
// else. Throws transient errors.
Content part_content(Node node, Context& context);

// Logs that a member of group has no place in an annotated matrix.
void note_left_out(const GroupPtr& group, std::string_view name, Context& context);

// Returns the content of node if it is of type Wanted.
template <class Wanted>
std::optional<Wanted> content_of(const std::optional<Node>& node) {
  if (!node || !std::holds_alternative<Wanted>(node->content)) return std::nullopt;
  return std::get<Wanted>(node->content);
}

// Returns a matrix of genes by cells as one of cells by genes; monostate if content is no matrix.
Content cells_by_genes(const Content& genes_by_cells);

// The size of a matrix, rows and columns as users see them.
struct Extent {
  uint64_t rows;
  uint64_t columns;
};
// Returns the size of content; nullopt if it is no matrix.
std::optional<Extent> extent_of(const Content& content);

// Returns the reason why no file of annotated matrices can hold content as a matrix, if it is known without
// reading data: a class or type that is not supported, or a sparse matrix without numbers.
std::optional<Error> refusal_of(const Content& content);

// Returns whether node is a group without members.
bool is_empty(const Node& node);

// Returns whether names holds the texts of expected in another order. False if either is null or not of text.
// Reads both.
bool is_reordered(const ArrayPtr& names, const ArrayPtr& expected);

// Returns a table without columns. Its rows have names if there is one for each.
Table named_rows(uint64_t rows, ArrayPtr names);

// Returns the columns of a table about features, in the order of the features. Rows are matched by name, so
// that a table may have rows for some features only, in any order (Seurat 2 sorts hvg.info by dispersion).
// The values of the other features are missing. A table with names other than those of features has one row
// for each feature, in order. Throws damaged otherwise, with the table's place.
std::vector<Column> feature_columns(const Table& table, const ArrayPtr& features, const std::string& place);

// Returns the genes of a matrix of genes by cells, with the columns gene_ids and feature_types if they are
// known.
Table genes_of(uint64_t rows, const ArrayPtr& names, const ArrayPtr& ids, const ArrayPtr& types);

}  // namespace plainfs::annotated
