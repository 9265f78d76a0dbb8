// The meaning of R values, as nodes: one function for each kind of value, each in a file of its own, and one
// that calls them all.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/rds/value.h"
#include "formats/core/model/context.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/node.h"

namespace plainfs::robject {

// The place of a directory that is generated from an R value.
struct Place {
  GroupPtr parent;  // null at the root
  std::string path = "/";
  Place inside(const std::string& name, GroupPtr self) const {
    return {std::move(self), (path == "/" ? path : path + "/") + name};
  }
};

// The names of members. A name that is already used gets ~2, ~3, …
class MemberNames {
 public:
  // Returns a free name. wanted: empty = the position, from 0.
  std::string take(const std::string& wanted, size_t position);

 private:
  std::set<std::string> taken_;
};

using rds::RType;
using rds::Value;
using rds::ValuePtr;

// State shared by all values of a file.
struct Scope {
  Context& context;
  std::string location;  // of the file
};
using ScopePtr = std::shared_ptr<const Scope>;

// The names of the rows and columns of a matrix, given by the object that contains it.
struct SideNames {
  ArrayPtr rows;
  ArrayPtr columns;
};

// The context in which a value is shown.
struct View {
  ScopePtr scope;
  Place place;
  bool without_names = false;                     // hide a column's own names
  std::optional<SideNames> sides = std::nullopt;  // replace the matrix's own
  View at(Place other) const { return {scope, std::move(other)}; }
};

// A directory with members that are created again for each listing, from values in memory.
class Directory final : public ListedGroup {
 public:
  using ListedGroup::ListedGroup;
  // The value that the directory shows; null if it shows a part of one.
  ValuePtr value;
};
// Returns such a directory at the place of `view`. list: returns the members; `inside` has the directory as
// its parent.
GroupPtr directory_at(const View& view, std::function<std::vector<Member>(const View& inside)> list,
                      std::function<Attributes()> attributes = nullptr, ValuePtr value = nullptr);

// Returns the node of a value; nullopt if it holds no data. A fault inside a value affects that value alone.
std::optional<Node> node_of(const ValuePtr& value, const View& view);

// Returns the attributes of a value as users see them: class and all others that are vectors, except names,
// dimensions and levels. For an S4 object: its class alone.
Attributes attributes_of(const Value& value);
// Returns the whole vector as a list.
Json list_of(const Value& value);

// Returns the members of a list, by their names or positions.
std::vector<Member> list_members(const Value& list, const View& view);
Node list_node(const ValuePtr& list, const View& view);
// Returns the slots of an S4 object, except left_out.
std::vector<Member> slot_members(const Value& object, const View& view,
                                 const std::vector<std::string>& left_out = {});
// Adds the node of value called name, if it holds data.
void add_member(std::vector<Member>& members, const std::string& name, const ValuePtr& value,
                const View& view);
// Adds the node of a matrix of genes by cells. A matrix that stores the position of each entry (a dgTMatrix,
// as from readMM(), or a symmetric or diagonal one) is shown as the dgCMatrix that R converts it to.
void add_assay_matrix(std::vector<Member>& members, const std::string& name, const ValuePtr& value,
                      const View& view);

// fields.cc: Returns the fields of an object that keeps them in an environment, as a list of the object's
// class; null for any other object.
ValuePtr fields_of(const Value& object);

// vectors.cc: vectors, factors, matrices and arrays.

// The elements of a vector with missing ones marked, as stored and as displayed. Both are the same except for
// factors, dates and times. Rank 1, whatever the vector's dimensions.
struct VectorMeaning {
  ArrayPtr stored;
  ArrayPtr shown;  // null: stored
  const ArrayPtr& as_text() const { return shown ? shown : stored; }
};
// Returns the stored elements with missing ones marked.
ArrayPtr with_missing_marked(const Value& vector);
VectorMeaning meaning_of(const Value& vector, const View& view);
Node vector_node(const ValuePtr& vector, const View& view);
// Returns the dimensions of a matrix or array; nullopt for other vectors. Throws damaged if they do not fit
// its length.
std::optional<Shape> dimensions_of(const Value& vector);
// Returns the names of a side (0 rows, 1 columns) in the attribute or slot called dimnames; null if it has
// none. Names that are not count are not used, which is logged.
ArrayPtr side_names(const Value& object, const char* dimnames, size_t side, uint64_t count, const View& view);
bool is_factor(const Value& value);
// Marks R's NA among doubles as missing.
void mark_missing_reals(Elements& reals);

// times.cc: POSIXlt.
bool is_broken_down(const Value& value);
struct BrokenDown {
  ArrayPtr instants;  // like those of a POSIXct; null: unknown
  std::string why;
};
// Returns the points in time of a POSIXlt. Requires: is_broken_down(times).
BrokenDown broken_down(const Value& times);

// frames.cc: data frames of every kind.
bool is_frame(const Value& value);
struct Frame {
  uint64_t rows = 0;
  ArrayPtr row_names;  // null = none
};
Node frame_node(const ValuePtr& frame, const View& view, const ArrayPtr& row_names = nullptr);
// Returns the row names of a frame; null if it has none.
ArrayPtr frame_row_names(const Value& frame);
uint64_t frame_rows(const Value& frame);
// Returns the list that holds the columns of a frame.
const Value& frame_columns(const Value& frame);
// Returns the columns for a table with that many rows.
std::vector<Column> columns_of(const Value& frame, uint64_t rows, const View& view);

// sparse.cc: the classes of the package Matrix.
bool is_sparse_matrix(const Value& value);
Node sparse_node(const ValuePtr& matrix, const View& view);
// Returns a dense matrix of that package as a matrix of R itself; null for any other value.
ValuePtr dense_matrix(const Value& value);
// Returns the rows and columns in the slot Dim; nullopt if it has no valid Dim.
std::optional<std::pair<uint64_t, uint64_t>> matrix_extent(const Value& matrix);

// ranges.cc
bool is_genomic_ranges(const Value& value);
// with_columns: whether to include the columns of metadata.
Node ranges_node(const ValuePtr& ranges, const View& view, bool with_columns);
// Shows lists of ranges (GRangesList) as one table of all ranges, each with the name of its group.
bool is_ranges_list(const Value& value);
Node ranges_list_node(const ValuePtr& list, const View& view);
// Returns the vector that an Rle represents; null for any other value. Throws damaged if its parts do not
// fit.
ValuePtr expanded_rle(const Value& value);

// hits.cc: pairs of elements of the packages S4Vectors (Hits) and SingleCellExperiment (DualSubset).
bool is_hits(const Value& value);
// Returns a table of the pairs: from, to, and their metadata.
Node hits_node(const ValuePtr& hits, const View& view);

// igraph.cc: graphs of the package igraph.
bool is_igraph(const Value& value);
// Returns a table of the edges: from, to, and the attributes of each; its directory has the table of the
// vertices and the attributes of the graph.
Node igraph_node(const ValuePtr& graph, const View& view);

// bpcells_object.cc: matrices and fragments of the package BPCells, in memory or in directories.
bool is_bpcells(const Value& value);
Node bpcells_node(const ValuePtr& object, const View& view);

// delayed.cc: matrices in HDF5 files.
bool is_delayed(const Value& value);
Node delayed_node(const ValuePtr& matrix, const View& view);
// Returns the location of a file on disk that an object names: at path if it is inside the store's folder,
// else under its last name beside the store. Throws damaged with the path if neither exists.
std::string named_location(const std::string& path, const Scope& scope);

// seurat.cc
bool is_seurat(const Value& value);
Node seurat_node(const ValuePtr& object, const View& view);

// seurat_image.cc: Returns the slots of an image of Seurat's as a directory. If the image has outlines of
// cells instead of a table, their centres are shown there as the table `coordinates`.
Node seurat_image_node(const ValuePtr& image, const View& view);

// spatial.cc: Adds the parts of a SpatialExperiment in the internal columns and metadata: the table or matrix
// spatial_coordinates, spatial_data, and images. columns: the names of the cells.
void add_spatial_parts(std::vector<Member>& members, const Value& object, const ArrayPtr& columns,
                       const View& view);
// Returns whether add_spatial_parts() shows the column of int_colData, or the item of int_metadata, of that
// name.
bool is_spatial_part(std::string_view name);

// experiment.cc
bool is_experiment(const Value& value);
// columns: the names of the cells of the enclosing experiment, if this one is an alternative experiment.
Node experiment_node(const ValuePtr& object, const View& view, const ArrayPtr& columns = nullptr);

}  // namespace plainfs::robject
