#include "formats/annotated/seurat_layers.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/annotated/parts.h"
#include "formats/core/base/checked.h"
#include "formats/core/sparse/computed_matrix.h"

namespace plainfs::annotated {

namespace {

constexpr uint64_t kNowhere = ~uint64_t{0};

std::vector<std::string> texts_in(const Array& names) {
  names.check();
  const Elements elements = read_all(names);
  std::vector<std::string> texts;
  texts.reserve(elements.count);
  for (uint64_t i = 0; i < elements.count; ++i)
    texts.emplace_back(elements.is_missing(i) ? std::string_view("NA") : elements.text(i));
  return texts;
}

bool are_the_same(const ArrayPtr& a, const ArrayPtr& b) {
  return a == b || (a->count() == b->count() && texts_in(*a) == texts_in(*b));
}

// Returns the position of each name; empty if a name occurs twice.
using Places = std::unordered_map<std::string, uint64_t>;
Places places_of(const std::vector<std::string>& names) {
  Places places;
  for (uint64_t i = 0; i < names.size(); ++i)
    if (!places.emplace(names[i], i).second) return {};
  return places;
}

bool has_names(const SparseMatrix& matrix) {
  return matrix.row_names && matrix.column_names && matrix.row_names->dtype().is_text() &&
         matrix.column_names->dtype().is_text();
}

// Returns source with an additional empty row.
EntrySourcePtr with_empty_row(EntrySourcePtr source) {
  const uint64_t majors = source->majors();
  const DType whole = number_type(Kind::unsigned_integer, 8);
  const auto zeros = [](const DType& type, uint64_t count) {
    return std::make_shared<MemoryArray>(type, Shape{count}, zero_elements(type, count));
  };
  EntrySourcePtr empty = compressed_source(
      {zeros(source->dtype(), 0), zeros(whole, 0), zeros(whole, checked_add(majors, 1)), majors, 1});
  return minor_combined({std::move(source), std::move(empty)});
}

// Matrices that are parts of one, joined by the names of their rows and columns.
class Joined {
 public:
  Joined(const ArrayPtr& features, const ArrayPtr& cells, Context& context)
      : context_(context),
        features_(texts_in(*features)),
        cells_(texts_in(*cells)),
        cell_places_(places_of(cells_)),
        columns_(cells_.size(), kNowhere),
        has_feature_(features_.size(), false) {}

  // Adds a part. Returns false if one of its cells is in another part too.
  bool add(const SparseMatrix& part) {
    for (const std::string& cell : texts_in(*part.column_names)) {
      const uint64_t column = before_++;
      const auto found = cell_places_.find(cell);
      if (found == cell_places_.end()) continue;
      if (columns_[found->second] != kNowhere) return false;
      columns_[found->second] = column;
    }
    sources_.push_back(rows_of(part));
    return true;
  }

  // Return the number of cells and of features that are in no part.
  uint64_t missing_cells() const {
    return static_cast<uint64_t>(std::count(columns_.begin(), columns_.end(), kNowhere));
  }
  uint64_t missing_features() const {
    return static_cast<uint64_t>(std::count(has_feature_.begin(), has_feature_.end(), false));
  }

  // Returns the joined matrix by column. Requires: there are parts, and no cell is missing.
  EntrySourcePtr source() const {
    EntrySourcePtr all = sources_.size() == 1 ? sources_.front() : major_combined(sources_);
    if (is_counting(columns_, before_)) return all;
    return major_subset(std::move(all), std::make_shared<const std::vector<uint64_t>>(columns_));
  }

 private:
  static bool is_counting(const std::vector<uint64_t>& places, uint64_t count) {
    if (places.size() != count) return false;
    for (uint64_t i = 0; i < count; ++i)
      if (places[i] != i) return false;
    return true;
  }

  // Returns the part with rows for all features and values of type double.
  EntrySourcePtr rows_of(const SparseMatrix& part) {
    EntrySourcePtr source = compressed_source(lists_of(part));
    if (part.by_row) source = flipped(std::move(source), context_);
    source = converted(std::move(source), number_type(Kind::real, 8));
    const Places rows = places_of(texts_in(*part.row_names));
    auto places = std::make_shared<std::vector<uint64_t>>();
    for (uint64_t i = 0; i < features_.size(); ++i) {
      const auto found = rows.find(features_[i]);
      places->push_back(found == rows.end() ? part.rows : found->second);
      if (found != rows.end()) has_feature_[i] = true;
    }
    if (is_counting(*places, part.rows)) return source;
    return minor_subset(with_empty_row(std::move(source)), std::move(places));
  }

