// The annotated matrices shown on pages, kept between requests. Finding one opens every column of its tables,
// and a matrix stored by cells has its genes sorted once (formats/core/sparse/matrix_lines.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/lazy.h"
#include "cache/mutex.h"
#include "cache/recent.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/sparse/matrix_lines.h"
#include "fs/filesystem.h"
#include "fs/serve/pages/cells/stored_markers.h"
#include "fs/serve/plots/plot.h"
#include "fs/views/parts/part_names.h"

namespace plainfs::serve {

// A matrix of values of an annotated matrix, with its genes by name.
class GeneMatrix {
 public:
  enum class Kind : uint8_t { x, raw, layer };

  // name: "X", "raw", "layers/counts", or the assay of an experiment. content: outlives this object.
  GeneMatrix(Kind kind, std::string name, const Content& content, std::shared_ptr<const PartNameList> genes)
      : kind_(kind), name_(std::move(name)), content_(content), genes_(std::move(genes)) {}

  Kind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  // Throws the errors of reading the names.
  std::shared_ptr<const PartNames> genes() const { return genes_->get(); }

 private:
  friend class PageCells;

  const Kind kind_;
  const std::string name_;
  const Content& content_;
  const std::shared_ptr<const PartNameList> genes_;
  Lazy<MatrixLinesPtr> lines_;
  mutable std::atomic<uint64_t> max_sorted_ahead_{0};  // entries; relaxed: only speed depends on it
};

// The slides of cells that have a picture with a known scale.
struct SlidesFound {
  std::vector<Slide> slides;
  std::vector<std::vector<std::string>> outlines{};  // for each slide: outline_names()
  std::vector<std::string> left_out{};               // sentences about what is not shown
};

struct Markers;
using MarkersPtr = std::shared_ptr<const Markers>;

// An annotated matrix with its genes by name. Const and thread-safe. Owned by a shared_ptr.
class PageCells : public std::enable_shared_from_this<PageCells> {
 public:
  // meaning: the directory in which `found` was found. Throws what found.make() throws, and damaged if obs
  // has no row for each cell.
  // chosen_from: see below.
  PageCells(OpenMeaning meaning, const FoundAnnotatedMatrix& found,
            std::optional<uint64_t> chosen_from = std::nullopt);

  const AnnotatedMatrix& matrix() const { return matrix_; }
  // Returns the directory in which the matrix was found.
  const Node& directory() const { return meaning_.what.node; }
  bool has_genes() const { return !matrices_.empty(); }
  // Returns the matrices that have values and names of genes: X, raw, and the layers.
  const std::vector<std::unique_ptr<const GeneMatrix>>& matrices() const { return matrices_; }
  // Returns the matrix of that name, or null.
  const GeneMatrix* matrix_of(std::string_view name) const;
  // Returns the matrices to search for a gene, in the order of scanpy's plots: raw, X, and if there is no X
  // the first layer.
  std::vector<const GeneMatrix*> searched() const;
  // Begins to sort the matrix, in the background, so that genes are read without a pass over it, unless it
  // has more entries than that.
  void sort_ahead(const GeneMatrix& matrix, uint64_t max_entries) const;
  // Returns the genes of a matrix as lines of all cells. Throws damaged if the matrix has another number of
  // cells or fewer genes, and unsupported if it has too many cells.
  const MatrixLines& lines_of(const GeneMatrix& matrix) const;
  // Returns the values of a gene, one per cell, NaN if missing. The first call sorts ahead for later ones,
  // however many entries there are. Requires: gene < matrix.genes()->count(). Throws like lines_of().
  std::vector<double> values(const GeneMatrix& matrix, uint64_t gene) const;
  // Returns the values of genes [first, first + count), one gene after another. Throws like values().
  std::vector<double> values_of(const GeneMatrix& matrix, uint64_t first, uint64_t count) const;
  // Sorts the matrix by genes, if that makes them faster to read. Throws unsupported if there is no room for
  // it, so that each gene would take a pass over the matrix.
  void sort(const GeneMatrix& matrix) const;
  // Returns the markers of that key if they are among the last few that were kept, else null.
  MarkersPtr kept_markers(const std::string& key) const;
  void keep_markers(const std::string& key, MarkersPtr markers) const;
  Workers& workers() const { return meaning_.what.context->workers; }
  // Returns the number of all cells of the store if these are some of them.
  std::optional<uint64_t> chosen_from() const { return chosen_from_; }
  // Returns the markers in uns.
  const StoredMarkersFound& stored_markers() const;
  // Returns genes to suggest: highly variable ones if they are known, else the first.
  const std::vector<std::string>& first_genes() const;
  // Returns the lines about the parts that the .h5ad of the matrix leaves out. Reads no values.
  const std::vector<std::string>& left_out() const;
  // Throws the errors of reading the slides.
  const SlidesFound& slides() const;
  // Returns the slides, or null if slides() was not called. Reads nothing.
  const SlidesFound* known_slides() const { return slides_.known(); }
  // Returns whether the picture of a slide is kept, or that of outlines over it. Requires: it is one of
  // slides().slides.
  bool keeps_picture(const Slide& slide, const std::string& outlines = {}) const;
  // Returns the picture of a slide, made once for all requests. Keeps the last few. Throws like
  // backdrop_of(). Requires: it is one of slides().slides.
  std::shared_ptr<const Backdrop> backdrop(const Slide& slide) const;
  // Returns outlines over the picture of a slide, like backdrop(). Throws like outlines_of().
  std::shared_ptr<const Backdrop> outlines(const Slide& slide, const std::string& name) const;

