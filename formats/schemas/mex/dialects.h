// The files of sparse matrices in MatrixMarket, found by their names: a row of a table for each program that
// writes them. A prefix may stand before all names of a matrix ("GSM1_S1_"), as in GEO's records, and ".gz"
// after each. Facts and their sources: FORMAT.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plainfs::mex {

enum class Side { genes, cells };

// A matrix and the files that belong to it, as names within a folder.
struct MatrixFiles {
  std::string prefix;  // of the names; empty = none
  struct Matrix {
    std::string layer;  // "" for the matrix itself, "unspliced"
    std::string file;
  };
  std::vector<Matrix> matrices;  // not empty
  std::string genes;             // the file with the names of the genes; empty = none
  std::string gene_names;        // the file with the symbols, if `genes` has ids alone; empty = none
  std::string cells;
  std::string_view writer;        // "Cell Ranger", for people
  bool are_genes_in_rows = true;  // according to the names of the files
  bool are_tables = false;        // the names are tables with commas and a header

  // Returns the name of the directory that shows it in a mirrored folder: the prefix without its last
  // separator.
  std::string directory() const;
};

// Returns the matrices in a folder with these file names, by prefix. A file of genes without a matrix of its
// own prefix belongs to all matrices that have none; if there are several, none of them is used here, because
// the number of rows decides (shared_genes()). Only matrices with names of cells count.
std::vector<MatrixFiles> matrices_in(std::span<const std::string> names);

// Returns the files that belong to one matrix, whatever its name; names of genes and cells may be missing.
MatrixFiles files_of(const std::string& matrix, std::span<const std::string> names);

// Returns the files of genes without a matrix of their own prefix.
std::vector<std::string> shared_genes(std::span<const std::string> names);

// Returns the name without ".gz", ".bz2" or ".xz".
std::string_view without_compression(std::string_view name);

}  // namespace plainfs::mex