  Context& context_;
  const std::vector<std::string> features_, cells_;
  const Places cell_places_;
  std::vector<uint64_t> columns_;  // the column of each cell among those of all parts
  std::vector<bool> has_feature_;
  std::vector<EntrySourcePtr> sources_;
  uint64_t before_ = 0;
};

}  // namespace

bool is_standard_layer(std::string_view name) {
  return name == "counts" || name == "data" || name == "scale.data" || name.starts_with("counts.") ||
         name.starts_with("data.");
}

bool SeuratLayers::has_layers() const {
  return assay_->find("layers").has_value();
}

// Seurat 5 keeps matrices in the group layers. Their former places are links to them.
std::optional<Node> SeuratLayers::stored(std::string_view name) const {
  std::optional<Node> node = member_of(assay_, name, context_);
  if (!node || !std::holds_alternative<Link>(node->content)) return node;
  const std::optional<Node> layers = member_of(assay_, "layers", context_);
  return layers ? member_of(layers->parts, name, context_) : std::nullopt;
}

void SeuratLayers::add_part(const std::string& name, const std::optional<Node>& node, Parts& parts) const {
  const auto sparse = node ? content_of<SparseMatrix>(node) : std::nullopt;
  if (!sparse)
    throw unsupported(
        "{}: layer {} is not a sparse matrix, and lacks features or cells, or has them in another order",
        assay_->path(), name);
  if (sparse->error) throw *sparse->error;
  if (!has_names(*sparse))
    throw unsupported("{}: layer {} lacks features or cells and has no names", assay_->path(), name);
  parts.matrices.push_back(evaluated(*sparse));
}

// Returns the names of the layers into which a matrix was split, and their group.
std::pair<GroupPtr, std::vector<std::string>> SeuratLayers::split_layers(std::string_view name) const {
  const std::optional<Node> layers = member_of(assay_, "layers", context_);
  if (!layers || !layers->parts) return {};
  std::vector<std::string> names;
  for (const Member& member : layers->parts->members())
    if (member.name.starts_with(std::string(name) + ".")) names.push_back(member.name);
  return {layers->parts, std::move(names)};
}

// Returns the matrix called name, or the layers into which it was split.
SeuratLayers::Parts SeuratLayers::parts_of(std::string_view name) const {
  Parts parts{fmt::format("layer {} has", name), {}};
  if (const std::optional<Node> node = stored(name)) {
    add_part(std::string(name), node, parts);
    return parts;
  }
  const auto [layers, names] = split_layers(name);
  if (layers) parts.names = fmt::format("layers {}.* have", name);
  for (const std::string& layer : names) add_part(layer, member_of(layers, layer, context_), parts);
  return parts;
}

std::optional<Error> SeuratLayers::refusal(std::string_view name) const {
  if (const std::optional<Node> node = stored(name)) return refusal_of(node->content);
  const auto [layers, names] = split_layers(name);
  for (const std::string& layer : names)
    if (const std::optional<Node> node = member_of(layers, layer, context_))
      if (std::optional<Error> why = refusal_of(node->content)) return why;
  return std::nullopt;
}

bool SeuratLayers::has(std::string_view name) const {
  return stored(name) || !split_layers(name).second.empty();
}

std::optional<Error> refusal_of_assay(const GroupPtr& assay, Context& context) try {
  const SeuratLayers matrices(assay, nullptr, nullptr, context);
  std::optional<Error> refusal;
  for (const char* const name : {"data", "counts"}) {
    std::optional<Error> why = matrices.refusal(name);
    if (!why && matrices.has(name)) return std::nullopt;
    if (!refusal) refusal = std::move(why);
  }
  return refusal;
} catch (const Error&) {
  return std::nullopt;  // making the matrix reports the error
}

// A matrix with features or cells in another order is rearranged by their names in matrix().
Content SeuratLayers::whole(const Node& matrix) const {
  const std::optional<Extent> extent = extent_of(matrix.content);
  if (!extent || extent->rows != features_->count() || extent->columns != cells_->count()) return {};
  const auto has_other_order = [&](const auto& labelled) {
    return is_reordered(labelled.row_names, features_) || is_reordered(labelled.column_names, cells_);
  };
  const auto* sparse = std::get_if<SparseMatrix>(&matrix.content);
  const auto* array = std::get_if<LabelledArray>(&matrix.content);
  if ((sparse && has_other_order(*sparse)) || (array && has_other_order(*array))) return {};
  return matrix.content;
}

Content SeuratLayers::matrix(std::string_view name) const {
  if (const std::optional<Node> node = stored(name))
    if (Content content = whole(*node); !std::holds_alternative<std::monostate>(content)) return content;
  const Parts parts = parts_of(name);
  if (parts.matrices.empty()) return {};
  Joined joined(features_, cells_, context_);
  for (const SparseMatrix& part : parts.matrices)
    if (!joined.add(part)) throw unsupported("{}: {} repeated cells", assay_->path(), parts.names);
  const uint64_t cells = cells_->count(), features = features_->count();
  if (joined.missing_cells() > 0)
    throw unsupported("{}: {} {} of {} cells", assay_->path(), parts.names, cells - joined.missing_cells(),
                      cells);
  if (joined.missing_features() > 0)
    context_.notice(fmt::format("{}: {} {} of {} features; the others are 0 in files generated from it",
                                assay_->path(), parts.names, features - joined.missing_features(), features));
  SparseMatrix generated = computed_lists(joined.source(), context_);
  generated.rows = features;
  generated.columns = cells;
  generated.row_names = features_;
  generated.column_names = cells_;
  generated.is_real = true;
  generated.missing = parts.matrices.front().missing;
  return generated;
}

std::optional<Error> SeuratLayers::fault_of_cells() const {
  const auto own = content_of<LabelledArray>(member_of(assay_, "cells", context_));
  if (!own || !has_layers() || are_the_same(own->values, cells_)) return std::nullopt;
  return unsupported("{}: its cells differ from those of the object, or are in another order",
                     assay_->path());
}

}  // namespace plainfs::annotated
