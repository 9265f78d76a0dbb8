#include "fs/serve/pages/folder/instructions.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/annotated/cell_groups.h"
#include "formats/core/text/json.h"
#include "formats/core/text/percent.h"
#include "fs/serve/h5grove/h5grove.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/site/source_answer.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMostSets = 8;  // columns with groups that a viewer receives

// The text to type for a file with that ending. Addresses are percent-encoded, so that no quote in them ends
// the text around them.
struct WayOf {
  std::string_view program;
  std::string_view ending;
  std::string_view before;
  std::string_view after;
  std::string_view after_bare{};  // for a file without a header; empty: not possible
};
// The first match of each program is shown.
constexpr WayOf kWaysOf[] = {
    // An open connection counts against R's limit of 128.
    {"R", "seurat.rds", "con <- url(\"", "\"); x <- readRDS(con); close(con)  # a Seurat object"},
    {"R", "dataset.nc", "download.file(\"",
     "\", \"dataset.nc\", mode = \"wb\"); x <- ncdf4::nc_open(\"dataset.nc\")"},
    {"R", ".rds", "con <- url(\"", "\"); x <- readRDS(con); close(con)"},
    {"R", ".csv", "x <- read.csv(\"", "\")", "\", header = FALSE, blank.lines.skip = FALSE)"},
    {"R", ".tsv", "x <- read.delim(\"", "\", header = FALSE, blank.lines.skip = FALSE)"},
    {"Python", ".h5ad", "import anndata, fsspec\nx = anndata.read_h5ad(fsspec.open(\"", "\").open())"},
    {"Python", ".ome.tif",
     "import io, urllib.request, tifffile\nx = tifffile.imread(io.BytesIO(urllib.request.urlopen(\"",
     "\").read()))"},
    {"Python", "dataset.nc",
     "import io, urllib.request, xarray\nx = xarray.open_dataset(io.BytesIO(urllib.request.urlopen(\"",
     "\").read()))"},
    {"Python", "matrix.mtx", "import urllib.request, scipy.io\nx = scipy.io.mmread(urllib.request.urlopen(\"",
     "\"))"},
    {"Python", "fragments.tsv", "import pandas\nx = pandas.read_csv(\"", "\", sep=\"\\t\", header=None)"},
    {"Python", ".npy",
     "import io, urllib.request, numpy\nx = numpy.load(io.BytesIO(urllib.request.urlopen(\"", "\").read()))"},
    {"Python", ".csv", "import pandas\nx = pandas.read_csv(\"", "\")", "\", header=None)"},
    {"Shell", "variants.vcf.gz", "bcftools view -H \"", "\" | head"},
    {"Shell", "fragments.tsv.gz", "tabix -l \"", "\""},
    {"Shell", ".ome.tif", "curl -O \"", "\""},
    {"Shell", ".h5ad", "curl -O \"", "\""},
    {"Shell", "matrix.mtx", "curl -O \"", "\""},
    {"Shell", "dataset.nc", "curl -O \"", "\""},
    {"Shell", ".csv", "curl \"", "\" | head"},
};

// A file of the subject, and its path.
struct FoundFile {
  std::vector<std::string> path;
  FolderEntry entry;
};

// Returns how well an entry of the subject's folder represents all of it, 0 best; nullopt if it does not. For
// a group, its own files are best, then its tables, then its numeric arrays. A column of a table does not
// represent the table.
std::optional<int> rank_in(const Subject& subject, const FolderEntry& entry) {
  if (!subject.meaning) return std::nullopt;
  const Meaning meaning = entry.place.filesystem->meaning(entry.place.inode).what;
  if (meaning.member.empty()) return 0;
  if (!std::holds_alternative<std::monostate>(subject.node().content)) return std::nullopt;
  if (std::holds_alternative<Table>(meaning.node.content)) return 1;
  const auto* array = std::get_if<LabelledArray>(&meaning.node.content);
  return array && array->values->dtype().is_numeric() ? std::optional(2) : std::nullopt;
}

