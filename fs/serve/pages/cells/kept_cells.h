// The annotated matrices shown on pages, kept between requests. Finding one opens every column of its tables,
// and a matrix stored by cells has its genes sorted once (formats/core/sparse/matrix_lines.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "cache/lazy.h"
#include "cache/mutex.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/core/sparse/matrix_lines.h"
#include "fs/filesystem.h"
#include "fs/serve/plots/plot.h"
#include "fs/views/parts/part_names.h"

namespace plainfs::serve {

// An annotated matrix with its genes by name. Const and thread-safe. Owned by a shared_ptr.
class PageCells : public std::enable_shared_from_this<PageCells> {
 public:
  // meaning: the directory in which `found` was found. Throws what found.make() throws, and damaged if obs
  // has no row for each cell.
  PageCells(OpenMeaning meaning, const FoundAnnotatedMatrix& found);

  const AnnotatedMatrix& matrix() const { return matrix_; }
  // Returns the directory in which the matrix was found.
  const Node& directory() const { return meaning_.what.node; }
  bool has_genes() const { return genes_ != nullptr; }
  // Requires: has_genes(). Throws the errors of reading the names.
  std::shared_ptr<const PartNames> genes() const { return genes_->get(); }
  // Begins to sort the matrix, in the background, so that genes are read without a pass over it, unless it
  // has more entries than that. Requires: has_genes().
  void sort_ahead(uint64_t most_entries) const;
  // Returns the values of a gene, one per cell, NaN if missing. The first call sorts ahead for later ones,
  // however many entries there are. Requires: has_genes(), gene < genes()->count(). Throws damaged if X has
  // another number of cells.
  std::vector<double> values(uint64_t gene) const;
  // Returns genes to suggest: highly variable ones if they are known, else the first.
  const std::vector<std::string>& first_genes() const;
  // Returns the lines about the parts that the .h5ad of the matrix leaves out. Reads no values.
  const std::vector<std::string>& left_out() const;
  // Returns the slides that have a picture with a known scale. Throws the errors of reading them.
  const std::vector<Slide>& slides() const;
  // Returns the picture of a slide. Keeps the last few. Throws like backdrop_of(). Requires: it is one of
  // slides().
  std::shared_ptr<const Backdrop> backdrop(const Slide& slide) const;

 private:
  const MatrixLinesPtr& lines() const;
  std::vector<std::string> find_first_genes() const;

  const OpenMeaning meaning_;
  const std::string name_;  // FoundAnnotatedMatrix::name
  const AnnotatedMatrix matrix_;
  std::unique_ptr<PartNameList> genes_;  // null: the matrix has no values, or its genes have no names
  Lazy<MatrixLinesPtr> lines_;
  mutable std::atomic<uint64_t> most_sorted_ahead_{0};  // entries; relaxed: only speed depends on it
  Lazy<std::vector<std::string>> first_genes_, left_out_;
  Lazy<std::vector<Slide>> slides_;

  struct KeptBackdrop {
    const Slide* slide;
    std::shared_ptr<const Backdrop> picture;
  };
  mutable Mutex backdrops_mutex_;
  mutable std::list<KeptBackdrop> backdrops_ GUARDED_BY(backdrops_mutex_);  // the most recently used first
};
using PageCellsPtr = std::shared_ptr<const PageCells>;

// A cache of annotated matrices. Thread-safe.
class KeptCells {
 public:
  // Returns the annotated matrix of a directory, or null if it has none. Throws the errors of reading it. A
  // matrix from before the store was reopened is not used.
  PageCellsPtr of(Filesystem& filesystem, Inode directory);

 private:
  struct Kept {
    const Filesystem* filesystem;
    std::string path;
    uint64_t opening;
    PageCellsPtr cells;
  };

  Mutex mutex_;
  std::list<Kept> kept_ GUARDED_BY(mutex_);  // the most recently used first
};

}  // namespace plainfs::serve
