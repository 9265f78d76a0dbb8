#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/location.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "formats/registry.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/shell_word.h"
#include "fs/command_line/store_path.h"
#include "fs/commands/commands.h"
#include "fs/commands/mounted_store.h"
#include "fs/commands/one_file/file_form.h"
#include "fs/info.h"
#include "fs/report/outside_links.h"
#include "fs/report/progress.h"
#include "fs/report/summary.h"
#include "fs/report/walk.h"
#include "fs/session.h"

namespace plainfs {
namespace {

constexpr size_t kMostInfoLines = 200;

// Prints "n_obs      2700": one line for each detail that the format reports, with nested details indented.
void print_details(const Json::Object& details, int indent = 0) {
  for (const auto& [name, value] : details) {
    const Json::Object* const inner = value.object();
    const std::string text = inner ? "" : value.text() ? *value.text() : to_json_text(value);
    std::printf("%*s%-10s %s\n", indent, "", printable(name).c_str(), printable(text).c_str());
    if (inner) print_details(*inner, indent + 2);
  }
}

// Returns text for a remote store, which lists only files with sizes that need not be fetched.
std::string found_by_name_text(Filesystem& filesystem, const std::vector<Walked>& all) {
  size_t unsized = 0;
  for (const Walked& walked : all)
    if (walked.kind == FileKind::directory) try {
        unsized += filesystem.list(walked.inode)->unsized();
      } catch (const Error&) {
        // the summary reports it
      }
  if (unsized == 0) return {};
  return fmt::format(
      "{} found by name and not listed, because computing their sizes reads the store: plainfs ls -a shows "
      "them; "
      "listed after plainfs index or with -o views=all\n",
      count_text(unsized, "name"));
}

// A kind of unlisted files that are found by name: the name or its ending.
struct FoundKind {
  std::string_view name;
  const char* what;
};
constexpr FoundKind kFoundKinds[] = {
    {"genes", "one gene: NAME.csv, NAME.npy"},
    {"cells", "one cell: NAME.csv, NAME.npy"},
    {"by", "the cells of each level: COLUMN/LEVEL/"},
    {"pseudobulk", "sums of each gene by level: COLUMN.csv"},
    {"anndata.zarr", "for zarr, dask and Vitessce"},
    {"bpcells", "for BPCells"},
    {".parquet", "for DuckDB, polars and Arrow"},
    {".mat", "for MATLAB and Octave"},
    {".tif", "for programs that open TIFF"},
    {".png", "a picture"},
    {".bw", "for genome browsers"},
};

const FoundKind* found_kind(std::string_view name) {
  for (const FoundKind& kind : kFoundKinds)
    if (name == kind.name || (kind.name.starts_with('.') && name.ends_with(kind.name))) return &kind;
  return nullptr;
}

using FoundPaths = std::map<const FoundKind*, std::vector<std::string>>;

// Adds the unlisted entries of a directory, and of directories that are found only in it.
void add_found(Filesystem& filesystem, Inode directory, const std::string& path, FoundPaths& found) try {
  const ListingPtr listing = filesystem.list(directory);
  for (size_t i = listing->unsized(); i < listing->unlisted().size(); ++i) {
    const Listing::Entry& entry = listing->unlisted()[i];
    const bool is_folder = entry.kind == FileKind::directory;
    const std::string at = (path.empty() ? "" : path + "/") + entry.name;
    if (const FoundKind* const kind = found_kind(entry.name))
      found[kind].push_back(at + (is_folder ? "/" : ""));
    else if (is_folder && !entry.name.starts_with('.'))
      add_found(filesystem, entry.inode, at, found);
  }
} catch (const Error&) {
  // the summary reports it
}

// Prints "  X/genes/  one gene: NAME.csv, NAME.npy": one line per kind, with the first path and their number.
void print_found_by_name(Filesystem& filesystem, const std::vector<Walked>& all) {
  FoundPaths found;
  for (const Walked& walked : all)
    if (walked.kind == FileKind::directory) add_found(filesystem, walked.inode, walked.path, found);
  if (found.empty()) return;
  std::puts("\nfound by name and not listed; plainfs ls -a shows them:");
  for (const auto& [kind, paths] : found)
    std::printf("  %-20s  %s%s\n", printable(paths[0]).c_str(), kind->what,
                paths.size() == 1 ? "" : fmt::format(" (and {} more)", paths.size() - 1).c_str());
}

// Prints the files, with sizes where these are known without a pass over the content.
void print_sizes(Filesystem& filesystem, const std::vector<Walked>& all) {
  size_t files = 0, known = 0;
  std::string lines;
  for (const Walked& walked : all) {
    if (walked.kind != FileKind::file) continue;
    ++files;
    try {
      const Status status = filesystem.status_so_far(walked.inode);
      if (!status.is_whole) continue;
      if (++known <= kMostInfoLines)
        lines += fmt::format("{:>10}  {}\n", byte_text(static_cast<double>(status.stat.st_size)),
                             printable(walked.path));
    } catch (const Error&) {
      // The summary reports it, or stat will.
    }
  }
  if (known > kMostInfoLines) lines += "… and more: plainfs ls -lR lists all of them\n";
  const std::string others =
      known < files ? "; other sizes are known after plainfs index or the first ls -l" : std::string();
  std::printf("\n%s%s\n%s%s", count_text(files, "file").c_str(), others.c_str(),
              found_by_name_text(filesystem, all).c_str(), lines.c_str());
}

std::string summary_at(const Store& store, Context& context, const std::string& path) try {
  return summary_of(store, context, path, kMostInfoLines);
} catch (const Error& error) {
  throw Failure(exit_code_of(error.code()), fmt::format("{}: {}", store.path, reason(error)));
}

// Returns whether the file shows an array that is known to fail.
bool is_of_broken_array(Filesystem& filesystem, const Walked& walked) {
  try {
    const OpenMeaning of = filesystem.meaning(walked.inode);
    const auto* array = std::get_if<LabelledArray>(&of.what.node.content);
    return array && dynamic_cast<const BrokenArray*>(array->values.get());
  } catch (const Error&) {
    return true;
  }
}

// Instructions to open the files of a store with their usual tools, one line each, with the paths in a mount.

// A pattern: "obs.csv" is that file, ".rds" any with that ending. The first pattern that matches counts, with
// the matching file nearest to the root.
using Patterns = std::initializer_list<std::string_view>;

bool fits(const std::string& path, std::string_view pattern) {
  const std::string_view name = last_name(path);
  if (pattern.front() == '.') return path.ends_with(pattern) && name.size() > pattern.size();
  return name == pattern;
}

const std::string* nearest(const std::vector<Walked>& all, Patterns patterns,
                           const std::function<bool(const Walked&)>& is_broken) {
  const auto depth = [](const std::string& path) { return std::count(path.begin(), path.end(), '/'); };
  for (const std::string_view pattern : patterns) {
    const std::string* best = nullptr;
    for (const Walked& walked : all)
      if (walked.kind == FileKind::file && fits(walked.path, pattern) &&
          (!best || depth(walked.path) < depth(*best)) && !is_broken(walked))
        best = &walked.path;
    if (best) return best;
  }
  return nullptr;
}

// Quotes text for R, Python and MATLAB.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : printable(text)) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter;
  }
  return out + '"';
}

