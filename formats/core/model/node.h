// The content of a store, with its meaning. Containers create raw nodes (groups and arrays), schemas give
// them meaning, and views show them. Groups are metadata only: listing one reads no data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/base/key_store.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/contents/variants.h"

namespace plainfs {

class Group;
using GroupPtr = std::shared_ptr<const Group>;

// A dense matrix that is also shown as a sparse one, in its own directory: matrix.mtx with the nonzero
// elements, and the names of its rows and columns as in SparseMatrix.
struct MatrixFiles {
  bool transposed = false;  // its rows are the array's columns
  ArrayPtr row_ids;
  ArrayPtr row_names;
  ArrayPtr column_names;
  // The group that contains the array, for callers that look up other row metadata; null = unknown.
  GroupPtr place{};
};

// An array with optional names for its rows and columns. Row and column are the first and second axis as
// users see them (column_major() considered). A list of names is null, or text with one name for each row or
// column. A schema warns about names of another length and drops them.
struct LabelledArray {
  ArrayPtr values;
  ArrayPtr row_names;
  ArrayPtr column_names;
  // The labels of stored codes, which the .csv shows instead of values; of the same shape, but for the text
  // of a matrix of characters, which has no axis along a text. Null = values.
  ArrayPtr labels{};
  // Requires, if set: values is of rank 2.
  std::optional<MatrixFiles> matrix{};
  // For an array of rank 2 without `matrix`: its rows are genes, its columns cells.
  bool is_genes_by_cells = false;
  bool is_of_directory = false;  // the array that the directory around it stands for
};

// Returns the array with its meaning: with labels instead of stored codes, and missing values marked.
inline LabelledArray labelled_values(LabelledArray array) {
  if (array.labels) array.values = std::exchange(array.labels, nullptr);
  return array;
}

struct Column {
  std::string name;
  ArrayPtr values;  // rank 1 and `rows` long; a compound is shown as one column per member
};
// Returns the first column called name, or null; column_values() returns its values.
const Column* find_column(const std::vector<Column>& columns, std::string_view name);
Column* find_column(std::vector<Column>& columns, std::string_view name);
ArrayPtr column_values(const std::vector<Column>& columns, std::string_view name);

struct Table {
  uint64_t rows = 0;
  ArrayPtr row_names;  // null = none
  std::vector<Column> columns;
  std::string index_name{};  // the name of the row names, if the format has one for them
};

// The treatment of missing values in matrix.mtx, which cannot represent them.
enum class MissingEntries { shown_as_na, shown_as_nan, refused };

struct CoordinateMatrix;

// Compressed sparse rows or columns. pointer: major + 1 values, the first 0. index: minor positions, 0-based.
// The view that uses the parts checks that they are consistent, so that the raw parts stay readable.
struct SparseMatrix {
  uint64_t rows = 0;
  uint64_t columns = 0;
  bool by_row = false;  // pointer runs over rows
  ArrayPtr value;
  ArrayPtr index;
  ArrayPtr pointer;
  ArrayPtr row_names;     // null = unknown
  ArrayPtr column_names;  // null = unknown
  // The text before the row names in genes.tsv, of the same length; null = the names themselves.
  ArrayPtr row_ids;
  // Set if the schema knows that the matrix cannot be shown. Everything else stays readable.
  std::optional<Error> error;
  // The values are real numbers, even if they are stored as integers.
  bool is_real = false;
  MissingEntries missing = MissingEntries::shown_as_na;
  // Called when a pass over all entries finds indices that do not rise within a row or column, possibly
  // several times. Thread-safe. Null: passes need not check.
  std::function<void()> on_unsorted_index = nullptr;
  // Set instead of value, index and pointer if only a pass can determine the number of entries. Returns these
  // three; its other members are ignored. Thread-safe. Throws what reading throws.
  std::function<SparseMatrix()> evaluate = nullptr;
  // The entries in the order in which they are stored, which matrix.mtx shows. Null: that of this matrix.
  std::shared_ptr<const CoordinateMatrix> as_stored = nullptr;

