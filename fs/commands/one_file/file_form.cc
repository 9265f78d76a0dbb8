#include "fs/commands/one_file/file_form.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "formats/core/cf/dataset.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/shell_word.h"
#include "fs/commands/target_folder.h"
#include "fs/report/main_part.h"
#include "fs/report/walk.h"

namespace plainfs {
namespace {

using Names = FormName[];

constexpr Names kAnnData = {{"anndata.h5ad", "AnnData"}, {"*.h5ad", "AnnData"}},
                kR = {{"seurat.rds", "a Seurat object for R"},
                      {"matrix.rds", "a sparse matrix for R"},
                      {"*.rds", "for R"}},
                kZarr = {{"anndata.zarr", "AnnData in Zarr"}, {"*.zarr", "AnnData in Zarr"}},
                kTenx = {{"counts/10x/10x.h5", "10x Genomics"},
                         {"raw/X/10x/10x.h5", "10x Genomics"},
                         {"10x.h5", "10x Genomics"}},
                kVariantsGz = {{"variants.vcf.gz", "variants, with their index"}},
                kVariants = {{"variants.vcf", "variants"}},
                kBed = {{"plink.bed", "PLINK 1, with .bim and .fam"}, {"ranges.bed", "ranges"}},
                kBgen = {{"genotypes.bgen", "genotypes, with .sample"}},
                kFragmentsGz = {{"fragments.tsv.gz", "fragments, with their index"}},
                kFragments = {{"fragments.tsv", "fragments"}},
                kImage = {{"image.ome.tif", "an image"}, {"*.ome.tif", "an image"}},
                kNetCdf = {{"dataset.nc", "NetCDF"}, {"*.nc", "NetCDF"}},
                kMatrix = {{"X/matrix.mtx", "MatrixMarket"},
                           {"counts/matrix.mtx", "MatrixMarket"},
                           {"matrix.mtx", "MatrixMarket"}},
                kTable = {{"obs.csv", "the cells"},
                          {"meta.data.csv", "the cells"},
                          {"column_data.csv", "the cells"},
                          {"sites.csv", "the variants"},
                          {"*.csv", "text"}},
                kParquet = {{"obs.parquet", "the cells"},
                            {"meta.data.parquet", "the cells"},
                            {"column_data.parquet", "the cells"},
                            {"sites.parquet", "the variants"},
                            {"*.parquet", "a table"}},
                kNumpy = {{"X.npy", "NumPy"}, {"obsm/*.npy", "NumPy"}, {"*.npy", "NumPy"}},
                kMat = {{"X.mat", "MATLAB"}, {"obsm/*.mat", "MATLAB"}, {"*.mat", "MATLAB"}};

constexpr Companion kVariantsIndex[] = {{".vcf.gz.tbi", ".vcf.gz.csi", false}},
                    kFragmentsIndex[] = {{".tsv.gz.tbi", ".tsv.gz.csi", false}},
                    kPlinkTables[] = {{".bim"}, {".fam"}}, kBgenSamples[] = {{".sample"}};

constexpr FileForm kForms[] = {
    {".h5ad", kAnnData},
    {".rds", kR},
    {".zarr", kZarr, {}, true},
    {".h5", kTenx},
    {".vcf.gz", kVariantsGz, kVariantsIndex},
    {".vcf", kVariants},
    {".bed", kBed, kPlinkTables},
    {".bgen", kBgen, kBgenSamples},
    {".tsv.gz", kFragmentsGz, kFragmentsIndex},
    {".tsv", kFragments},
    {".ome.tif", kImage},
    {".nc", kNetCdf},
    {".mtx", kMatrix},
    {".csv", kTable},
    {".parquet", kParquet},
    {".npy", kNumpy},
    {".mat", kMat},
};

bool fits_name(const std::string& path, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (star != std::string_view::npos) {
    const std::string_view folder = pattern.substr(0, star), ending = pattern.substr(star + 1);
    const size_t name = path.rfind('/') + 1;
    return path.starts_with(folder) && (folder.empty() || name == folder.size()) && path.ends_with(ending) &&
           path.size() - name > ending.size();
  }
  return path.ends_with(pattern) &&
         (path.size() == pattern.size() || path[path.size() - pattern.size() - 1] == '/');
}

// Returns "a/b" for "a/b.csv" if its ending is that of the form.
std::optional<std::string> without_ending(const std::string& path, const FileForm& form) {
  if (form_of_name(path) != &form) return std::nullopt;
  return path.substr(0, path.size() - form.ending.size());
}

// The order of the files of one form.
class FormOrder {
 public:
  FormOrder(Filesystem& filesystem, const FileForm& form, const std::vector<FormFile>& all)
      : filesystem_(filesystem), form_(form), main_(main_part(filesystem)) {
    for (const FormFile& file : all) {
      paths_.insert(file.path);
      has_annotated_ |= file.path.ends_with(".h5ad");
    }
  }

