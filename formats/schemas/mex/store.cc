#include "formats/schemas/mex/store.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/containers/mex/line_table.h"
#include "formats/containers/mex/market_text.h"
#include "formats/core/base/location.h"
#include "formats/core/codecs/inflate.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/sparse/coordinate_source.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/path_names.h"
#include "formats/schemas/mex/dialects.h"

namespace plainfs::mex {
namespace {

constexpr size_t kBannerBytes = 512;
constexpr std::string_view kCellRanger = "Cell Ranger";

// The answer about a file that is kept with its probe.
struct IsTable {
  bool value;
};

// The files of the matrix at a location, and their folder.
struct Place {
  std::string folder;
  MatrixFiles files;
  std::vector<std::string> shared_genes;  // candidates, if files.genes is empty
  bool is_table = false;                  // a table of counts
  bool is_folder = false;                 // all files of a folder
};

// Returns the one matrix without a prefix in a folder, if all of its names are there.
std::optional<MatrixFiles> whole_folder(const std::vector<std::string>& names) {
  for (MatrixFiles& files : matrices_in(names))
    if (files.prefix.empty()) return std::move(files);
  return std::nullopt;
}

// Returns whether a folder may have a matrix without a prefix. Asks for the names of matrices alone.
bool has_matrix(const Probe& probe) {
  static constexpr const char* kNames[] = {"matrix.mtx",  "cells_x_genes.mtx", "quants_mat.mtx",
                                           "spliced.mtx", "genes.mtx",         "cells_x_tcc.mtx",
                                           "DGE.mtx",     "count_matrix.mtx",  "cells_x_genes.mature.mtx"};
  for (const char* name : kNames)
    for (const char* further : {".gz", ""})
      if (probe.has_file(std::string(name) + further)) return true;
  return false;
}

bool is_market_file(const Probe& probe) {
  const ByteSpan first = probe.first_bytes();
  if (has_banner(as_text(first))) return true;
  const std::string name(last_name(probe.location()));
  if (!without_compression(name).ends_with(".mtx")) return false;
  if (as_text(first).starts_with("\x1f\x8b")) return has_banner(as_text(gzip_beginning(first, kBannerBytes)));
  return without_compression(name).size() != name.size();
}

// Returns the matrix with names that begin with the last name of the location, or nullopt.
std::optional<MatrixFiles> prefixed(const Probe& probe) {
  const std::string name(last_name(probe.location()));
  if (name.empty()) return std::nullopt;
  for (MatrixFiles& files : matrices_in(probe.files_beside()))
    if (files.directory() == name) return std::move(files);
  return std::nullopt;
}

// Returns whether a file is a table of counts: a text with such an ending, names in its first line, and a
// name and a number at the beginning of the second.
bool is_table_file(const Probe& probe) {
  const std::string name = lower_case(std::string(without_compression(last_name(probe.location()))));
  static constexpr std::string_view kEndings[] = {".csv", ".tsv", ".txt"};
  if (std::none_of(std::begin(kEndings), std::end(kEndings),
                   [&](auto ending) { return name.ends_with(ending); }))
    return false;
  return probe.once<IsTable>([&] { return IsTable{mex::is_table(probe.file())}; }).value;
}

Place place_of(const Probe& probe) {
  Place place;
  std::vector<std::string> names;
  if (probe.is_folder()) {
    place.folder = probe.location();
    place.is_folder = true;
    names = probe.files_inside();
    std::optional<MatrixFiles> files = whole_folder(names);
    if (!files) throw damaged("the names of the matrix are missing");
    place.files = *std::move(files);
  } else if (probe.is_file() && !is_market_file(probe)) {
    place.folder = folder_of_path(probe.location());
    place.is_table = true;
    place.files.matrices = {{"", std::string(last_name(probe.location()))}};
    place.files.writer = "table of counts";
    return place;
  } else {
    place.folder = folder_of_path(probe.location());
    names = probe.files_beside();
    place.files =
        probe.is_file() ? files_of(std::string(last_name(probe.location())), names) : *prefixed(probe);
  }
  if (place.files.genes.empty() && !place.files.cells.empty()) place.shared_genes = shared_genes(names);
  return place;
}

// Returns a number with commas between its thousands.
std::string with_commas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// The kind of names that a side seems to have.
enum class Looks { unknown, genes, cells };

// Returns whether a name looks like a barcode of cells: "AAACCCAAGAAACACT-1", "S1_AAACCCAAGAAACACT".
bool is_like_barcode(std::string_view name) {
  constexpr size_t kMinBases = 10;
  size_t bases = 0;
  for (const char c : name) {
    bases = std::string_view("ACGT").find(c) == std::string_view::npos ? 0 : bases + 1;
    if (bases >= kMinBases) return true;
  }
  return false;
}

// Returns whether a name looks like an identifier of Ensembl: "ENSG00000243485", "ENSMUSG00000051951.6".
bool is_like_gene(std::string_view name) {
  constexpr size_t kDigits = 11;
  if (!name.starts_with("ENS")) return false;
  const size_t gene = name.find('G', 3);
  const size_t digits = name.find_first_not_of("0123456789", gene == name.npos ? name.size() : gene + 1);
  return gene != name.npos && std::min(digits, name.size()) == gene + 1 + kDigits;
}

// Returns what most of the first names look like.
Looks looks_of(const ArrayPtr& names) {
  constexpr uint64_t kMaxAsked = 100;
  const uint64_t count = std::min(names->count(), kMaxAsked);
  const Elements first = names->read({{0}, {count}});
  uint64_t genes = 0, cells = 0;
  for (uint64_t i = 0; i < count; ++i) {
    genes += is_like_gene(first.text(i));
    cells += is_like_barcode(first.text(i));
  }
  return 2 * genes > count ? Looks::genes : 2 * cells > count ? Looks::cells : Looks::unknown;
}

// The names of one side: a list for each field of its file.
struct SideNames {
  std::shared_ptr<const LineTable> lines;
  ArrayPtr ids;
  ArrayPtr names;
};

class Opener {
 public:
  Opener(const Probe& probe, Context& context) : place_(place_of(probe)), context_(context) {}

