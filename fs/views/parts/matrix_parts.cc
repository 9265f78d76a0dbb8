#include "fs/views/parts/part_files.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "cache/lazy.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/selection.h"
#include "formats/core/base/checked.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/sparse/matrix_lines.h"
#include "fs/text/field_text.h"
#include "fs/text/text_file.h"
#include "fs/views/array/npy.h"
#include "fs/views/file_rows.h"
#include "fs/views/matrix/gene_matrix.h"
#include "fs/views/parts/lazy_text.h"
#include "fs/views/parts/part_names.h"
#include "fs/views/table/table_files.h"
#include "fs/views/xlsx/workbook.h"

namespace plainfs {

namespace {

constexpr char kSeparator = ',';
constexpr std::string_view kCsv = ".csv", kNpy = ".npy", kXlsx = ".xlsx";
constexpr const char* kXlsxVersion = "xlsx 1";
// The number of size requests for parts after which a client is assumed to want all sizes, in general and if
// each takes a pass. A request so soon after a listing counts as well, as from ls -l.
constexpr uint64_t kAskedAlone = 64, kCostlyAskedAlone = 1;
constexpr std::chrono::milliseconds kListingLasts{10};

enum class Side { genes, cells };

uint64_t header_size(std::string_view name) {
  CountingSink count;
  put_csv_text(name, count);
  return count.size();
}

// A matrix with the data that both of its directories need, each loaded on first use.
class NamedMatrix {
 public:
  NamedMatrix(Node node, GeneMatrix matrix, Context& context)
      : node_(std::move(node)),
        matrix_(std::move(matrix)),
        context_(context),
        genes_("gene", matrix_.genes, matrix_.ids, context),
        cells_("cell", matrix_.cells, nullptr, context) {}

  std::shared_ptr<const PartNames> names(Side side) const {
    return side == Side::genes ? genes_.get() : cells_.get();
  }
  // Returns the names of the rows of a part: cells as stored, genes by their labels.
  ArrayPtr row_names(Side side) const {
    if (side == Side::genes) return matrix_.cells;
    return labels_of(names(Side::genes));
  }
  // Returns the lines. labelled_values: as in a .csv, otherwise as stored.
  MatrixLinesPtr lines(Side side, bool labelled_values) const {
    return lines_[side == Side::genes][labelled_values].get([&] { return open(side, labelled_values); });
  }
  bool has_npy() const {
    if (const auto* array = std::get_if<LabelledArray>(&node_.content))
      return plainfs::has_npy(*array->values);
    const SparseMatrix& matrix = std::get<SparseMatrix>(node_.content);
    return !matrix.value || plainfs::has_npy(*matrix.value);
  }
  Context& context() const { return context_; }

 private:
  MatrixLinesPtr open(Side side, bool labelled_values) const;

  const Node node_;
  const GeneMatrix matrix_;
  Context& context_;
  const PartNameList genes_, cells_;
  Lazy<MatrixLinesPtr> lines_[2][2];
  Lazy<SparseMatrix> evaluated_;
};
using NamedMatrixPtr = std::shared_ptr<const NamedMatrix>;

MatrixLinesPtr NamedMatrix::open(Side side, bool labelled_values) const {
  const bool are_rows = side == Side::genes;
  if (const auto* array = std::get_if<LabelledArray>(&node_.content)) {
    const ArrayPtr values = labelled_values ? plainfs::labelled_values(*array).values : array->values;
    if (labelled_values && values == array->values) return lines(side, false);
    return dense_lines(values, are_rows ? *matrix_.axis : 1 - *matrix_.axis, context_);
  }
  const SparseMatrix& matrix = std::get<SparseMatrix>(node_.content);
  if (matrix.error) throw *matrix.error;
  SparseMatrix shown = evaluated_.get([&] { return evaluated(matrix); });
  // Real numbers may be stored as integers.
  const bool is_converted = shown.is_real && shown.value->dtype().is_integer();
  if (!is_converted && labelled_values) return lines(side, false);
  if (!labelled_values && is_converted)
    shown.value = with_type(shown.value, number_type(Kind::real, sizeof(double)));
  return sparse_lines(shown, are_rows, context_);
}

// The names of a .csv and, if available, a .npy for each part.
class PartFileNames : public FoundNames {
 public:
  PartFileNames(std::shared_ptr<const PartNames> parts, bool has_npy)
      : parts_(std::move(parts)), each_(has_npy ? 2 : 1) {}