  // Returns the number of rows if pointer runs over rows, else that of columns.
  uint64_t majors() const { return by_row ? rows : columns; }
  // Returns the number of the others: indices are below it.
  uint64_t minors() const { return by_row ? columns : rows; }
  // Returns "row" or "column", for messages.
  const char* major_word() const { return by_row ? "row" : "column"; }
  const char* minor_word() const { return by_row ? "column" : "row"; }
};

// Returns the matrix with its value, index and pointer. May read all of it.
SparseMatrix evaluated(SparseMatrix matrix);
// Returns the parts with rows and columns exchanged.
SparseMatrix transposed(SparseMatrix matrix);

// A sparse matrix with the row and column of each entry: the edges of a graph.
struct CoordinateMatrix {
  uint64_t rows = 0;
  uint64_t columns = 0;
  ArrayPtr row;     // 0-based, one per entry
  ArrayPtr column;  // like row
  ArrayPtr value;
  ArrayPtr row_names;     // null = unknown
  ArrayPtr column_names;  // null = unknown
  // The entries are those of the lower triangle and also represent the upper one.
  bool is_symmetric = false;
  // See SparseMatrix.
  bool is_real = false;
  MissingEntries missing = MissingEntries::shown_as_na;
};

// Genomic fragments by chromosome: those of chromosome c begin at chr_pointer[2c] and end before
// chr_pointer[2c + 1].
struct Fragments {
  ArrayPtr cell;         // index into cell_names
  ArrayPtr start;        // 0-based
  ArrayPtr end;          // exclusive
  ArrayPtr chr_pointer;  // 2 * chromosomes
  ArrayPtr cell_names;
  ArrayPtr chr_names;
  std::optional<Error> error;  // see SparseMatrix
  // Set if only a pass can determine the fragments. Returns them, with these names. See SparseMatrix.
  std::function<Fragments()> evaluate = nullptr;
};

// Ranges on the sequences of a genome. Each list has one element per range.
struct GenomicRanges {
  ArrayPtr sequence_names;  // sequence is an index into these
  ArrayPtr sequence;
  ArrayPtr start;  // 1-based
  ArrayPtr width;
  ArrayPtr strand;             // 1, -1, or 0 for either
  ArrayPtr names;              // null = none
  std::optional<Error> error;  // see SparseMatrix
};

// The sequences of a genome and their lengths.
struct SequenceLengths {
  ArrayPtr names;
  ArrayPtr lengths;            // of the same length as names; missing = unknown
  std::optional<Error> error;  // see SparseMatrix
};

// How to show one channel of an image, from the metadata.
struct ImageChannel {
  std::string name;                                   // empty = none
  std::optional<uint32_t> color;                      // 0xRRGGBB
  std::optional<std::pair<double, double>> window{};  // the values shown as black and at full strength
  bool is_active = true;
};

// An axis of an image. step: from one element of the largest level to the next, in units; unknown if null.
struct ImageAxis {
  char name;         // t, c, z, y or x
  std::string unit;  // as stored, "micrometer"; empty = none
  std::optional<double> step;
};

struct ImageLevel {
  std::vector<std::string> path;  // from the image's group
  ArrayPtr values;                // one axis per axis of the image, not column-major
};

// An image of planes of pixels, in several sizes.
struct Image {
  std::string name;                // empty = none
  std::string format;              // "OME-Zarr 0.4"
  std::vector<ImageAxis> axes;     // a subset of t, c, z, y, x in this order; includes y and x
  std::vector<ImageLevel> levels;  // the largest first; same type, same axes except y and x, which never grow
  std::vector<ImageChannel> channels;  // as many as the axis c is long, or none
  bool is_labels = false;              // a pixel is the number of the object it belongs to
  std::optional<Error> error{};        // see SparseMatrix; there may then be no level
};

// A link as stored, not resolved.
struct Link {
  // The file of another store relative to this store's own folder ("../other.zarr", "/data/x.h5"); empty =
  // this store.
  std::string source;
  // Names from the root of the target store, one entry per component, as stored (not encoded). ".." remains
  // only if a relative link leads above the root.
  std::vector<std::string> path;
  // The link's own text, for a dangling link.
  std::string text;
  // The text is shown unchanged: a symbolic link of the host, in a mirrored folder.
  bool verbatim = false;
  // The single view of its target that is linked, ".csv"; empty: all of them, and its directory.
  std::string only{};
};

// A file that is shown unchanged, under its own name.
struct PlainFile {
  std::string path;  // on disk
  // If set: opens the file's bytes, if they are not those at `path` (an inflated .json.gz, a member of a zip
  // archive). Throws Error.
  std::function<ValuePtr()> open = nullptr;
  std::optional<Error> error{};  // of a file that may or may not be a store
  // The reason why a file that looks like a store by its name or first bytes is not one.
  std::optional<Error> no_store{};
  bool is_table = false;  // the table that it holds is shown beside it
};

// A member without a value. Only its attributes are shown.
struct Nothing {};

using AnyContent =
    std::variant<std::monostate, LabelledArray, Table, SparseMatrix, CoordinateMatrix, Fragments,
                 GenomicRanges, SequenceLengths, Variants, Image, Link, PlainFile, Nothing, Error>;

// The content of a node. Its copies, moves and end are compiled once, in node.cc: as a variant's own they
// were a tenth of the program.
struct Content : AnyContent {
  using AnyContent::AnyContent;
  Content();
  Content(const Content&);
  Content(Content&&) noexcept;
  Content& operator=(const Content&);
  Content& operator=(Content&&) noexcept;
  ~Content();
};

// The role of a node in its store, as far as its schema knows it, in the order of usefulness.
enum class Role : uint8_t {
  main_table,   // of what the store describes: cells, variants, units
  main_matrix,  // of an annotated store
  counts,       // a matrix of counts beside other matrices
  raw_matrix,   // a matrix of all genes, of which the main one has a part
  embedding,    // places of the cells in a plane or a space
  level,        // the cells of one level of a column
  data,         // a variable of a dataset
  none,
  coordinate,  // a variable that describes others: an axis, bounds, a grid mapping
};

struct Node {
  Content content{};
  GroupPtr parts = nullptr;  // the content of the directory NAME/; null = no directory
  // Reads the attributes; null = none. Need not be set for a group or an array that stands for itself.
  std::function<Attributes()> attributes = nullptr;
  // The path on disk of a store that begins here (in a mirrored folder). It is opened when it is first
  // entered. The rest of the node is shown if that fails.
  std::string store{};
  Role role = Role::none;
};

struct Member {
  std::string name;  // as stored: any bytes
  Node node;
};

// A group of a store. Immutable and thread-safe. A child keeps its parents alive, never the other way round.
class Group : public std::enable_shared_from_this<Group> {
 public:
  virtual ~Group() = default;
  // Returns every member, in the order to list. A member that cannot be opened has content Error. Throws if
  // the group itself cannot be read.
  virtual std::vector<Member> members() const = 0;
  // Returns one member, or nullopt. The default searches members().
  virtual std::optional<Node> find(std::string_view name) const;
  // Returns a file or a folder of files that members() cannot know, by its name, or nullopt. Requires: no
  // member has the name. May ask a server, and throws its errors.
  virtual std::optional<Node> find_unlisted(std::string_view /*name*/) const { return std::nullopt; }
  virtual Attributes attributes() const { return {}; }
  // Returns the enclosing group, null at the root.
  virtual GroupPtr parent() const = 0;
  // Returns the path from the store's root: "/", "/assays/RNA". For messages, and for rules that depend on
  // the place.
  virtual std::string path() const = 0;
};

// A group with unknown members, because something needed to determine them could not be read.
class BrokenGroup : public Group {
 public:
  BrokenGroup(GroupPtr parent, std::string path, Error error)
      : parent_(std::move(parent)), path_(std::move(path)), error_(std::move(error)) {}

