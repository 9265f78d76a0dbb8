// What an R value is for plainfs: one function a kind of value, each in a file of its own, and the one that
// asks them all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/containers/rds/value.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/schemas/robject/directory.h"

namespace plainfs::robject {

using rds::RType;
using rds::Value;
using rds::ValuePtr;

// What all values of a file share.
struct Scope {
  Context& context;
  std::string location;  // of the file
};
using ScopePtr = std::shared_ptr<const Scope>;

// The names of a matrix that is part of something that says them itself.
struct SideNames {
  ArrayPtr rows;
  ArrayPtr columns;
};

// How a value is looked at where it stands.
struct View {
  ScopePtr scope;
  Place place;
  bool without_names = false;                     // a column's own names are not shown
  std::optional<SideNames> sides = std::nullopt;  // in place of a matrix' own
  View at(Place elsewhere) const { return {scope, std::move(elsewhere)}; }
};

// The node of a value; nullopt where it is no data. What is wrong inside takes only that value.
std::optional<Node> node_of(const ValuePtr& value, const View& view);

// The attributes of a value as users see them: class and all others that are vectors, but names, dimensions
// and levels. Of an S4 object: its class.
Attributes attributes_of(const Value& value);
// All of a vector as a list.
Json list_of(const Value& value);

// The members of a list, by their names or positions.
std::vector<Member> list_members(const Value& list, const View& view);
Node list_node(const ValuePtr& list, const View& view);
// The slots of an S4 object, but those.
std::vector<Member> slot_members(const Value& object, const View& view,
                                 const std::vector<std::string>& left_out = {});
// Adds the node of the value under that name, where both are there.
void add_member(std::vector<Member>& members, const std::string& name, const ValuePtr& value,
                const View& view);
// The same of a matrix of genes by cells. One whose entries each say where they stand (a dgTMatrix, as
// readMM() gives, or one that is symmetric or diagonal) is shown as the dgCMatrix that R makes of it.
void add_assay_matrix(std::vector<Member>& members, const std::string& name, const ValuePtr& value,
                      const View& view);

// fields.cc: the fields of an object that keeps them in an environment, as a list of the object's class; null
// if it keeps none there.
ValuePtr fields_of(const Value& object);

// vectors.cc: vectors, factors, matrices and arrays.

// The elements of a vector with what is missing marked, as they are stored and as they are meant (the same
// but of factors, dates and times). Rank 1, whatever its dimensions.
struct VectorMeaning {
  ArrayPtr stored;
  ArrayPtr shown;  // null: stored
  const ArrayPtr& as_text() const { return shown ? shown : stored; }
};
// The stored elements alone, those that are missing marked.
ArrayPtr with_missing_marked(const Value& vector);
VectorMeaning meaning_of(const Value& vector, const View& view);
Node vector_node(const ValuePtr& vector, const View& view);
// The dimensions of a value that is a matrix or array; nullopt where it is neither. Throws damaged where they
// do not fit its length.
std::optional<Shape> dimensions_of(const Value& vector);
// The names of a side (0 rows, 1 columns) by the attribute or slot that has them, where they are count; else
// null, which is told of.
ArrayPtr side_names(const Value& object, const char* dimnames, size_t side, uint64_t count, const View& view);
bool is_factor(const Value& value);
// Whether a double is R's NA, and no other NaN.
bool is_missing_real(double value);
// Marks those among doubles.
void mark_missing_reals(Elements& reals);

// times.cc: POSIXlt.
bool is_broken_down(const Value& value);
struct BrokenDown {
  ArrayPtr instants;  // as those of a POSIXct; null: not known
  std::string why;
};
// The points in time of a POSIXlt. Requires: is_broken_down(times).
BrokenDown broken_down(const Value& times);

// frames.cc: data frames of every kind.
bool is_frame(const Value& value);
struct Frame {
  uint64_t rows = 0;
  ArrayPtr row_names;  // null = none
};
Node frame_node(const ValuePtr& frame, const View& view, const ArrayPtr& row_names = nullptr);
// Its row names; null where it has none.
ArrayPtr frame_row_names(const Value& frame);
uint64_t frame_rows(const Value& frame);
// The list that holds its columns.
const Value& frame_columns(const Value& frame);
// Columns for a table of that many rows.
std::vector<Column> columns_of(const Value& frame, uint64_t rows, const View& view);

// sparse.cc: the classes of the package Matrix.
bool is_sparse_matrix(const Value& value);
Node sparse_node(const ValuePtr& matrix, const View& view);
// A dense matrix of that package as a matrix of R itself; null where it is none.
ValuePtr dense_matrix(const Value& value);
// Rows and columns by the slot Dim; nullopt where it is no such thing.
std::optional<std::pair<uint64_t, uint64_t>> matrix_extent(const Value& matrix);

// ranges.cc
bool is_genomic_ranges(const Value& value);
// with_columns: also what is said of each range.
Node ranges_node(const ValuePtr& ranges, const View& view, bool with_columns);
// Lists of them (GRangesList) as all their ranges, each with the group that it is in.
bool is_ranges_list(const Value& value);
Node ranges_list_node(const ValuePtr& list, const View& view);
// An Rle as the vector that it stands for; null where it is none or its parts do not fit.
ValuePtr expanded_rle(const Value& value);

// hits.cc: pairs of elements, as the package S4Vectors keeps them (Hits), and SingleCellExperiment
// (DualSubset).
bool is_hits(const Value& value);
// A table of them: from, to, and what is said of each pair.
Node hits_node(const ValuePtr& hits, const View& view);

// igraph.cc: graphs of the package igraph.
bool is_igraph(const Value& value);
// Returns a table of the edges: from, to, and the attributes of each; its directory has the table of the
// vertices and the attributes of the graph.
Node igraph_node(const ValuePtr& graph, const View& view);

// bpcells_object.cc: matrices and fragments of the package BPCells, also in directories of their own.
bool is_bpcells(const Value& value);
Node bpcells_node(const ValuePtr& object, const View& view);

// delayed.cc: matrices in HDF5 files.
bool is_delayed(const Value& value);
Node delayed_node(const ValuePtr& matrix, const View& view);
// Where what an object names on disk is: at that path if it is inside the store's folder, else under its last
// name beside the store. Throws unreadable with the path where it is neither.
std::string named_location(const std::string& path, const Scope& scope);

// seurat.cc
bool is_seurat(const Value& value);
Node seurat_node(const ValuePtr& object, const View& view);

// seurat_image.cc: Returns the slots of an image of Seurat's as a directory. An image that keeps the outlines
// of cells instead of a table has their centres as its table `coordinates` there.
Node seurat_image_node(const ValuePtr& image, const View& view);

// spatial.cc: Adds what a SpatialExperiment keeps among the internal columns and metadata: the table or
// matrix spatial_coordinates, spatial_data, and images. columns: the names of the cells.
void add_spatial_parts(std::vector<Member>& members, const Value& object, const ArrayPtr& columns,
                       const View& view);
// Returns whether that shows the column of int_colData, or the item of int_metadata, of that name.
bool is_spatial_part(std::string_view name);

// experiment.cc
bool is_experiment(const Value& value);
// columns: the names of cells of the experiment that this one is an alternative to.
Node experiment_node(const ValuePtr& object, const View& view, const ArrayPtr& columns = nullptr);

}  // namespace plainfs::robject