 private:
  const MatrixLinesPtr& lines(const GeneMatrix& matrix) const;
  void add_matrix(GeneMatrix::Kind kind, std::string name, const Content& content,
                  const std::shared_ptr<const PartNameList>& genes);
  std::shared_ptr<const PartNameList> genes_of(const Table& var) const;
  std::vector<std::string> find_first_genes() const;

  const OpenMeaning meaning_;
  const std::string name_;  // FoundAnnotatedMatrix::name
  const AnnotatedMatrix matrix_;
  const std::optional<uint64_t> chosen_from_;
  std::vector<std::unique_ptr<const GeneMatrix>> matrices_;
  Lazy<std::vector<std::string>> first_genes_, left_out_;
  Lazy<SlidesFound> slides_;
  Lazy<StoredMarkersFound> stored_markers_;

  mutable Mutex markers_mutex_;
  mutable Recent<std::string, MarkersPtr> markers_ GUARDED_BY(markers_mutex_){8};
  using SlidePicture = std::pair<const Slide*, std::string>;  // a slide, and the outlines over it
  std::shared_ptr<const Backdrop> picture(SlidePicture key, const std::function<Backdrop()>& make) const;

  mutable Mutex backdrops_mutex_;
  mutable Recent<SlidePicture, std::shared_ptr<const Lazy<Backdrop>>> backdrops_ GUARDED_BY(backdrops_mutex_){
      4};  // up to 2 MiB each
};
using PageCellsPtr = std::shared_ptr<const PageCells>;

// A cache of annotated matrices. Thread-safe.
class KeptCells {
 public:
  // Returns the annotated matrix of a directory, or null if it has none. Throws the errors of reading it. A
  // matrix from before the store was reopened is not used.
  PageCellsPtr of(Filesystem& filesystem, Inode directory) {
    return some_of(filesystem, directory, {}, nullptr);
  }
  // Returns some of its cells, in ascending order. key: differs between choices; empty: all cells.
  PageCellsPtr some_of(Filesystem& filesystem, Inode directory, const std::string& key, const Indices& cells);

 private:
  struct Key {
    const Filesystem* filesystem;
    std::string path;
    std::string choice;
    uint64_t opening;
    bool operator==(const Key&) const = default;
  };

  Mutex mutex_;
  Recent<Key, PageCellsPtr> kept_ GUARDED_BY(mutex_){8};
};

}  // namespace plainfs::serve
