// The elements of an AnnData: data frames, lists of values, and unstructured data.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "formats/annotated/left_out.h"
#include "fs/views/anndata/anndata_parts.h"

namespace plainfs {

AnnDataAttributes anndata_encoding(const std::string& type, const std::string& version);

// The parts of a store that one file takes, and the lines about the others. Copies share them. report() is
// called once; what is refused later (when an element of a directory is first read) is logged at once.
class LeftOutLines {
 public:
  // file: what the lines call the file.
  LeftOutLines(OriginsPtr origins, std::string file, Context& context)
      : shared_(std::make_shared<Shared>(std::move(origins), std::move(file), context)) {}

  Context& context() const { return shared_->context; }
  const std::string& file() const { return shared_->file; }
  void take(const std::string& place) const { shared_->taken.take(place); }
  void refuse(const std::string& place, const std::string& why) const;
  // Logs a change to the part of the store at a place: "/misc/when: a time, which is text in the .h5ad".
  void note(const std::string& place, const std::string& what) const;
  void report() const;
  // Reports the parts that neither this matrix nor the others of the same file take, once.
  void report_with(const std::vector<LeftOutLines>& others) const;

 private:
  struct Shared {
    Shared(OriginsPtr origins, std::string name, Context& its)
        : taken(std::move(origins)), file(std::move(name)), context(its) {}
    TakenParts taken;
    const std::string file;
    Context& context;
    std::atomic<bool> is_reported{false};
  };
  const std::shared_ptr<Shared> shared_;
};

// Puts a part that the file cannot do without. Throws the reason if `out` cannot hold it.
void put_needed(const std::string& path, AnnDataLayout::Put put, const LeftOutLines& lines,
                AnnDataLayout& out);
// Returns whether `out` can hold the part; otherwise it is left out.
bool put_if_held(const std::string& path, AnnDataLayout::Put put, const LeftOutLines& lines,
                 AnnDataLayout& out);

// Does the same for unstructured data, of which the values decide it.
bool put_value_if_held(const std::string& path, AnnDataLayout::Put put, const LeftOutLines& lines,
                       AnnDataLayout& out);

// Puts one list of values in the encoding that holds its levels and its missing values.
void put_column(const std::string& path, const ArrayPtr& values, Context& context, AnnDataLayout& out);

// Puts the group `path` with the columns and the index. Rows without names are counted from 0. anndata has no
// columns of compounds, so their members become columns.
void put_frame(const std::string& path, const Table& table, const LeftOutLines& lines, AnnDataLayout& out);

// Puts a sparse matrix of any size.
void put_sparse(const std::string& path, const SparseMatrix& matrix, const LeftOutLines& lines,
                AnnDataLayout& out);

// Puts values of any kind and groups of them: unstructured data. Throws unsupported if AnnData has no
// encoding for the value; members of groups that have none are left out.
void put_tree(const std::string& path, const Node& node, const LeftOutLines& lines, AnnDataLayout& out);
// Puts an element of an AnnData as it is stored. Elements of anndata 0.6 and 0.7 get their current encoding.
void put_stored(const std::string& path, const Node& stored, const LeftOutLines& lines, AnnDataLayout& out);
// Puts the group uns with its members. Refuses members without a value at once. more: puts further members;
// may be null.
void put_uns(const AnnotatedMatrix& matrix, const AnnDataLayout::Put& more, const LeftOutLines& lines,
             AnnDataLayout& out);

// Puts an annotated matrix, without a report of the parts left out. See put_anndata(). root: the attributes
// of the group of the matrix.
void put_matrix(const AnnotatedMatrix& matrix, AnnDataAttributes root, const LeftOutLines& lines,
                AnnDataLayout& out);
// Puts what an annotated matrix has beside X, layers and raw.
void put_annotations(const AnnotatedMatrix& matrix, AnnDataAttributes root, const LeftOutLines& lines,
                     AnnDataLayout& out);

// Returns the names of items as unique names of members of a group.
std::vector<std::string> names_of_members(std::vector<std::string> names);

}  // namespace plainfs
