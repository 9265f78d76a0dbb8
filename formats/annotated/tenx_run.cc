#include "formats/annotated/tenx_run.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "cache/lazy.h"
#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/finders.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/parts.h"
#include "formats/annotated/run_tables.h"
#include "formats/annotated/slides/cell_polygons.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/path_names.h"
#include "formats/registry.h"
#include "formats/wrapped/wrapping.h"

namespace plainfs::annotated {
namespace {

constexpr std::string_view kComponents = "_components", kGeneExpression = "gene_expression";
constexpr std::string_view kProteins = "Protein Expression";

const std::vector<std::string> kPositionColumns{"barcode",   "in_tissue",          "array_row",
                                                "array_col", "pxl_row_in_fullres", "pxl_col_in_fullres"};

// Files of a run that describe it or have other content than its matrix.
constexpr std::string_view kNoParts[] = {"web_summary.html",
                                         "metrics_summary.csv",
                                         "cloupe.cloupe",
                                         "molecule_info.h5",
                                         "sample_molecule_info.h5",
                                         "experiment.xenium",
                                         "gene_panel.json",
                                         "analysis_summary.html",
                                         "possorted_genome_bam.bam",
                                         "possorted_genome_bam.bam.bai",
                                         "sample_alignments.bam",
                                         "sample_alignments.bam.bai",
                                         "config.csv",
                                         "aggregation.csv",
                                         "sample_cloupe.cloupe"};

// Values divided by a factor if their index is marked.
class ScaledValues : public Array {
 public:
  ScaledValues(ArrayPtr values, ArrayPtr index, std::vector<bool> marked, double factor)
      : Array(number_type(Kind::real, 8), values->shape()),
        values_(std::move(values)),
        index_(std::move(index)),
        marked_(std::move(marked)),
        factor_(factor) {}

  Elements read(const Box& box) const override {
    const Elements stored = values_->read(box), index = index_->read(box);
    std::vector<double> reals, places;
    append_doubles(values_->dtype(), stored, reals);
    append_doubles(index_->dtype(), index, places);
    Elements scaled = zero_elements(dtype(), stored.count);
    const auto out = scaled.mutable_values<double>();
    for (uint64_t i = 0; i < stored.count; ++i) {
      const bool is_marked = places[i] >= 0 && places[i] < static_cast<double>(marked_.size()) &&
                             marked_[static_cast<size_t>(places[i])];
      out[i] = is_marked ? reals[i] / factor_ : reals[i];
    }
    return scaled;
  }
  Shape chunk_shape() const override { return values_->chunk_shape(); }
  bool may_be_missing() const override { return false; }