  uint64_t count() const override { return parts_->count() * each_; }
  std::string at(uint64_t place) const override {
    return parts_->file(place / each_, place % each_ == 0 ? ".csv" : ".npy");
  }
  std::optional<uint64_t> place_of(std::string_view name) const override {
    const size_t dot = std::min(name.rfind('.'), name.size());
    const bool is_npy = name.substr(dot) == ".npy";
    if ((is_npy && each_ == 1) || (!is_npy && name.substr(dot) != ".csv")) return std::nullopt;
    const std::optional<PartNames::Match> asked = parts_->find(name.substr(0, dot), name.substr(dot));
    if (!asked) return std::nullopt;
    const uint64_t place = asked->part * each_ + (is_npy ? 1 : 0);
    return at(place) == name ? std::optional(place) : std::nullopt;  // ids are not listed
  }

 private:
  const std::shared_ptr<const PartNames> parts_;
  const uint64_t each_;
};

// One of the two directories.
class MatrixParts : public NamedFiles, public std::enable_shared_from_this<MatrixParts> {
 public:
  MatrixParts(NamedMatrixPtr matrix, Side side) : matrix_(std::move(matrix)), side_(side) {}

  FoundNamesPtr names() const override {
    return std::make_shared<const PartFileNames>(matrix_->names(side_), matrix_->has_npy());
  }
  std::optional<ViewEntry> find(std::string_view name) const override;
  std::optional<uint64_t> listed_size(std::string_view name) const override;

  const NamedMatrixPtr& matrix() const { return matrix_; }
  // Returns the parts as the columns of a table.
  Table table_of(const std::vector<PartNames::Match>& parts) const;
  std::shared_ptr<TextFile> open_csv(const std::vector<PartNames::Match>& parts) const;
  // Returns the size of the .csv of one part, if the sizes of all parts are known or it is now worth
  // computing all of them.
  std::optional<uint64_t> size_of(const PartNames::Match& part, bool may_take_a_pass) const;

 private:
  using Clock = std::chrono::steady_clock;
  using Matches = std::vector<PartNames::Match>;
  struct Sizes {
    uint64_t of_zeros;  // of a line of zeros, with an empty header
    std::vector<int64_t> more;
  };

  // A file requested by its name.
  struct AskedFile {
    std::string_view extension;  // one of the following
    Matches parts;
  };

  Context& context() const { return matrix_->context(); }
  std::optional<AskedFile> asked_file(std::string_view name) const;
  bool are_all_wanted() const;
  std::optional<Sizes> find_sizes() const;
  std::shared_ptr<ViewFile> open_npy(const Matches& parts) const;

  const NamedMatrixPtr matrix_;
  const Side side_;
  mutable std::atomic<uint64_t> asked_{0};  // number of size requests; relaxed
  mutable std::atomic<Clock::time_point> listed_at_{Clock::time_point::min()};  // relaxed
  Lazy<std::optional<Sizes>> sizes_;  // nullopt if no pass can compute them
  Lazy<uint64_t> npy_size_;           // of any one part
};
using MatrixPartsPtr = std::shared_ptr<const MatrixParts>;

// The .csv of one part, with a size that may come from a pass over all parts. It holds nothing else until it
// is read, so that listing very many of them is cheap.
class PartFile : public ViewFile {
 public:
  PartFile(MatrixPartsPtr parts, PartNames::Match part) : parts_(std::move(parts)), part_(std::move(part)) {}

  uint64_t size() override {
    if (const auto known = known_size()) return *known;
    const std::optional<uint64_t> size = parts_->size_of(part_, true);
    return size ? *size : text().size();
  }
  std::optional<uint64_t> known_size() override {
    if (const std::optional<uint64_t> known = parts_->size_of(part_, false)) return known;
    const auto* const text = text_.known();
    return text ? (*text)->known_size() : std::nullopt;
  }
  Slices read(uint64_t offset, size_t size) override {
    const std::optional<uint64_t> known = parts_->size_of(part_, false);
    if (known && *known != text().size())
      throw unreadable("a matrix has changed since its parts were measured");
    return text().read(offset, size);
  }
  bool can_read_before_sized() const override { return text().can_read_before_sized(); }
  std::optional<Slices> read_beginning(uint64_t offset, size_t size) override {
    return text().read_beginning(offset, size);
  }
  uint64_t cut_before(uint64_t offset) const override { return text().cut_before(offset); }
  MeasuredPtr measured() const override {
    const auto* const text = text_.known();
    return text ? (*text)->measured() : nullptr;
  }
  void adopt(const MeasuredPtr& measured) override {
    if (measured) text().adopt(measured);
  }

