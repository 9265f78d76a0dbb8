#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cache/request.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/path_names.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/store_path.h"
#include "fs/commands/commands.h"
#include "fs/commands/standard_output.h"
#include "fs/report/main_part.h"
#include "fs/report/walk.h"
#include "fs/session.h"
#include "fs/text/text_file.h"
#include "fs/views/file_forms.h"
#include "fs/views/names.h"

namespace plainfs {
namespace {

// The bytes [first, last], including last, counted from the start of the file.
struct Range {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
};

uint64_t byte_number(std::string_view text, std::string_view range) {
  if (const auto value = parsed_number<uint64_t>(text)) return *value;
  throw Failure(kUsage, fmt::format("--range {}: expected FIRST-LAST", range));
}

Range parse_range(std::string_view text) {
  Range range;
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos)
    throw Failure(kUsage, fmt::format("--range {}: expected FIRST-LAST", text));
  range.first = byte_number(text.substr(0, dash), text);
  if (dash + 1 < text.size()) range.last = byte_number(text.substr(dash + 1), text);
  if (range.first > range.last) throw Failure(kUsage, fmt::format("--range {}: ends before it begins", text));
  return range;
}

// The reader of a pipe. When it closes the pipe, as head does, reading and measuring stop.
class PipeReader : public Request {
  bool cancelled() const override {
    pollfd out{STDOUT_FILENO, 0, 0};
    return ::poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
  }
};

bool print_file(Filesystem& filesystem, Inode inode, Range range) {
  const OpenFile file = filesystem.open(inode);
  if (range.first != 0) filesystem.status(inode);
  for (uint64_t at = range.first; at <= range.last;) {
    const uint64_t left = range.last - at;
    const size_t piece = at == 0 ? kTextBeginning : kPiece;
    const size_t wanted = left < piece ? static_cast<size_t>(left) + 1 : piece;
    const Slices slices = filesystem.read(file, at, wanted);
    if (!write_out(slices)) return false;
    const bool is_end = slices.size() < wanted;
    // A size that was expensive to compute is kept for the next time.
    if (at == 0 && (is_end || left >= piece)) filesystem.status(inode);
    if (is_end) break;
    at += wanted;
  }
  return true;
}

// Returns null if the directory cannot be listed. Keeps the first error.
ListingPtr listing_of(Filesystem& filesystem, Inode directory, std::optional<Error>& fault) {
  try {
    return filesystem.list(directory);
  } catch (const Error& error) {
    if (!fault) fault = error;
    return nullptr;
  }
}

bool has_genes(const Listing& listing) {
  const std::optional<size_t> genes = listing.find(file_name(forms::kGenes));
  return genes && has_form(listing.at(*genes).row, forms::kGenes);
}

// The directories of the matrices with genes, those nearest to the root first.
class MatrixLevels {
 public:
  MatrixLevels(Filesystem& filesystem, const std::string& store) : filesystem_(filesystem), store_(store) {}

  // Returns those of the next level that has some, in listing order; none at the end. Throws if the store has
  // none at all.
  std::vector<Inode> next() {
    std::vector<Inode> matrices;
    while (matrices.empty() && !level_.empty()) {
      std::vector<Inode> below;
      for (const Inode directory : level_) {
        const ListingPtr listing = listing_of(filesystem_, directory, fault_);
        if (!listing) continue;
        if (has_genes(*listing)) matrices.push_back(directory);
        for (const Listing::Entry& entry : listing->entries())
          if (entry.kind == FileKind::directory) below.push_back(entry.inode);
      }
      level_ = std::move(below);
    }
    has_found_ |= !matrices.empty();
    if (has_found_) return matrices;
    if (fault_) throw Failure(exit_code_of(fault_->code()), fmt::format("{}: {}", store_, reason(*fault_)));
    throw Failure(kNotFound, fmt::format("{}: no matrix with gene names", store_));
  }