  Store open(const std::string& location);

 private:
  FilePtr file(const std::string& name) const { return context_.files.open(place_.folder + "/" + name); }
  std::shared_ptr<const LineTable> lines_of(const std::string& name) const {
    if (name.empty()) return nullptr;
    return LineTable::open(file(name), place_.files.are_tables ? ',' : '\t', place_.files.are_tables,
                           context_);
  }
  void read_table_names(const MarketText& text);
  void read_names(const Header& header);
  void choose_sides(const Header& header);
  SparseMatrix matrix_of(const std::shared_ptr<const MarketText>& text) const;
  void add_names(SparseMatrix& matrix) const;
  std::vector<Member> parts(const GroupPtr& root) const;
  std::string format_of(const std::string& software) const;
  Node cell_table(const GroupPtr& root) const;
  Node features(const GroupPtr& root) const;

  const Place place_;
  Context& context_;
  SideNames genes_, cells_;
  bool are_genes_in_rows_ = true;
  std::vector<std::pair<std::string, SparseMatrix>> layers_;
};

// Reads the names of a table of counts, and decides which side has the genes by their looks.
void Opener::read_table_names(const MarketText& text) {
  genes_.lines =
      LineTable::open(file(place_.files.matrices.front().file), text.header().separator, true, context_);
  ArrayPtr rows = genes_.lines->column(0), columns = text_array(text.column_names());
  genes_.lines = nullptr;
  const Looks of_rows = looks_of(rows), of_columns = looks_of(columns);
  are_genes_in_rows_ =
      context_.options.genes_in_rows.value_or(of_rows != Looks::cells && of_columns != Looks::genes);
  if (!context_.options.genes_in_rows && of_rows == Looks::unknown && of_columns == Looks::unknown)
    context_.notice(
        "genes are taken to be in the rows, since the names on neither side look like those of genes or "
        "cells; -o orientation=cells if the rows are cells");
  genes_.names = are_genes_in_rows_ ? rows : columns;
  cells_.names = are_genes_in_rows_ ? columns : rows;
}

void Opener::read_names(const Header& header) {
  genes_.lines = lines_of(place_.files.genes);
  cells_.lines = lines_of(place_.files.cells);
  for (const std::string& shared : place_.shared_genes) {
    const auto lines = lines_of(shared);
    if (lines && lines->lines() == header.rows) genes_.lines = lines;
  }
  if (cells_.lines) cells_.names = cells_.lines->column(0);
  if (!genes_.lines) return;
  genes_.names = genes_.lines->column(0);
  if (const auto symbols = lines_of(place_.files.gene_names)) {
    genes_.ids = std::exchange(genes_.names, symbols->column(0));
  } else if (genes_.lines->fields() > 1) {
    genes_.ids = std::exchange(genes_.names, genes_.lines->column(1));
  }
}

// Decides which side of the text has the genes: the one in which the numbers of names fit.
void Opener::choose_sides(const Header& header) {
  are_genes_in_rows_ = context_.options.genes_in_rows.value_or(place_.files.are_genes_in_rows);
  if (context_.options.genes_in_rows) return;
  const auto fits = [&](bool in_rows) {
    const uint64_t genes = in_rows ? header.rows : header.columns,
                   cells = in_rows ? header.columns : header.rows;
    return (!genes_.names || genes_.names->count() == genes) &&
           (!cells_.names || cells_.names->count() == cells);
  };
  if (!fits(are_genes_in_rows_) && fits(!are_genes_in_rows_)) are_genes_in_rows_ = !are_genes_in_rows_;
}

// Returns the matrix of genes by cells, without names.
SparseMatrix Opener::matrix_of(const std::shared_ptr<const MarketText>& text) const {
  const Header& header = text->header();
  CoordinateMatrix entries;
  entries.rows = header.rows;
  entries.columns = header.columns;
  entries.row = text->rows();
  entries.column = text->columns();
  if (!are_genes_in_rows_) {
    std::swap(entries.rows, entries.columns);
    std::swap(entries.row, entries.column);
  }
  entries.value = text->values();
  entries.is_symmetric = header.is_symmetric() && !header.is_dense();
  SparseMatrix matrix;
  if (text->order() == Order::none || entries.is_symmetric || text->fault()) {
    matrix = by_columns(entries, context_);
    matrix.as_stored = std::make_shared<const CoordinateMatrix>(std::move(entries));
  } else {
    matrix.rows = entries.rows;
    matrix.columns = entries.columns;
    matrix.by_row = (text->order() == Order::by_row) == are_genes_in_rows_;
    matrix.value = entries.value;
    matrix.index = matrix.by_row ? entries.column : entries.row;
    matrix.pointer = text->pointers();
  }
  matrix.error = text->fault();
  return matrix;
}

void Opener::add_names(SparseMatrix& matrix) const {
  const auto fitting = [&](const ArrayPtr& names, uint64_t count, const std::string& file) {
    return frames::fitting_names(names, count, file, context_);
  };
  matrix.row_names = fitting(genes_.names, matrix.rows, place_.files.genes);
  matrix.row_ids = matrix.row_names ? fitting(genes_.ids, matrix.rows, place_.files.genes) : nullptr;
  matrix.column_names = fitting(cells_.names, matrix.columns, place_.files.cells);
}

// Returns the table of the genes: id, name, type and, for peaks, their place. Sources: 10x Genomics,
// "Feature-Barcode Matrices" (Cell Ranger 3 and later; Cell Ranger ARC).
Node Opener::features(const GroupPtr& root) const {
  static constexpr const char* kNames[] = {"id", "name", "feature_type", "chromosome", "start", "end"};
  Table table;
  table.rows = genes_.lines->lines();
  for (size_t i = 0; i < genes_.lines->fields(); ++i) {
    const std::string name = place_.files.are_tables ? genes_.lines->header()[i]
                             : i < std::size(kNames) ? kNames[i]
                                                     : fmt::format("field{}", i + 1);
    table.columns.push_back({name, genes_.lines->column(i)});
  }
  std::vector<Member> members;
  for (const Column& column : table.columns) {
    members.push_back({column.name, Node{LabelledArray{column.values, nullptr, nullptr}}});
  }
  Node node;
  node.content = std::move(table);
  node.parts = std::make_shared<ListedGroup>(root, "/features", std::move(members));
  return node;
}

// Returns the table of the cells with its columns as text.
Node Opener::cell_table(const GroupPtr& root) const {
  Table table;
  table.rows = cells_.lines->lines();
  table.row_names = cells_.names;
  table.index_name = cells_.lines->header()[0];
  for (size_t i = 1; i < cells_.lines->fields(); ++i)
    table.columns.push_back({cells_.lines->header()[i], cells_.lines->column(i)});
  Node node;
  node.content = std::move(table);
  node.parts = std::make_shared<ListedGroup>(root, "/obs", std::vector<Member>());
  node.role = Role::main_table;
  return node;
}

std::vector<Member> Opener::parts(const GroupPtr& root) const {
  std::vector<Member> members;
  if (place_.files.are_tables && cells_.lines && cells_.lines->fields() > 1)
    members.push_back({"obs", cell_table(root)});
  constexpr size_t kFieldsOfNames = 2;
  if (genes_.lines && genes_.lines->fields() > kFieldsOfNames)
    members.push_back({"features", features(root)});
  if (layers_.empty()) return members;
  std::vector<Member> layers;
  for (const auto& [name, matrix] : layers_) {
    layers.push_back({name, Node{matrix}});
  }
  Node group;
  group.parts = std::make_shared<ListedGroup>(root, "/layers", [layers](const GroupPtr& self) {
    std::vector<Member> with_parts = layers;
    for (Member& member : with_parts)
      member.node.parts =
          std::make_shared<ListedGroup>(self, "/layers/" + member.name, std::vector<Member>());
    return with_parts;
  });
  members.push_back({"layers", std::move(group)});
  return members;
}

// Returns what the files are, for people. software: "cellranger-7.1.0", or "" if the text does not state it.
std::string Opener::format_of(const std::string& software) const {
  if (place_.is_table) return "table of counts";
  if (place_.files.writer != kCellRanger) return fmt::format("{} matrix", place_.files.writer);
  // Other programs use the same names.
  std::string format = place_.is_folder ? "10x matrix folder" : "10x matrix";
  for (const auto& [prefix, program] :
       {std::pair("cellranger-", "Cell Ranger"), {"spaceranger-", "Space Ranger"}, {"xenium-", "Xenium"}})
    if (software.starts_with(prefix))
      format += fmt::format(" of {} {}", program,
                            software.substr(std::strlen(prefix), software.find('.') - std::strlen(prefix)));
  return format;
}

Store Opener::open(const std::string& location) {
  std::optional<SparseMatrix> main;
  uint64_t rows = 0, columns = 0;
  std::string software;
  for (const MatrixFiles::Matrix& each : place_.files.matrices) {
    const auto text = place_.is_table ? MarketText::open_table(file(each.file), context_)
                                      : MarketText::open(file(each.file), context_);
    const Header& header = text->header();
    if (place_.is_table) {
      read_table_names(*text);
    } else if (!main) {
      read_names(header);
      choose_sides(header);
      rows = header.rows;
      columns = header.columns;
      software = header.software;
    } else if (header.rows != rows || header.columns != columns) {
      context_.notice(fmt::format("{}: left out: {} x {}, expected {} x {} as in {}", each.file, header.rows,
                                  header.columns, rows, columns, place_.files.matrices.front().file));
      continue;
    }
    SparseMatrix matrix = matrix_of(text);
    add_names(matrix);
    if (!each.layer.empty()) layers_.emplace_back(each.layer, matrix);
    if (!main) main = std::move(matrix);
  }
  Store store;
  store.path = location;
  store.format = format_of(software);
  store.details.emplace_back("matrix", Json(fmt::format("{} genes × {} cells", with_commas(main->rows),
                                                        with_commas(main->columns))));
  store.root.content = *main;
  store.root.parts = std::make_shared<ListedGroup>(
      nullptr, "/", [self = *this](const GroupPtr& root) { return self.parts(root); });
  return store;
}

}  // namespace

bool recognises(const Probe& probe) {
  if (probe.is_folder()) return has_matrix(probe) && whole_folder(probe.files_inside()).has_value();
  if (probe.is_file()) return is_market_file(probe) || is_table_file(probe);
  // The folder of a remote store cannot be listed, but an archive can.
  const bool can_list = !is_url(probe.location()) || probe.sources().inside().host_of(probe.location());
  return can_list && prefixed(probe).has_value();
}

Store open(const Probe& probe, Context& context) {
  return Opener(probe, context).open(probe.location());
}

}  // namespace plainfs::mex