 private:
  TextFile& text() const {
    return *text_.get([this] { return parts_->open_csv({part_}); });
  }

  const MatrixPartsPtr parts_;
  const PartNames::Match part_;
  Lazy<std::shared_ptr<TextFile>> text_;
};

std::optional<MatrixParts::AskedFile> MatrixParts::asked_file(std::string_view name) const {
  const size_t dot = std::min(name.rfind('.'), name.size());
  for (const std::string_view extension : {kCsv, kNpy, kXlsx}) {
    if (name.substr(dot) != extension || (extension == kNpy && !matrix_->has_npy())) continue;
    std::optional<Matches> parts =
        matrix_->names(side_)->find_list(name.substr(0, dot), extension, kSeparator);
    if (parts) return AskedFile{extension, *std::move(parts)};
  }
  return std::nullopt;
}

std::optional<ViewEntry> MatrixParts::find(std::string_view name) const {
  std::optional<AskedFile> asked = asked_file(name);
  if (!asked) return std::nullopt;
  ViewEntry file{std::string(name), nullptr};
  file.open = [self = shared_from_this(), parts = std::move(asked->parts), extension = asked->extension,
               place = file.name]() -> std::shared_ptr<ViewFile> {
    if (extension == kNpy) return self->open_npy(parts);
    if (extension == kXlsx)
      return workbook_file(
          [self, parts] {
            return std::vector<Sheet>{
                {self->side_ == Side::genes ? "genes" : "cells", self->table_of(parts)}};
          },
          place, self->context(), kXlsxVersion);
    if (parts.size() > 1) return self->open_csv(parts);
    return std::make_shared<PartFile>(self, parts.front());
  };
  return file;
}

std::optional<uint64_t> MatrixParts::listed_size(std::string_view name) const {
  listed_at_.store(Clock::now(), std::memory_order_relaxed);
  const std::optional<AskedFile> asked = asked_file(name);
  if (!asked || asked->parts.size() > 1) return std::nullopt;
  if (asked->extension == kXlsx) return std::nullopt;
  if (asked->extension == kCsv) return size_of(asked->parts.front(), false);
  return npy_size_.get([&] { return open_npy(asked->parts)->size(); });
}

Table MatrixParts::table_of(const Matches& parts) const {
  const MatrixLinesPtr lines = matrix_->lines(side_, true);
  std::vector<uint64_t> which;
  for (const PartNames::Match& part : parts) which.push_back(part.part);
  lines->expect(which);
  Table table{lines->length(), matrix_->row_names(side_), {}};
  for (const PartNames::Match& part : parts)
    table.columns.push_back({part.name, line_array(lines, part.part)});
  return table;
}

std::shared_ptr<TextFile> MatrixParts::open_csv(const Matches& parts) const {
  const auto make = [self = shared_from_this(), parts] {
    return csv_table(self->table_of(parts), self->context());
  };
  return std::make_shared<TextFile>(std::make_unique<LazyText>("csv of parts 1", make), context());
}

std::shared_ptr<ViewFile> MatrixParts::open_npy(const Matches& parts) const {
  const MatrixLinesPtr lines = matrix_->lines(side_, false);
  if (parts.size() == 1) return npy_file(line_array(lines, parts.front().part), true, context());
  std::vector<uint64_t> which;
  for (const PartNames::Match& part : parts) which.push_back(part.part);
  return npy_file(lines_array(lines, std::move(which)), true, context());
}

std::optional<MatrixParts::Sizes> MatrixParts::find_sizes() const {
  const MatrixLinesPtr lines = matrix_->lines(side_, true);
  std::optional<std::vector<int64_t>> more = lines->measure(
      [type = lines->dtype()](const Elements& values) { return csv_widths_beyond_zero(type, values); });
  if (!more || more->empty()) return std::nullopt;
  const Table zeros{lines->length(),
                    matrix_->row_names(side_),
                    {{"x", constant(lines->dtype(), {lines->length()}, zero_elements(lines->dtype(), 1))}}};
  TextFile text(csv_table(zeros, context()), context());
  return Sizes{text.size() - header_size("x"), *std::move(more)};
}

// Returns whether a client that asks for an unknown size is assumed to want the sizes of all parts.
bool MatrixParts::are_all_wanted() const {
  if (listed_at_.load(std::memory_order_relaxed) > Clock::now() - kListingLasts) return true;
  const uint64_t alone = matrix_->lines(side_, true)->is_costly() ? kCostlyAskedAlone : kAskedAlone;
  return asked_.fetch_add(1, std::memory_order_relaxed) >= alone;
}

std::optional<uint64_t> MatrixParts::size_of(const PartNames::Match& part, bool may_take_a_pass) const {
  if (!sizes_.known() && (!may_take_a_pass || !are_all_wanted())) return std::nullopt;
  const std::optional<Sizes>& sizes = sizes_.get([this] { return find_sizes(); });
  if (!sizes) return std::nullopt;
  return sizes->of_zeros + static_cast<uint64_t>(sizes->more[part.part]) + header_size(part.name);
}

// Returns the node and sides of a matrix of genes by cells that the directory stands for; nullopt if there is
// none.
std::optional<std::pair<Node, GeneMatrix>> matrix_of(const Node& directory) {
  if (std::optional<GeneMatrix> matrix = gene_matrix(directory))
    return std::pair(directory, *std::move(matrix));
  const auto dense = [](const Node& node) -> std::optional<std::pair<Node, GeneMatrix>> {
    const auto* array = std::get_if<LabelledArray>(&node.content);
    if (!array || !array->is_genes_by_cells || !array->row_names || !array->column_names) return std::nullopt;
    return std::pair(
        node, GeneMatrix{array->row_names, array->column_names, nullptr, array->values->column_major()});
  };
  if (!is_plain_group(directory)) return dense(directory);
  for (const Member& member : directory.parts->members())
    if (const auto* array = std::get_if<LabelledArray>(&member.node.content); array && array->is_of_directory)
      return dense(member.node);
  return std::nullopt;
}

// The genes of a matrix that is not a member of its directory: the run of an instrument, in several files.
// Finding them reads nothing before a name is looked for.
class GenesOfRun : public NamedFiles {
 public:
  GenesOfRun(GroupPtr folder, std::function<AnnotatedMatrix()> make, Context& context)
      : folder_(std::move(folder)), make_(std::move(make)), context_(context) {}