  // The rank of a file, lower is better, and the name of the form that it matches.
  struct Rank {
    std::tuple<bool, size_t, bool, size_t, bool, bool, size_t> place;
    const FormName* name;
    bool is_part() const { return std::get<0>(place); }
  };
  // Returns nullopt for a file of another form.
  std::optional<Rank> rank(const FormFile& file) const {
    if (file.is_folder != form_.is_folder) return std::nullopt;
    const std::optional<std::string> stem = without_ending(file.path, form_);
    const auto name = std::find_if(form_.names.begin(), form_.names.end(),
                                   [&](const FormName& one) { return fits_name(file.path, one.pattern); });
    if (!stem || name == form_.names.end()) return std::nullopt;
    const bool is_any = name->pattern.starts_with('*');
    const bool is_table = paths_.contains(*stem + ".parquet");
    const bool is_part =
        is_within_another(file.path) ||
        (is_any && !is_table && (is_raw_part(file.path) || is_array_of_annotated(file.path)));
    const bool is_of_root = !is_any && file.path.find('/') == std::string::npos;
    const auto depth = static_cast<size_t>(std::count(file.path.begin(), file.path.end(), '/'));
    return Rank{{is_part, place_in_dataset(file, *stem), !file.is_listed, name - form_.names.begin(),
                 !is_of_root && !is_of_main_part(file.path), !is_table, depth},
                &*name};
  }

 private:
  // Returns the place of a file among those of the variables of a CF dataset: data before what describes
  // them, the variable with the most dimensions first, its table before its array. Returns 0 for any other
  // file.
  size_t place_in_dataset(const FormFile& file, const std::string& stem) const try {
    constexpr std::string_view kSuffix = ".table";
    constexpr size_t kMostRank = 64;
    const OpenMeaning folder = filesystem_.meaning(filesystem_.parent(file.inode));
    const CfDatasetPtr dataset = cf_dataset(folder.what.node);
    if (!dataset) return 0;
    std::string name(last_name(stem));
    const bool is_table = name.ends_with(kSuffix);
    if (is_table) name.resize(name.size() - kSuffix.size());
    const CfVariable* const variable = dataset->find(name);
    if (!variable) return 0;
    const bool is_data = variable->rank() > 0 && variable->values->dtype().is_numeric() &&
                         !variable->is_coordinate() && !is_referred_to(*dataset, name);
    return 1 + 2 * (kMostRank - (is_data ? std::min(variable->rank(), kMostRank) : 0)) + !is_table;
  } catch (const Error&) {
    return 0;
  }
  // Returns whether the attributes of a variable refer to `name`, as to its bounds or its grid mapping.
  static bool is_referred_to(const CfDataset& dataset, const std::string& name) {
    for (const CfVariable& variable : dataset.variables)
      for (const char* attribute : {"bounds", "climatology", "coordinates", "grid_mapping"})
        if ((" " + variable.attributes.readable().text(attribute) + " ").find(" " + name + " ") !=
            std::string::npos)
          return true;
    return false;
  }
  // Returns whether the file is a column of a table or an array of a sparse matrix.
  bool is_raw_part(const std::string& path) const {
    const std::string folder = path.substr(0, path.size() - last_name(path).size());
    return paths_.contains(folder + "matrix.mtx") ||
           (!folder.empty() && paths_.contains(folder.substr(0, folder.size() - 1) + ".parquet"));
  }
  // Returns whether the file is one of many arrays of an annotated matrix, beside the matrices that users
  // expect.
  bool is_array_of_annotated(const std::string& path) const {
    return has_annotated_ && (path.ends_with(".npy") || path.ends_with(".mat"));
  }
  // Returns whether a file with this form is of a folder that contains the file: a layer of an assay.
  bool is_within_another(const std::string& path) const {
    for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      if (paths_.contains(path.substr(0, slash) + std::string(form_.ending))) return true;
    return false;
  }
  bool is_of_main_part(const std::string& path) const {
    return !main_.empty() && path.starts_with(main_) && path.size() > main_.size() &&
           (path[main_.size()] == '/' || path[main_.size()] == '.');
  }

