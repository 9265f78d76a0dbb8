#include "formats/schemas/mex/dialects.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace plainfs::mex {
namespace {

struct NamedLayer {
  std::string_view file;
  std::string_view layer;  // "" = the matrix itself
};

struct Dialect {
  std::string_view writer;
  std::vector<NamedLayer> matrices;     // in the order of the layers
  std::vector<std::string_view> genes;  // alternatives
  std::vector<std::string_view> gene_names;
  std::vector<std::string_view> cells;
  bool are_genes_in_rows;
  bool are_tables;
};

const std::vector<Dialect> kDialects{
    {"Cell Ranger",
     {{"matrix.mtx", ""},
      {"UniqueAndMult-Uniform.mtx", "UniqueAndMult-Uniform"},
      {"UniqueAndMult-PropUnique.mtx", "UniqueAndMult-PropUnique"},
      {"UniqueAndMult-EM.mtx", "UniqueAndMult-EM"},
      {"UniqueAndMult-Rescue.mtx", "UniqueAndMult-Rescue"}},
     {"features.tsv", "genes.tsv"},
     {},
     {"barcodes.tsv"},
     true,
     false},
    {"STARsolo",
     {{"spliced.mtx", "spliced"}, {"unspliced.mtx", "unspliced"}, {"ambiguous.mtx", "ambiguous"}},
     {"features.tsv", "genes.tsv"},
     {},
     {"barcodes.tsv"},
     true,
     false},
    {"kallisto | bustools",
     {{"cells_x_genes.mtx", ""},
      {"cells_x_genes.mature.mtx", "mature"},
      {"cells_x_genes.nascent.mtx", "nascent"},
      {"cells_x_genes.ambiguous.mtx", "ambiguous"}},
     {"cells_x_genes.genes.txt"},
     {"cells_x_genes.genes.names.txt"},
     {"cells_x_genes.barcodes.txt"},
     false,
     false},
    {"kallisto | bustools",
     {{"genes.mtx", ""}},
     {"genes.genes.txt"},
     {"genes.genes.names.txt"},
     {"genes.barcodes.txt"},
     false,
     false},
    {"kallisto | bustools",
     {{"cells_x_tcc.mtx", ""}},
     {"cells_x_tcc.ec.txt"},
     {},
     {"cells_x_tcc.barcodes.txt"},
     false,
     false},
    {"alevin-fry",
     {{"quants_mat.mtx", ""}},
     {"quants_mat_cols.txt"},
     {},
     {"quants_mat_rows.txt"},
     false,
     false},
    {"Parse",
     {{"DGE.mtx", ""}, {"count_matrix.mtx", ""}},
     {"all_genes.csv"},
     {},
     {"cell_metadata.csv"},
     false,
     true},
};

// Returns the prefix of a name that ends in `ending`, compressed or not; nullopt unless the prefix is empty
// or ends in a separator.
std::optional<std::string> prefix_before(std::string_view name, std::string_view ending) {
  name = without_compression(name);
  if (!name.ends_with(ending)) return std::nullopt;
  const std::string_view prefix = name.substr(0, name.size() - ending.size());
  if (!prefix.empty() && std::string_view("_-.").find(prefix.back()) == std::string_view::npos)
    return std::nullopt;
  return std::string(prefix);
}

// The names in a folder.
class Names {
 public:
  explicit Names(std::span<const std::string> names) : names_(names.begin(), names.end()) {}

  // Returns the name that is stored, compressed or not; empty if it is absent.
  std::string find(const std::string& name) const {
    for (const char* further : {"", ".gz", ".bz2", ".xz"})
      if (names_.contains(name + further)) return name + further;
    return {};
  }
  std::string find_any(const std::string& prefix, const std::vector<std::string_view>& endings) const {
    for (const std::string_view ending : endings)
      if (std::string found = find(prefix + std::string(ending)); !found.empty()) return found;
    return {};
  }

 private:
  const std::set<std::string> names_;
};

MatrixFiles files_with(const Names& names, const Dialect& dialect, const std::string& prefix) {
  MatrixFiles files;
  files.prefix = prefix;
  files.writer = dialect.writer;
  files.are_genes_in_rows = dialect.are_genes_in_rows;
  files.are_tables = dialect.are_tables;
  for (const NamedLayer& matrix : dialect.matrices)
    if (std::string found = names.find(prefix + std::string(matrix.file)); !found.empty())
      files.matrices.push_back({std::string(matrix.layer), std::move(found)});
  files.genes = names.find_any(prefix, dialect.genes);
  files.gene_names = names.find_any(prefix, dialect.gene_names);
  files.cells = names.find_any(prefix, dialect.cells);
  return files;
}

}  // namespace

std::string_view without_compression(std::string_view name) {
  for (const std::string_view further : {".gz", ".bz2", ".xz"})
    if (name.ends_with(further)) return name.substr(0, name.size() - further.size());
  return name;
}

std::string MatrixFiles::directory() const {
  return prefix.substr(0, prefix.size() - !prefix.empty());
}

std::vector<std::string> shared_genes(std::span<const std::string> names) {
  const Names all(names);
  std::vector<std::string> shared;
  for (const std::string& name : names)
    for (const std::string_view ending : {"features.tsv", "genes.tsv"})
      if (const auto prefix = prefix_before(name, ending))
        if (all.find(*prefix + "matrix.mtx").empty()) shared.push_back(name);
  return shared;
}

std::vector<MatrixFiles> matrices_in(std::span<const std::string> names) {
  const Names all(names);
  const std::vector<std::string> shared = shared_genes(names);
  std::map<std::string, MatrixFiles> found;  // by prefix
  for (const Dialect& dialect : kDialects)
    for (const std::string& name : names)
      for (const NamedLayer& matrix : dialect.matrices) {
        const std::optional<std::string> prefix = prefix_before(name, matrix.file);
        if (!prefix || found.contains(*prefix)) continue;
        MatrixFiles files = files_with(all, dialect, *prefix);
        if (files.cells.empty() || (files.genes.empty() && shared.empty())) continue;
        if (files.genes.empty() && shared.size() == 1) files.genes = shared.front();
        found.emplace(*prefix, std::move(files));
      }
  std::vector<MatrixFiles> matrices;
  for (auto& [prefix, files] : found) matrices.push_back(std::move(files));
  return matrices;
}

MatrixFiles files_of(const std::string& matrix, std::span<const std::string> names) {
  const Names all(names);
  for (const Dialect& dialect : kDialects)
    for (const NamedLayer& named : dialect.matrices)
      if (const auto prefix = prefix_before(matrix, named.file)) {
        MatrixFiles files = files_with(all, dialect, *prefix);
        files.matrices = {{"", matrix}};
        if (const auto shared = shared_genes(names); files.genes.empty() && shared.size() == 1)
          files.genes = shared.front();
        if (!files.cells.empty() || !files.genes.empty()) return files;
      }
  MatrixFiles files;
  files.matrices = {{"", matrix}};
  files.writer = "MatrixMarket";
  return files;
}

}  // namespace plainfs::mex