  FoundNamesPtr names() const override { return parts().names(); }
  std::optional<ViewEntry> find(std::string_view name) const override { return parts().find(name); }
  std::optional<uint64_t> listed_size(std::string_view name) const override {
    return parts().listed_size(name);
  }

 private:
  const MatrixParts& parts() const {
    return *parts_.get([&]() -> MatrixPartsPtr {
      const auto group = std::make_shared<const AnnotatedGroup>(folder_, make_);
      for (Member& member : group->members()) {
        if (member.name != "X") continue;
        if (auto matrix = gene_matrix(member.node))
          return std::make_shared<const MatrixParts>(
              std::make_shared<const NamedMatrix>(std::move(member.node), *std::move(matrix), context_),
              Side::genes);
      }
      throw unsupported("a matrix without the names of its genes or cells");
    });
  }

  const GroupPtr folder_;
  const std::function<AnnotatedMatrix()> make_;
  Context& context_;
  Lazy<MatrixPartsPtr> parts_;
};

void add_parts(const FileRow& row, const NamedMatrixPtr& matrix, Side side, Files& files) {
  files.push_back(row.entry(std::string(row.name)));
  files.back().found = std::make_shared<const MatrixParts>(matrix, side);
}

}  // namespace

void offer_genes(const FileRow& row, const Node& node, Context& context, Files& files) {
  std::optional<std::pair<Node, GeneMatrix>> found = matrix_of(node);
  if (!found && node.parts && std::holds_alternative<PlainFile>(node.content)) {
    std::optional<FoundAnnotatedMatrix> run = annotated_matrix_of(node, context);
    if (!run) return;
    files.push_back(row.entry(std::string(row.name)));
    files.back().found = std::make_shared<const GenesOfRun>(stored_group(*node.parts).shared_from_this(),
                                                            std::move(run->make), context);
  }
  if (!found) return;
  auto& [of, matrix] = *found;
  add_parts(row, std::make_shared<const NamedMatrix>(std::move(of), std::move(matrix), context), Side::genes,
            files);
}

// Both directories share what they have loaded.
void offer_cells(const FileRow& row, const Node&, Context&, Files& files) {
  const auto* const genes =
      files.empty() ? nullptr : dynamic_cast<const MatrixParts*>(files.back().found.get());
  if (genes) add_parts(row, genes->matrix(), Side::cells, files);
}

}  // namespace plainfs