 private:
  const ArrayPtr values_, index_;
  const std::vector<bool> marked_;
  const double factor_;
};

// Returns the key of an analysis without the number of its components: "" for "10_components",
// "antibody_capture" for "antibody_capture_2_components".
std::string_view kind_of_features(std::string_view key) {
  if (!key.ends_with(kComponents)) return key;
  key.remove_suffix(kComponents.size());
  while (!key.empty() && key.back() >= '0' && key.back() <= '9') key.remove_suffix(1);
  if (key.ends_with('_')) key.remove_suffix(1);
  return key;
}

// Compares names with numbers in them by the numbers.
bool is_before_by_number(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    uint64_t number_a = 0, number_b = 0;
    const auto [end_a, no_a] = std::from_chars(a.data(), a.data() + a.size(), number_a);
    const auto [end_b, no_b] = std::from_chars(b.data(), b.data() + b.size(), number_b);
    if (no_a == std::errc() && no_b == std::errc()) {
      if (number_a != number_b) return number_a < number_b;
      a.remove_prefix(static_cast<size_t>(end_a - a.data()));
      b.remove_prefix(static_cast<size_t>(end_b - b.data()));
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

// Returns a directory as views see it: with members that have their meaning.
Node with_known_members(Node directory, Context& context) {
  if (!directory.parts) return directory;
  std::vector<Member> members = directory.parts->members();
  std::vector<std::string> names;
  for (Member& member : members) {
    member.node = readable(std::move(member.node), context);
    names.push_back(member.name);
  }
  directory.parts = std::make_shared<KnownMembers>(directory.parts, std::move(members), std::move(names));
  return directory;
}

// The matrix of a run with its tables.
class RunMaker {
 public:
  // place: the path of the run in its mirror, "/" or "/sample/outs".
  RunMaker(tenx::RunFolder run, std::string place, Context& context)
      : run_(std::move(run)), place_(place == "/" ? "" : std::move(place)), context_(context) {}

  AnnotatedMatrix make();

 private:
  void open_matrix();
  void scale_proteins();
  void take_positions(const RunCells& cells);
  void take_spots(const RunTable& spots);
  void take_cells(const RunTable& table);
  void take_polygons(const RunCells& cells);
  void take_clusters(const RunCells& cells);
  void take_projections(const RunCells& cells);
  void take_tissue();
  void add_embedding(const std::string& kind, const std::string& key, const std::string& location,
                     const RunCells& cells);
  OriginsPtr origins() const;
  void add_left_out(const std::string& folder, int depth, Origins& origins) const;

  void take(const std::string& location) { taken_.insert(location); }
  bool is_file(const std::string& location) const {
    return context_.files.kind_of(location) == EntryKind::file;
  }
  // Returns the names of the folders in a folder, which may be absent.
  std::vector<std::string> folders_in(const std::string& folder) const;

  const tenx::RunFolder run_;
  const std::string place_;
  Context& context_;
  AnnotatedMatrix generated_;
  Attributes attributes_;        // of the matrix's file
  std::set<std::string> taken_;  // locations
};

std::vector<std::string> RunMaker::folders_in(const std::string& folder) const {
  std::vector<std::string> names;
  if (context_.files.kind_of(folder) != EntryKind::folder) return names;
  for (const Entry& entry : context_.files.open_folder(folder)->list(""))
    if (entry.kind == EntryKind::folder) names.push_back(entry.name);
  std::sort(names.begin(), names.end(), is_before_by_number);
  return names;
}

void RunMaker::open_matrix() {
  Context& own = context_.of_store(run_.matrix);
  const Probe probe(run_.matrix, own.files);
  const Container* const container = container_of(probe);
  if (!container) throw damaged("{}: neither HDF5 nor a folder with a matrix", run_.matrix);
  const Store store = container->open(probe, own);
  attributes_ = attributes_of(store.root);
  const auto found = annotated_matrix_of(with_known_members(with_meaning(store.root, own), own), own);
  if (!found) throw unsupported("{}: not a matrix of a run: names or counts are missing", run_.matrix);
  generated_ = found->make();
  if (!generated_.obs.row_names) throw damaged("{}: the barcodes are missing", run_.matrix);
  take(run_.matrix);
  // Its copy in the other format has no further parts.
  take(run_.matrix.ends_with(".h5") ? run_.matrix.substr(0, run_.matrix.size() - 3) : run_.matrix + ".h5");
}

// Divides the values of proteins by the factor by which Xenium multiplies them to store them as integers.
void RunMaker::scale_proteins() {
  const std::optional<double> factor = attributes_.number("protein_scaling_factor");
  const Column* const types = find_column(generated_.var.columns, "feature_types");
  if (!factor || !(*factor > 0) || *factor == 1 || !types) return;
  std::vector<bool> are_proteins;
  bool any = false;
  const Elements names = read_all(*types->values);
  std::string name;
  for (uint64_t gene = 0; gene < names.count; ++gene) {
    name.clear();
    append_plain(types->values->dtype(), names, gene, name);
    are_proteins.push_back(name == kProteins);
    any |= are_proteins.back();
  }
  auto* const x = std::get_if<SparseMatrix>(&generated_.x);
  if (!any || !x) return;
  if (!x->by_row || !x->value) {
    context_.notice(fmt::format("{}: proteins are not divided by protein_scaling_factor", run_.matrix));
    return;
  }
  x->value = std::make_shared<ScaledValues>(x->value, x->index, std::move(are_proteins), *factor);
  x->is_real = true;
}

void RunMaker::take_spots(const RunTable& spots) {
  if (spots.columns() != kPositionColumns.size())
    throw damaged("{}: {} columns, expected {}", run_.positions, spots.columns(), kPositionColumns.size());
  for (size_t column : {1, 2, 3})
    generated_.obs.columns.push_back({spots.name(column), spots.column(column)});
  constexpr size_t kPixelRow = 4, kPixelColumn = 5;
  generated_.obsm.push_back(
      {kSpatial, LabelledArray{spots.matrix({kPixelColumn, kPixelRow}), generated_.obs.row_names, nullptr}});
}

void RunMaker::take_cells(const RunTable& table) {
  std::optional<size_t> x, y;
  for (size_t i = 1; i < table.columns(); ++i) {
    const std::string& name = table.name(i);
    if (name == "x_centroid")
      x = i;
    else if (name == "y_centroid")
      y = i;
    else
      generated_.obs.columns.push_back({name, table.column(i)});
  }
  if (x && y)
    generated_.obsm.push_back(
        {kSpatial, LabelledArray{table.matrix({*x, *y}), generated_.obs.row_names, nullptr}});
}

// Places each cell at the centroid of its polygon. Cells are called cellid_000000001-1; the polygons have the
// number alone.
void RunMaker::take_polygons(const RunCells& cells) {
  constexpr double kNoPlace = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> places(checked_size(cells.count(), 2), kNoPlace);
  for (const CellCentroid& centroid : cell_centroids(run_.positions, context_)) {
    const uint64_t cell = cells.of(fmt::format("cellid_{:09}-1", centroid.cell));
    if (cell == RunCells::kNoCell) continue;
    places[2 * cell] = centroid.x;
    places[2 * cell + 1] = centroid.y;
  }
  ArrayPtr spatial = number_array(places, {cells.count(), 2});
  generated_.obsm.push_back({kSpatial, LabelledArray{std::move(spatial), generated_.obs.row_names, nullptr}});
}

void RunMaker::take_positions(const RunCells& cells) {
  const std::string& location = run_.positions;
  if (location.empty()) return;
  if (location.ends_with(".geojson")) return take_polygons(cells);
  const bool is_xenium = run_.kind == tenx::RunKind::xenium;
  const std::vector<std::string> names = is_xenium ? std::vector<std::string>() : kPositionColumns;
  const bool is_text = !location.ends_with(".parquet");
  const RunTable table(
      is_text ? run_table_in_text(location, names, context_) : run_table_in_parquet(location, context_),
      cells, location);
  is_xenium ? take_cells(table) : take_spots(table);
  take(location);
}

void RunMaker::take_clusters(const RunCells& cells) {
  const std::string analysis = run_.folder + "/analysis";
  const auto add = [&](const std::string& name, const std::string& location) {
    if (!is_file(location)) return;
    const RunTable table(run_table_in_text(location, {}, context_), cells, location);
    if (table.columns() < 2) throw damaged("{}: 1 column, expected 2", location);
    generated_.obs.columns.push_back({name, table.factor(1, context_)});
    take(location);
  };
  const std::string room = analysis + "/clustering";
  for (const std::string& key : folders_in(room)) add(key, fmt::format("{}/{}/clusters.csv", room, key));
  // Cell Ranger 1
  for (const std::string& key : folders_in(analysis + "/kmeans"))
    add("kmeans_" + key, fmt::format("{}/kmeans/{}/clusters.csv", analysis, key));
}

void RunMaker::add_embedding(const std::string& kind, const std::string& key, const std::string& location,
                             const RunCells& cells) {
  if (!is_file(location)) return;
  const std::string_view features = kind_of_features(key);
  const bool is_main = features.empty() || features == kGeneExpression;
  const std::string name = is_main ? "X_" + kind : fmt::format("X_{}_{}", features, kind);
  if (std::any_of(generated_.obsm.begin(), generated_.obsm.end(),
                  [&](const AnnotatedPart& part) { return part.name == name; }))
    return;  // with another number of components: left out
  const RunTable table(run_table_in_text(location, {}, context_), cells, location);
  std::vector<size_t> columns;
  for (size_t i = 1; i < table.columns(); ++i) columns.push_back(i);
  generated_.obsm.push_back({name, LabelledArray{table.matrix(columns), generated_.obs.row_names, nullptr}});
  take(location);
}

void RunMaker::take_projections(const RunCells& cells) {
  for (const char* kind : {"pca", "tsne", "umap"}) {
    const std::string room = fmt::format("{}/analysis/{}", run_.folder, kind);
    add_embedding(kind, "", room + "/projection.csv", cells);  // Cell Ranger 1
    for (const std::string& key : folders_in(room))
      add_embedding(kind, key, fmt::format("{}/{}/projection.csv", room, key), cells);
  }
}

void RunMaker::take_tissue() {
  if (run_.spatial.empty()) return;
  RunTissue tissue = tissue_of(run_, context_);
  const std::vector<std::string> libraries = attributes_.texts("library_ids");
  tissue.name = libraries.empty() ? std::string(last_name(run_.root)) : libraries.front();
  for (const char* name : {"chemistry_description", "software_version"})
    if (std::string text = attributes_.readable().text(name); !text.empty())
      tissue.metadata.emplace_back(name, std::move(text));
  for (const std::string& folder : run_.spatial)  // that of the whole run has the same pictures
    for (const char* name : {kFactors, kHires, kLowres}) take(fmt::format("{}/{}", folder, name));
  generated_.pictures = [tissue, &context = context_] { return std::vector{run_pictures(tissue, context)}; };
  const auto spatial = std::find_if(generated_.obsm.begin(), generated_.obsm.end(),
                                    [](const AnnotatedPart& part) { return part.name == kSpatial; });
  if (spatial == generated_.obsm.end()) return;
  generated_.slides = [tissue, places = std::get<LabelledArray>(spatial->content), obs = generated_.obs,
                       &context = context_] { return run_slides(tissue, places, obs, context); };
}

// Names what no file takes: each file and store in the folder of the run and in its folders, and the folders
// below them as a whole unless something in them is taken.
void RunMaker::add_left_out(const std::string& folder, int depth, Origins& origins) const {
  const auto is_known = [](const std::string& name) {
    return std::find(std::begin(kNoParts), std::end(kNoParts), name) != std::end(kNoParts);
  };
  std::vector<Entry> entries = context_.files.open_folder(folder)->list("");
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  for (const auto& [name, kind] : entries) {
    const std::string location = folder + "/" + name;
    if (taken_.contains(location) || is_known(name)) continue;
    const auto below = taken_.lower_bound(location + "/");
    const bool has_taken = below != taken_.end() && below->starts_with(location + "/");
    const bool is_whole = depth > 0 || kind != EntryKind::folder ||
                          is_store_in_folder(Probe(location, context_.files)) ||
                          tenx::run_folder(location, context_);
    if (has_taken || !is_whole)
      add_left_out(location, depth + 1, origins);
    else
      origins.add_left_out(place_ + location.substr(run_.root.size()));
  }
}

OriginsPtr RunMaker::origins() const {
  auto origins = std::make_shared<Origins>(nullptr);
  add_left_out(run_.root, 0, *origins);
  return origins;
}

AnnotatedMatrix RunMaker::make() {
  open_matrix();
  scale_proteins();
  const RunCells cells(generated_.obs.row_names);
  take_positions(cells);
  take_clusters(cells);
  take_projections(cells);
  take_tissue();
  generated_.origins = origins();
  return std::move(generated_);
}

std::string assay_of(tenx::RunKind kind) {
  switch (kind) {
    case tenx::RunKind::cell_ranger:
      return {};
    case tenx::RunKind::visium:
    case tenx::RunKind::visium_hd:
      return "Spatial";
    case tenx::RunKind::xenium:
      return "Xenium";
  }
  return {};
}

}  // namespace

void find_run(const Node& directory, Context& context, std::vector<FoundAnnotatedMatrix>& found) {
  const auto* folder = std::get_if<PlainFile>(&directory.content);
  if (!folder || !directory.parts) return;
  std::optional<tenx::RunFolder> run = tenx::run_folder(folder->path, context);
  if (!run) return;
  const std::string assay = assay_of(run->kind);
  // All files of the directory share the matrix, whichever is read first.
  const auto generated = std::make_shared<Lazy<std::shared_ptr<const AnnotatedMatrix>>>();
  const auto make = [generated, run = *std::move(run), place = directory.parts->path(), &context] {
    return *generated->get(
        [&] { return std::make_shared<const AnnotatedMatrix>(RunMaker(run, place, context).make()); });
  };
  found.push_back({.name = "anndata", .make = make, .has_obs = true, .has_feature_types = true});
  found.back().assay = assay;
}

}  // namespace plainfs::annotated