// Returns the depth of the file that nearest() finds; SIZE_MAX if there is no such file.
size_t depth_of_nearest(const std::vector<Walked>& all, std::string_view pattern) {
  const std::string* const found = nearest(all, {pattern}, [](const Walked&) { return false; });
  return found ? static_cast<size_t>(std::count(found->begin(), found->end(), '/')) : SIZE_MAX;
}

// Returns the lines for the files in `all`; "" if no tool opens any of them. folder: the mountpoint, real or
// assumed. is_broken: returns whether a file is known to fail; it is omitted.
std::string lines_to_open(const std::vector<Walked>& all, const std::string& folder,
                          const std::function<bool(const Walked&)>& is_broken) {
  std::string text;
  const auto add = [&](std::string_view tool, Patterns patterns, std::string_view before,
                       std::string_view after, const auto& quote) {
    const std::string* const found = nearest(all, patterns, is_broken);
    if (found) text += fmt::format("  {:<8}{}{}{}\n", tool, before, quote(folder + "/" + *found), after);
    return found != nullptr;
  };
  // A CF dataset is one file. Its variables by themselves lack their coordinates.
  if (depth_of_nearest(all, "dataset.nc") <= depth_of_nearest(all, ".npy") &&
      add("Python", {"dataset.nc"}, "xarray.open_dataset(", ")", quoted)) {
    add("R", {"dataset.nc"}, "ncdf4::nc_open(", ")", quoted);
    add("shell", {"dataset.nc"}, "ncdump -h ", "", shell_word);
    return text;
  }
  // The planes of an image as text are of no use. Suggest tools that show images.
  const bool is_image = nearest(all, {"image.ome.tif", ".ome.tif"}, is_broken) != nullptr;
  const bool has_sites = nearest(all, {"variants.vcf"}, is_broken) != nullptr;
  const bool is_table = depth_of_nearest(all, ".csv") < depth_of_nearest(all, ".npy");
  if (is_image) {
    add("R", {"seurat.rds", "matrix.rds"}, "readRDS(", ")", quoted);
  } else {
    add("R", {"seurat.rds", "matrix.rds", "sites.rds", "fragments.rds", ".rds"}, "readRDS(", ")", quoted);
  }
  if (!add("Python", {".h5ad"}, "anndata.read_h5ad(", ", backed=\"r\")", quoted) &&
      !add("Python", {"image.ome.tif", ".ome.tif"}, "tifffile.imread(", ")", quoted) &&
      !add("Python", {"fragments.tsv"}, "pandas.read_csv(", ", sep=\"\\t\", header=None)", quoted) &&
      !(has_sites && add("Python", {"sites.csv"}, "pandas.read_csv(", ")", quoted)) &&
      !(is_table && add("Python", {"obs.csv", ".csv"}, "pandas.read_csv(", ")", quoted)))
    add("Python", {".npy"}, "numpy.load(", ", mmap_mode=\"r\")", quoted);
  add("Fiji", {"image.ome.tif", ".ome.tif"}, "File > Import > Bio-Formats: ", "", printable);
  add("shell", {"variants.vcf.gz"}, "bcftools view -h ", "", shell_word);
  add("shell", {"fragments.tsv.gz"}, "tabix -l ", "", shell_word);
  if (!is_image)
    add("shell",
        {"obs.csv", "meta.data.csv", "column_data.csv", "units.csv", "sites.csv", "fragments.tsv",
         "samples.tsv", ".csv"},
        "head ", "", shell_word);
  return text;
}