  Filesystem& filesystem_;
  const FileForm& form_;
  const std::string main_;
  std::unordered_set<std::string> paths_;
  bool has_annotated_ = false;
};

std::optional<FormFile> file_at(Filesystem& filesystem, const FileForm& form, const std::string& path) {
  try {
    const Inode inode = filesystem.resolve(path);
    const bool is_folder = filesystem.kind(inode) == FileKind::directory;
    if (is_folder == form.is_folder) return FormFile{plain_path(path), inode, is_folder};
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
  }
  return std::nullopt;
}

// Returns the name that files beside each other share: "a/obs" for "a/obs.csv".
std::string shared_name(const std::string& path) {
  const FileForm* const form = form_of_name(path);
  const size_t ending = form ? form->ending.size() : file_ending(path).size();
  return path.substr(0, path.size() - ending);
}

// Returns "pbmc" for "a/pbmc.h5ad", and "cells" for "cells.ome.zarr/".
std::string stem_of(const std::string& given) {
  std::string name = given;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  name = std::string(last_name(name));
  name.resize(name.size() - file_ending(name).size());
  for (const std::string_view inner : {".ome", ".vcf"})
    if (name.ends_with(inner)) name.resize(name.size() - inner.size());
  return name.empty() || name == "." || name == ".." ? "store" : name;
}

std::string comment_of(const OfferedForm& offered) {
  std::string comment = fmt::format("{}: {}", offered.file.what, printable(offered.file.path));
  if (offered.others > 0) comment += fmt::format(", or {} more with --of PATH", offered.others);
  return comment;
}

}  // namespace

std::span<const FileForm> file_forms() {
  return kForms;
}

const FileForm* form_of_name(std::string_view name) {
  const std::string small = lower_case(name);
  const FileForm* found = nullptr;
  for (const FileForm& form : kForms)
    if (small.ends_with(form.ending) && (!found || found->ending.size() < form.ending.size())) found = &form;
  return found;
}

std::string_view file_ending(std::string_view name) {
  name = last_name(name);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return {};
  const std::string_view letters = name.substr(dot + 1);
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0; };
  const bool is_ending = std::isalpha(static_cast<unsigned char>(letters[0])) != 0 && letters.size() <= 8 &&
                         std::all_of(letters.begin(), letters.end(), is_letter);
  return is_ending ? name.substr(dot) : std::string_view();
}

