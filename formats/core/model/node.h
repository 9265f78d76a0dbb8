// What a store holds, with its meaning. Containers make raw nodes (groups and arrays), schemas give them
// meaning, views show it. Groups are metadata only: listing one reads no data.
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
#include "formats/core/model/array.h"
#include "formats/core/model/variants.h"

namespace plainfs {

class Group;
using GroupPtr = std::shared_ptr<const Group>;

// How a dense matrix is also shown as a sparse one, in a directory of its own: matrix.mtx with the elements
// that are not zero, and the names of its rows and columns as SparseMatrix has them.
struct MatrixFiles {
  bool transposed = false;  // its rows are the array's columns
  ArrayPtr row_ids;
  ArrayPtr row_names;
  ArrayPtr column_names;
  // Where the array stands, for who looks up what else is said of its rows; null = not known.
  GroupPtr place{};
};

// An array whose rows and columns may have names. Row and column are the first and second axis as users see
// them (column_major() considered), each name list null or text of that length (a length that does not fit
// is the schema's to warn of and to drop).
struct LabelledArray {
  ArrayPtr values;
  ArrayPtr row_names;
  ArrayPtr column_names;
  // What the .csv shows instead of values, of the same shape: the labels of stored codes. Null = values.
  ArrayPtr labels{};
  // Requires where set: values is of rank 2.
  std::optional<MatrixFiles> matrix{};
  // Of an array of rank 2 without them: its rows are genes, its columns cells.
  bool is_genes_by_cells = false;
};

// The array as it is meant, where that is more than what is stored: with labels in place of stored codes, and
// what is missing marked so.
inline LabelledArray as_meant(LabelledArray array) {
  if (array.labels) array.values = std::exchange(array.labels, nullptr);
  return array;
}

struct Column {
  std::string name;
  ArrayPtr values;  // rank 1 and `rows` long; a compound is shown as one column a member
};
struct Table {
  uint64_t rows = 0;
  ArrayPtr row_names;  // null = none
  std::vector<Column> columns;
};

// What matrix.mtx does with a missing value, for which the format has no word.
enum class MissingEntries { shown_as_na, shown_as_nan, refused };

// Compressed sparse rows or columns. pointer: major + 1 values, the first 0; index: minor positions, 0-based.
// Whether they fit together is checked by the view that uses them, so that the raw parts stay readable.
struct SparseMatrix {
  uint64_t rows = 0;
  uint64_t columns = 0;
  bool by_row = false;  // pointer runs over rows
  ArrayPtr value;
  ArrayPtr index;
  ArrayPtr pointer;
  ArrayPtr row_names;     // null = unknown
  ArrayPtr column_names;  // null = unknown
  // What stands before the row names in genes.tsv, as many; null = the names themselves.
  ArrayPtr row_ids;
  // Set where the schema knows that the matrix cannot be shown; everything else stays readable.
  std::optional<Error> error;
  // The values are real numbers, though whole ones may be stored.
  bool is_real = false;
  MissingEntries missing = MissingEntries::shown_as_na;
  // Called where a pass over all entries finds indices that do not rise within a row or column, maybe more
  // than once; thread-safe. Null: no pass need look.
  std::function<void()> on_falling_index = nullptr;
  // Set instead of value, index and pointer where it takes a pass to know how many entries there are: gives
  // these three, and nothing else that counts. Thread-safe; throws what reading throws.
  std::function<SparseMatrix()> evaluate = nullptr;
};

// The matrix with its value, index and pointer; may read all of it.
SparseMatrix evaluated(SparseMatrix matrix);
// The same parts with rows and columns in each other's place.
SparseMatrix transposed(SparseMatrix matrix);

// A sparse matrix whose entries each say where they stand: the edges of a graph.
struct CoordinateMatrix {
  uint64_t rows = 0;
  uint64_t columns = 0;
  ArrayPtr row;     // 0-based, an entry each
  ArrayPtr column;  // as row
  ArrayPtr value;
  ArrayPtr row_names;     // null = unknown
  ArrayPtr column_names;  // null = unknown
  // The entries are those of the lower triangle, and stand for the upper one too.
  bool is_symmetric = false;
  // As in SparseMatrix.
  bool is_real = false;
  MissingEntries missing = MissingEntries::shown_as_na;
};

// Genomic fragments, chromosome by chromosome: those of chromosome c begin at chr_pointer[2c] and end before
// chr_pointer[2c + 1].
struct Fragments {
  ArrayPtr cell;         // index into cell_names
  ArrayPtr start;        // 0-based
  ArrayPtr end;          // exclusive
  ArrayPtr chr_pointer;  // 2 * chromosomes
  ArrayPtr cell_names;
  ArrayPtr chr_names;
  std::optional<Error> error;  // as in SparseMatrix
  // Set where it takes a pass to know which fragments there are: gives them, with these names. As in
  // SparseMatrix.
  std::function<Fragments()> evaluate = nullptr;
};

// Ranges on the sequences of a genome; each list has an element a range.
struct GenomicRanges {
  ArrayPtr sequence_names;  // what sequence is an index into
  ArrayPtr sequence;
  ArrayPtr start;  // 1-based
  ArrayPtr width;
  ArrayPtr strand;             // 1, -1, or 0 for either
  ArrayPtr names;              // null = none
  std::optional<Error> error;  // as in SparseMatrix
};

// The sequences of a genome and how long they are.
struct SequenceLengths {
  ArrayPtr names;
  ArrayPtr lengths;            // as many; missing = unknown
  std::optional<Error> error;  // as in SparseMatrix
};

// What the metadata say of how one channel of an image is shown.
struct ImageChannel {
  std::string name;                                   // empty = none
  std::optional<uint32_t> color;                      // 0xRRGGBB
  std::optional<std::pair<double, double>> window{};  // the values that are shown black and at full strength
  bool is_active = true;
};

// An axis of an image. step: from one element of the largest level to the next, in units; unknown where null.
struct ImageAxis {
  char name;         // t, c, z, y or x
  std::string unit;  // as stored, "micrometer"; empty = none
  std::optional<double> step;
};

struct ImageLevel {
  std::vector<std::string> path;  // from the image's group
  ArrayPtr values;                // an axis of the image each, not column-major
};

// An image of planes of pixels, in several sizes.
struct Image {
  std::string name;             // empty = none
  std::string format;           // "OME-Zarr 0.4"
  std::vector<ImageAxis> axes;  // t, c, z, y, x in this order, those that there are; y and x are
  std::vector<ImageLevel>
      levels;  // the largest first; alike in type and in all axes but y and x, which never grow
  std::vector<ImageChannel> channels;  // as many as the axis c is long, or none
  bool is_labels = false;              // a pixel is the number of what it belongs to
  std::optional<Error> error{};        // as in SparseMatrix; there may be no level then
};

// A link as the store has it, not resolved.
struct Link {
  // The file of another store relative to this store's own folder ("../other.zarr", "/data/x.h5"); empty =
  // this store.
  std::string source;
  // Names from the root of the store it points into, one entry a component, as stored (not encoded); ".."
  // kept only where a relative link leads above the root.
  std::vector<std::string> path;
  // The link's own text, for a link that leads nowhere.
  std::string text;
  // The text is shown as it is: a symbolic link of the host, in a mirrored folder.
  bool verbatim = false;
  // The one view of its target that is linked, ".csv"; empty: all of them, and its directory.
  std::string only{};
};

// A file that is shown as it is, under its own name.
struct PlainFile {
  std::string path;  // on disk
  // Where set: opens the file's bytes, which do not stand at path as they are (an inflated .json.gz, a member
  // of a zip archive). Throws Error.
  std::function<ValuePtr()> open = nullptr;
  std::optional<Error> error{};     // of one of which it is not known whether it is a store
  std::optional<Error> no_store{};  // why it is none, of one that should be by its name or its first bytes
};

// A member that stands for no value: it has attributes, and nothing of it is shown but these.
struct Nothing {};

using Content =
    std::variant<std::monostate, LabelledArray, Table, SparseMatrix, CoordinateMatrix, Fragments,
                 GenomicRanges, SequenceLengths, Variants, Image, Link, PlainFile, Nothing, Error>;

struct Node {
  Content content{};
  GroupPtr parts = nullptr;  // what the directory NAME/ lists; null = no directory
  // Reads the attributes; null = none. Those of a group or an array that stands for itself need not be set.
  std::function<Attributes()> attributes = nullptr;
  // Where a store of its own begins (in a mirrored folder): its path on disk. It is opened when it is first
  // entered; the rest of the node is what is shown if that fails.
  std::string store{};
};

struct Member {
  std::string name;  // as stored: any bytes
  Node node;
};

// Immutable and thread-safe. A child keeps its parents alive, never the other way round.
class Group : public std::enable_shared_from_this<Group> {
 public:
  virtual ~Group() = default;
  // Every member, in the order to list. A member that cannot be opened has content Error. Throws where the
  // group itself cannot be read.
  virtual std::vector<Member> members() const = 0;
  // One member, or nullopt. The default searches members().
  virtual std::optional<Node> find(std::string_view name) const;
  // A file or a folder of files of that name of which members() cannot know, or nullopt. For a name that is
  // no member's: may ask a server, and throws what that throws.
  virtual std::optional<Node> find_unlisted(std::string_view /*name*/) const { return std::nullopt; }
  virtual Attributes attributes() const { return {}; }
  // The enclosing group, null at the root.
  virtual GroupPtr parent() const = 0;
  // From the store's root: "/", "/assays/RNA". For messages and for rules that depend on the place.
  virtual std::string path() const = 0;
};

// A group of which no member is known, because something that was needed to tell them could not be read.
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

// The array of a member: null where it is none. Throws where its content is an Error.
ArrayPtr array_of(const Node& node);
// group's member as an array, or null where there is none or it is something else. Throws where it is an
// Error.
ArrayPtr find_array(const Group& group, std::string_view name);
// The parts of group's member, or null. Throws where it has none because it is an Error.
GroupPtr find_group(const Group& group, std::string_view name);
// The member at a path of names from group on, links of the store itself followed on the way and at its end;
// nullopt where there is none. Throws where a group on the way cannot be read.
std::optional<Node> find_path(const Group& group, std::span<const std::string> path);
// The attributes of a node wherever they stand: node.attributes, else the group's or the array's.
Attributes attributes_of(const Node& node);

}  // namespace plainfs