std::optional<FoundFile> file_of(const Subject& subject, const PageModel& page, std::string_view ending) {
  const auto has = [&](const FolderEntry& entry) {
    return !entry.is_folder && !entry.is_link && entry.error.empty() && entry.name.ends_with(ending);
  };
  const std::string up = subject.has_folder ? "../" : "";
  for (const FolderEntry& entry : subject.beside) {
    if (!has(entry) || has_no_reader(page, up + percent_encoded(entry.name))) continue;
    std::vector<std::string> names = subject.place.names;
    if (subject.has_folder && !names.empty()) names.pop_back();
    names.push_back(entry.name);
    return FoundFile{std::move(names), entry};
  }
  const FolderEntry* best = nullptr;
  int best_rank = 3;
  for (const FolderEntry& entry : subject.inside) {
    if (!has(entry)) continue;
    const std::optional<int> rank = rank_in(subject, entry);
    if (!rank || *rank >= best_rank || has_no_reader(page, percent_encoded(entry.name))) continue;
    best = &entry;
    best_rank = *rank;
  }
  if (!best) return std::nullopt;
  std::vector<std::string> names = subject.place.names;
  names.push_back(best->name);
  return FoundFile{std::move(names), *best};
}

// Returns whether the .csv of the entry's member begins with its first value (fs/VIEWS.md, section 3).
bool is_bare(const FolderEntry& entry) {
  const OpenMeaning meaning = entry.place.filesystem->meaning(entry.place.inode);
  const auto* array = std::get_if<LabelledArray>(&meaning.what.node.content);
  return array && !array->row_names && !array->column_names &&
         array->values->dtype().kind != Kind::compound && !meaning.what.context->options.array_header;
}

Json json_scopes(const std::string& embedding_scope) {
  Json::Object scopes{{"dataset", "A"}};
  if (!embedding_scope.empty()) scopes.emplace_back("embeddingType", embedding_scope);
  return scopes;
}

Json component(const char* name, const std::string& scope, int64_t x, int64_t width, int64_t y,
               int64_t height) {
  return Json::Object{{"component", name},    {"coordinationScopes", json_scopes(scope)},
                      {"x", Json::of(x)},     {"y", Json::of(y)},
                      {"w", Json::of(width)}, {"h", Json::of(height)}};
}

}  // namespace

bool has_no_reader(const PageModel& page, const std::string& href) {
  const auto is_unreadable = [&](const TakeAs& form) {
    return form.href == href && (!form.fault.empty() || form.size == 0);
  };
  return std::any_of(page.views.begin(), page.views.end(), is_unreadable) ||
         std::any_of(page.contents.begin(), page.contents.end(), [&](const ContentRow& row) {
           return std::any_of(row.views.begin(), row.views.end(), is_unreadable);
         });
}

void add_instructions(const Exchange& exchange, const Subject& subject, PageModel& page) {
  std::string_view last;
  for (const WayOf& way : kWaysOf) {
    if (way.program == last) continue;
    const std::optional<FoundFile> file = file_of(subject, page, way.ending);
    if (!file) continue;
    last = way.program;
    const bool takes_bare = !way.after_bare.empty() && is_bare(file->entry);
    page.instructions.push_back(
        {std::string(way.program), fmt::format("{}{}{}", way.before, exchange.address(file->path, false),
                                               takes_bare ? way.after_bare : way.after)});
  }
  if (subject.has_folder && subject.meaning && subject.meaning->what.is_store)
    page.instructions.push_back(
        {"H5Web", fmt::format("<H5GroveProvider url=\"{}\" filepath={{{}}}><App /></H5GroveProvider>",
                              exchange.address({std::string(kOwnFolder), std::string(kH5Folder)}, false),
                              to_json_text(h5_file(exchange.site, subject.place.names)))});
  if (subject.has_folder)
    page.instructions.push_back(
        {"All of it", fmt::format("wget -r -np -nH \"{}\"", exchange.address(subject.place.names, true))});
}