// Prints where the store is or would be mounted, and how to get there.
void print_ways_to_open(const Store& store, Filesystem& filesystem, const std::vector<Walked>& all,
                        std::string mountpoint) {
  std::string how = "where it is mounted";
  if (mountpoint.empty()) {
    mountpoint = usual_mountpoint(store.path);
    how = fmt::format("after plainfs {}", shell_word(store.path));
  }
  const std::string instructions = lines_to_open(
      all, mountpoint, [&](const Walked& walked) { return is_of_broken_array(filesystem, walked); });
  if (!instructions.empty()) std::printf("\nto open it, %s:\n%s", how.c_str(), instructions.c_str());
}

// Returns the files beside a member's directory that show it ("obs.csv" for "obs"), including unlisted ones.
std::vector<Walked> files_beside(Filesystem& filesystem, const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash);
  const std::string member = path.substr(slash == std::string::npos ? 0 : slash + 1);
  std::vector<Walked> files;
  try {
    const ListingPtr listing = filesystem.list(filesystem.find(folder));
    for (size_t i = 0; i < listing->size(); ++i) {
      const Listing::Entry entry = listing->at(i);
      if (!entry.name.starts_with(member) || filesystem.kind(entry.inode) != FileKind::file) continue;
      if (filesystem.meaning(entry.inode).what.member != member) continue;
      files.push_back({folder.empty() ? entry.name : folder + "/" + entry.name, entry.inode, FileKind::file});
    }
  } catch (const Error&) {
    // the summary reports it
  }
  return files;
}

// Returns all files that show the member at a path, or the whole store for "".
std::vector<Walked> files_of(Filesystem& filesystem, const std::string& path) {
  std::vector<WalkFailure> failures;  // the summary reports them
  if (path.empty()) return walk(filesystem, path, failures);
  std::vector<Walked> all = files_beside(filesystem, path);
  try {
    for (Walked& walked : walk(filesystem, path, failures)) all.push_back(std::move(walked));
  } catch (const Error&) {
    // it has no directory
  }
  return all;
}

