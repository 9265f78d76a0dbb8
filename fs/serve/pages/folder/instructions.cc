#include "fs/serve/pages/folder/instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "formats/annotated/cell_groups.h"
#include "formats/core/text/json.h"
#include "formats/core/text/percent.h"
#include "fs/report/ranked_files.h"
#include "fs/serve/h5grove/h5grove.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/site/source_answer.h"
#include "fs/views/file_forms.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxSets = 8;  // columns with groups that a viewer receives

// A file of the subject, and its path.
struct FoundFile {
  std::vector<std::string> path;
  FolderEntry entry;
  RankedFile ranked;
  bool is_beside;  // beside the subject's folder: a file of the subject itself
};

// Returns whether an entry of the subject's folder represents all of it. For a group, its own files do, and
// its tables and numeric arrays. A column of a table does not represent the table. The main table of the
// store represents what it describes.
bool represents(const Subject& subject, const Meaning& meaning) {
  if (meaning.member.empty() || meaning.identity.role() == Role::main_table) return true;
  if (!std::holds_alternative<std::monostate>(subject.node().content)) return false;
  const auto* array = std::get_if<LabelledArray>(&meaning.node.content);
  return array ? array->values->dtype().is_numeric() : std::holds_alternative<Table>(meaning.node.content);
}

// Returns the files of views that represent the subject and can be read, the best ones first.
std::vector<FoundFile> files_of(const Subject& subject, const Offers& offers) {
  std::vector<FoundFile> files;
  const auto add = [&](const FolderEntry& entry, const std::string& up, bool is_beside) {
    if (!entry.row || entry.is_folder || entry.is_link || !entry.error.empty() ||
        has_no_reader(offers, up + percent_encoded(entry.name)))
      return;
    const OpenMeaning meaning = entry.place.filesystem->meaning(entry.place.inode);
    if (!is_beside && !represents(subject, meaning.what)) return;
    FoundFile file{subject.place.names,
                   entry,
                   {entry.name, entry.place.inode, entry.row, !entry.is_unlisted},
                   is_beside};
    file.ranked.rank = rank(*entry.row, *meaning.what.identity.node);
    if (is_beside && subject.has_folder && !file.path.empty()) file.path.pop_back();
    file.path.push_back(entry.name);
    files.push_back(std::move(file));
  };
  for (const FolderEntry& entry : subject.beside) add(entry, subject.has_folder ? "../" : "", true);
  if (subject.meaning)
    for (const FolderEntry& entry : subject.inside) add(entry, "", false);
  std::stable_sort(files.begin(), files.end(),
                   [](const FoundFile& a, const FoundFile& b) { return a.ranked.is_better_than(b.ranked); });
  // The NetCDF of a variable has its coordinates, too.
  std::stable_partition(files.begin(), files.end(), [](const FoundFile& file) {
    return file.is_beside && file.entry.is(forms::kVariable);
  });
  return files;
}

// The name of a program, for a heading.
std::string program_name(const OpenWith& with) {
  std::string name(with.program);
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
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

bool has_no_reader(const Offers& offers, const std::string& href) {
  const auto is_unreadable = [&](const TakeAs& form) {
    return form.href == href && (!form.fault.empty() || form.size == 0);
  };
  return std::any_of(offers.views.begin(), offers.views.end(), is_unreadable) ||
         std::any_of(offers.contents.rows.begin(), offers.contents.rows.end(), [&](const ContentRow& row) {
           return std::any_of(row.views.begin(), row.views.end(), is_unreadable);
         });
}

void add_instructions(const Exchange& exchange, const Subject& subject, Offers& offers) {
  std::set<std::string_view> shown;
  for (const FoundFile& file : files_of(subject, offers))
    for (const OpenWith& with : file.entry.row->form.opens) {
      if (with.address.empty() || !shown.insert(with.program).second) continue;
      const OpenMeaning meaning = file.entry.place.filesystem->meaning(file.entry.place.inode);
      // Addresses are percent-encoded, so that no quote in them ends the text around them.
      const std::string address = '"' + exchange.address(file.path, false) + '"';
      offers.open_with.lines.push_back(
          {program_name(with), text_to_open(with, with.address, address, has_no_header(meaning.what))});
    }
  if (subject.has_folder && subject.meaning && subject.meaning->what.is_store)
    offers.open_with.lines.push_back(
        {"H5Web", fmt::format("<H5GroveProvider url=\"{}\" filepath={{{}}}><App /></H5GroveProvider>",
                              exchange.address({std::string(kOwnFolder), std::string(kH5Folder)}, false),
                              to_json_text(h5_file(exchange.site, subject.place.names)))});
  if (subject.has_folder)
    offers.open_with.lines.push_back(
        {"All of it", fmt::format("wget -r -np -nH \"{}\"", exchange.address(subject.place.names, true))});
}

void add_source_instructions(const Exchange& exchange, const Subject& subject, Offers& offers) {
  const std::optional<std::vector<std::string>> path =
      source_path(*subject.meaning->what.store, subject.place.names);
  if (!path) return;
  const bool is_folder = path->back() == kSourceFolder;
  const std::string source = exchange.address(*path, is_folder);
  const std::string href = fmt::format("{}/{}/", kOwnFolder, kSourceFolder);
  offers.views.push_back({is_folder ? "original folder" : "original file",
                          is_folder ? href : href + percent_encoded(path->back())});
  if (!std::holds_alternative<Image>(subject.node().content)) return;
  if (is_folder) {
    offers.open_with.viewers.push_back(
        {"vizarr", "https://hms-dbmi.github.io/vizarr/?source=" + percent_encoded(source)});
    offers.open_with.lines.push_back(
        {"napari", fmt::format("napari --plugin napari-ome-zarr \"{}\"", source)});
  }
  const std::vector<FoundFile> files = files_of(subject, offers);
  const auto tiff = std::find_if(files.begin(), files.end(),
                                 [](const FoundFile& file) { return file.entry.is(forms::kOmeTiff); });
  if (tiff == files.end()) return;
  const std::string address = exchange.address(tiff->path, false);
  offers.open_with.viewers.push_back(
      {"Avivator", "https://avivator.gehlenborglab.org/?image_url=" + percent_encoded(address)});
  offers.open_with.lines.push_back(
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
        sets.size() < kMaxSets)
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