  const Error& error() const { return error_; }
  std::vector<Member> members() const override { throw error_; }
  std::optional<Node> find(std::string_view) const override { throw error_; }
  Attributes attributes() const override { throw error_; }
  GroupPtr parent() const override { return parent_; }
  std::string path() const override { return path_; }

 private:
  const GroupPtr parent_;
  const std::string path_;
  const Error error_;
};

// Returns whether the node is a group without a value of its own, of which the members are known.
inline bool is_plain_group(const Node& node) {
  return node.parts && std::holds_alternative<std::monostate>(node.content) &&
         !dynamic_cast<const BrokenGroup*>(node.parts.get());
}

// Returns the array of a member, or null if it is not an array. Throws if its content is an Error.
ArrayPtr array_of(const Node& node);
// Returns the member of `group` as an array, or null if it is absent or not an array. Throws if it is an
// Error.
ArrayPtr find_array(const Group& group, std::string_view name);
// Returns the parts of the member of `group`, or null. Throws if it has no parts because it is an Error.
GroupPtr find_group(const Group& group, std::string_view name);
// Returns the member at a path of names from `group`, or nullopt. Links within the store are followed on the
// way and at its end. Throws if a group on the way cannot be read.
std::optional<Node> find_path(const Group& group, std::span<const std::string> path);
// Returns the attributes of a node: node.attributes, else the group's or the array's.
Attributes attributes_of(const Node& node);

}  // namespace plainfs