void add_source_instructions(const Exchange& exchange, const Subject& subject, PageModel& page) {
  const std::optional<std::vector<std::string>> path =
      source_path(*subject.meaning->what.store, subject.place.names);
  if (!path) return;
  const bool is_folder = path->back() == kSourceFolder;
  const std::string source = exchange.address(*path, is_folder);
  const std::string way = fmt::format("{}/{}/", kOwnFolder, kSourceFolder);
  page.views.push_back({"as stored", is_folder ? way : way + percent_encoded(path->back())});
  if (!std::holds_alternative<Image>(subject.node().content)) return;
  if (is_folder) {
    page.viewers.push_back(
        {"vizarr", "https://hms-dbmi.github.io/vizarr/?source=" + percent_encoded(source)});
    page.instructions.push_back({"napari", fmt::format("napari --plugin napari-ome-zarr \"{}\"", source)});
  }
  const std::optional<FoundFile> tiff = file_of(subject, page, ".ome.tif");
  if (!tiff) return;
  const std::string address = exchange.address(tiff->path, false);
  page.viewers.push_back(
      {"Avivator", "https://avivator.gehlenborglab.org/?image_url=" + percent_encoded(address)});
  page.instructions.push_back(
      {"Fiji", fmt::format("curl -O \"{}\" && ImageJ {}", address, percent_encoded(tiff->path.back()))});
}

std::optional<TakeAs> vitessce_link(const AnnotatedMatrix& matrix, const std::string& zarr_address) {
  const std::vector<std::string> embeddings = stored_embeddings(matrix);
  if (embeddings.empty()) return std::nullopt;
  Json::List places, sets;
  for (const std::string& name : embeddings)
    places.push_back(Json::Object{{"path", "obsm/" + name},
                                  {"dims", Json::List{Json::of(int64_t{0}), Json::of(int64_t{1})}},
                                  {"embeddingType", name}});
  for (const Column& column : matrix.obs.columns)
    if (levels_of(*column.values) == ColumnLevels::few && column.name != matrix.obs_names &&
        sets.size() < kMostSets)
      sets.push_back(Json::Object{{"name", column.name}, {"path", "obs/" + column.name}});
  Json::Object options{{"obsEmbedding", std::move(places)}};
  Json::List layout{component("scatterplot", "A", 0, sets.empty() ? 8 : 6, 0, 12)};
  if (!sets.empty()) {
    options.emplace_back("obsSets", std::move(sets));
    layout.push_back(component("obsSets", "", 6, 3, 0, 12));
  }
  if (const auto* x = std::get_if<SparseMatrix>(&matrix.x)) {
    // Reading one gene of it is cheap.
    options.emplace_back("obsFeatureMatrix", Json::Object{{"path", x->by_row ? "layers/X_csc" : "X"}});
    layout.push_back(component("featureList", "", 9, 3, 0, 12));
  } else if (std::holds_alternative<LabelledArray>(matrix.x)) {
    options.emplace_back("obsFeatureMatrix", Json::Object{{"path", "X"}});
    layout.push_back(component("featureList", "", 9, 3, 0, 12));
  }
  const Json config = Json::Object{
      {"version", "1.0.16"},
      {"name", "plainfs"},
      {"description", ""},
      {"datasets",
       Json::List{Json::Object{{"uid", "A"},
                               {"name", "store"},
                               {"files", Json::List{Json::Object{{"fileType", "anndata.zarr"},
                                                                 {"url", zarr_address},
                                                                 {"options", std::move(options)}}}}}}},
      {"coordinationSpace", Json::Object{{"dataset", Json::Object{{"A", "A"}}},
                                         {"embeddingType", Json::Object{{"A", embeddings[0]}}}}},
      {"layout", std::move(layout)},
      {"initStrategy", "auto"}};
  return TakeAs{"Vitessce", "https://vitessce.io/#?url=data:," + percent_encoded(to_json_text(config))};
}

// The web app recognizes a session by the end of its address.
TakeAs igv_link(const std::string& folder_address) {
  return {"IGV", "https://igv.org/app/?sessionURL=" + percent_encoded(folder_address + "?igv=session.json")};
}

Json igv_session(const std::string& address) {
  return Json::Object{{"tracks", Json::List{Json::Object{{"name", "fragments"},
                                                         {"type", "annotation"},
                                                         {"format", "bed"},
                                                         {"url", address},
                                                         {"indexURL", address + ".tbi"}}}}};
}

}  // namespace plainfs::serve