 private:
  Filesystem& filesystem_;
  const std::string& store_;
  std::vector<Inode> level_{kRootInode};
  std::optional<Error> fault_;  // the first error
  bool has_found_ = false;
};

// Sorts the active assay of a Seurat object and the first modality of a MuData before the others, and in an
// assay the normalised matrix.
void sort_matrices(Filesystem& filesystem, std::vector<Inode>& matrices) {
  const std::string main = main_part(filesystem);
  const std::string assay = main.empty() ? "" : fmt::format("/{}/", main);
  std::stable_sort(matrices.begin(), matrices.end(), [&](Inode a, Inode b) {
    const auto is_after = [&](Inode matrix) {
      return std::pair(!filesystem.path(matrix).starts_with(assay), filesystem.name(matrix) != "data");
    };
    return is_after(a) < is_after(b);
  });
}

// Returns the raw matrix beside a main one, which comes before it as in scanpy's plots; nullopt without one.
std::optional<Inode> raw_beside(Filesystem& filesystem, Inode matrix) {
  if (filesystem.meaning(matrix).what.node.role != Role::main_matrix) return std::nullopt;
  try {
    const Inode raw = filesystem.lookup(filesystem.lookup(filesystem.parent(matrix), "raw"), "X");
    const bool is_raw = filesystem.meaning(raw).what.node.role == Role::raw_matrix;
    return is_raw && has_genes(*filesystem.list(raw)) ? std::optional(raw) : std::nullopt;
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    return std::nullopt;
  }
}

// Returns the first matrix that has the gene, raw/X before the X beside it; otherwise the first matrix.
Inode first_matrix(Filesystem& filesystem, const std::string& store, const std::string& file) {
  MatrixLevels levels(filesystem, store);
  std::optional<Inode> first;
  for (std::vector<Inode> matrices = levels.next(); !matrices.empty(); matrices = levels.next()) {
    sort_matrices(filesystem, matrices);
    if (!first) first = matrices.front();
    std::vector<Inode> searched;
    for (const Inode matrix : matrices) {
      if (const std::optional<Inode> raw = raw_beside(filesystem, matrix)) searched.push_back(*raw);
      searched.push_back(matrix);
    }
    for (const Inode matrix : searched) {
      try {
        filesystem.lookup(filesystem.lookup(matrix, file_name(forms::kGenes)), file);
        return matrix;
      } catch (const Error& error) {
        if (error.code() != Errc::not_found) return matrix;
      }
    }
  }
  return *first;
}

// Returns the path for --gene: in the matrix at the given path, otherwise in the first matrix. A gene's name
// may contain characters that no path can.
std::string path_of_gene(Filesystem& filesystem, const Options& options, const std::string& gene) {
  const std::string file = encode_name(gene).append(forms::kArrayCsv.ending);
  const std::string matrix = options.names.size() > 1
                                 ? options.names[1]
                                 : filesystem.path(first_matrix(filesystem, options.store, file));
  return joined_path(joined_path(matrix, file_name(forms::kGenes)), file);
}

}  // namespace

int cat_command(Arguments arguments) {
  const std::string range_text = take_value(arguments, "--range");
  const Range range = range_text.empty() ? Range() : parse_range(range_text);
  const std::string gene = take_value(arguments, "--gene");
  Options options = parse_options(arguments, kManyNames);
  split_store_path(options.names);
  if (options.names.size() == 1) check_exists(options.names[0]);
  if (options.names.size() < (gene.empty() ? 2 : 1))
    throw Failure(kUsage, "cat: expected a store and a path in it: plainfs cat STORE PATH");
  if (!gene.empty() && options.names.size() > 2)
    throw Failure(kUsage, "cat: --gene takes one matrix: plainfs cat STORE [PATH] --gene NAME");
  options.store = options.names[0];
  Session session(options);
  Filesystem& filesystem = session.filesystem();
  if (!gene.empty()) options.names = {options.store, path_of_gene(filesystem, options, gene)};
  const PipeReader reader;
  const Request::Scope scope(&reader);
  for (size_t i = 1; i < options.names.size(); ++i) {
    const std::string& path = options.names[i];
    try {
      const Inode inode = resolve_path(filesystem, path);
      if (filesystem.kind(inode) == FileKind::directory)
        throw Failure(kUsage, fmt::format("{}: a directory; plainfs ls lists it",
                                          plain_path(path).empty() ? options.store : path));
      if (!print_file(filesystem, inode, range)) return kSuccess;
    } catch (const Cancelled&) {
      return kSuccess;
    } catch (const Error& error) {
      throw Failure(exit_code_of(error.code()),
                    fmt::format("{}: {}: {}", options.store, path, reason(error)));
    }
  }
  return kSuccess;
}

}  // namespace plainfs