// Prints notices of omitted or unusual data: the first lines, and how many there are.
void print_notices(const std::vector<std::string>& notices, const std::string& store) {
  constexpr size_t kMostNotices = 10;
  if (notices.empty()) return;
  std::printf("\n%s:\n", count_text(notices.size(), "notice").c_str());
  for (size_t i = 0; i < std::min(notices.size(), kMostNotices); ++i)
    std::printf("  %s\n", printable(notices[i]).c_str());
  if (notices.size() > kMostNotices)
    std::printf("  … and %zu more: plainfs check %s\n", notices.size() - kMostNotices,
                printable(store).c_str());
}

// A folder of stores has no store to choose.
void print_ways_to_write(Filesystem& filesystem, const std::string& store, const std::string& path) {
  if (filesystem.store()->format == "folder" && path.empty()) return;
  const std::string instructions = lines_to_write(filesystem, store, path);
  if (!instructions.empty()) std::printf("%s\n", instructions.c_str());
}

std::string json_text(const Store& store, const Options& options) {
  const std::string text = info_text(store, describe(options));
  // On a terminal, everything but ASCII is escaped, which includes control characters.
  return nlohmann::ordered_json::parse(text).dump(2, ' ', ::isatty(STDOUT_FILENO) == 1);
}

// options.store: for a mountpoint, its mounted store.
int show(Options options, const std::string& inside, bool is_json) {
  const std::optional<MountedStore> mounted =
      is_url(options.store) ? std::nullopt : mounted_at(options.store);
  const std::string mountpoint = mounted ? options.store : "";
  if (mounted) options.store = mounted->store;
  const std::string given = inside.empty() && mounted ? mounted->subdir : inside;
  const std::string path = plain_path(given.empty() ? options.subdir : given);
  if (!is_json) options.subdir.clear();
  Session session(options, {}, shown_pass());
  const StorePtr store = session.filesystem().store();
  if (is_json) return std::puts(json_text(*store, options).c_str()), kSuccess;
  const std::string summary = summary_at(*store, session.context(), path);
  if (path.empty()) {
    print_ways_to_write(session.filesystem(), options.store, path);
    if (mounted) print_details({{"mounted", fmt::format("{}, process {}", mountpoint, mounted->process)}});
    print_details({{"store", store->path}, {"format", store->format}});
    if (!store->version.empty()) print_details({{"version", store->version}});
    print_details(store->details);
    std::puts("");
  }
  std::fputs(summary.c_str(), stdout);
  const std::vector<Walked> all = files_of(session.filesystem(), path);
  if (!session.context().options.follow_outside)
    if (const size_t outside = count_outside_links(session.filesystem(), all); outside > 0)
      std::printf("\n%s\n", outside_links_text(outside).c_str());
  print_sizes(session.filesystem(), all);
  print_found_by_name(session.filesystem(), all);
  print_notices(session.notices().lines(), store->path);
  if (!mounted || mounted->subdir.empty())
    print_ways_to_open(*store, session.filesystem(), all, mounted ? mountpoint : mountpoint_of(store->path));
  return kSuccess;
}

// Prints a page for each store. Returns the exit code of the last failure.
int show_all(const Arguments& arguments) {
  int code = kSuccess;
  const char* gap = "";
  for (const Options& options : options_of_stores(arguments)) {
    std::fputs(std::exchange(gap, "\n"), stdout);
    try {
      show(options, "", false);
    } catch (const Failure& failure) {
      std::fprintf(stderr, "plainfs: %s\n", printable(failure.what()).c_str());
      code = failure.code();
    }
  }
  return code;
}

bool may_be_store(const std::string& name) {
  return is_url(name) || is_store_on_host(name) || mounted_at(name);
}

}  // namespace

int info_command(Arguments arguments) {
  const bool is_json = take_flag(arguments, "--json");
  Options options = parse_options(arguments, kManyNames);
  if (options.names.size() > 2 && !is_json) return show_all(arguments);
  split_store_path(options.names);
  if (!options.names.empty()) options.store = options.names[0];
  if (is_json && options.names.size() > 1)
    throw Failure(kUsage, "info: --json is for a whole store, without a path in it");
  const std::string inside = options.names.size() > 1 ? options.names[1] : "";
  try {
    return show(options, inside, is_json);
  } catch (const Failure& failure) {
    // It is not a path in the store but a store itself.
    if (failure.code() == kNotFound && !inside.empty() && may_be_store(inside)) return show_all(arguments);
    throw;
  }
}

}  // namespace plainfs