std::vector<FormFile> form_files(Filesystem& filesystem, const std::string& path) {
  std::vector<FormFile> all;
  std::vector<FormFile> left{{path, filesystem.resolve(path), true}};
  while (!left.empty()) {
    const FormFile folder = std::move(left.back());
    left.pop_back();
    try {
      const ListingPtr listing = filesystem.list(folder.inode);
      for (size_t i = listing->size(); i-- > 0;) {  // a stack: the last entry is examined first
        const Listing::Entry& entry = listing->at(i);
        const bool is_folder = filesystem.kind(entry.inode) == FileKind::directory;
        FormFile file{folder.path.empty() ? entry.name : folder.path + "/" + entry.name, entry.inode,
                      is_folder, i < listing->once()};
        if (is_folder && file.is_listed)
          left.push_back(std::move(file));
        else if (is_folder || filesystem.kind(entry.inode) == FileKind::file)
          all.push_back(std::move(file));
      }
    } catch (const Error&) {
      // An entry that cannot be listed cannot be exported either.
    }
  }
  return all;
}

std::vector<FormFile> files_of_form(Filesystem& filesystem, const FileForm& form,
                                    const std::vector<FormFile>& all) {
  const FormOrder order(filesystem, form, all);
  std::vector<std::pair<FormOrder::Rank, const FormFile*>> ranked;
  for (const FormFile& file : all)
    if (const auto rank = order.rank(file)) ranked.emplace_back(*rank, &file);
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.place, a.second->path) < std::tie(b.first.place, b.second->path);
  });
  std::vector<FormFile> found;
  for (const auto& [rank, file] : ranked) {
    found.push_back(*file);
    found.back().is_part = rank.is_part();
    found.back().what = rank.name->what;
    found.back().is_any = rank.name->pattern.starts_with('*');
  }
  return found;
}

std::vector<OfferedForm> offered_forms(Filesystem& filesystem, const std::vector<FormFile>& all) {
  std::vector<OfferedForm> offered;
  for (const FileForm& form : kForms) {
    const std::vector<FormFile> found = files_of_form(filesystem, form, all);
    const auto whole = static_cast<size_t>(
        std::count_if(found.begin(), found.end(), [](const FormFile& file) { return !file.is_part; }));
    if (whole > 0) offered.push_back({&form, found.front(), whole - 1});
  }
  return offered;
}

FormFile file_of_part(Filesystem& filesystem, const FileForm& form, const std::string& store,
                      const std::string& path) {
  const std::string part = plain_path(path);
  if (auto beside = file_at(filesystem, form, part + std::string(form.ending))) return *beside;
  const Inode inode = resolve_given(filesystem, store, part);
  std::string folder = part;
  if (filesystem.kind(inode) != FileKind::directory) {
    if (form_of_name(part) == &form) return {part, inode, false};
    if (auto beside = file_at(filesystem, form, shared_name(part) + std::string(form.ending))) return *beside;
    folder = part.substr(0, part.size() - std::min(part.size(), last_name(part).size() + 1));
  }
  std::vector<FormFile> inside;
  if (!folder.empty() || folder == part) inside = form_files(filesystem, folder);
  inside = files_of_form(filesystem, form, inside);
  if (inside.empty())
    throw Failure(kUsage, fmt::format("{}: {} cannot be written as {}", store, part, form.ending));
  return inside.front();
}

std::string lines_to_write(Filesystem& filesystem, const std::string& store, const std::string& path) {
  struct Line {
    std::string command;
    std::string comment;
  };
  std::vector<Line> lines;
  size_t width = 0;
  const std::string part = path.empty() ? "" : "--of " + shell_word(path) + " ";
  const std::string stem = stem_of(path.empty() ? store : path);
  for (const OfferedForm& offered : offered_forms(filesystem, form_files(filesystem, path))) {
    const std::string target = stem + std::string(offered.form->ending);
    if (path.empty() && target == last_name(store)) continue;  // it has that form already
    lines.push_back({fmt::format("plainfs export {}{} {}", part, shell_word(store), shell_word(target)),
                     comment_of(offered)});
    width = std::max(width, lines.back().command.size());
  }
  std::string text;
  for (const Line& line : lines) text += fmt::format("  {:<{}}  # {}\n", line.command, width, line.comment);
  return text.empty() ? text : "to write it as one file:\n" + text;
}

}  // namespace plainfs
