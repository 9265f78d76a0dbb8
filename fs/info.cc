#include "fs/info.h"

#include <fmt/core.h>
#include <spdlog/version.h>
#include <unistd.h>

#include <boost/version.hpp>
#include <functional>

#include "formats/annotated/seurat_objects.h"
#include "formats/containers/hdf5/process/library_processes.h"
#include "formats/registry.h"
#include "fs/build_info.h"
#include "fs/tree/memory_file.h"
#include "fs/views/r/seurat_parts.h"

namespace plainfs {
namespace {

using Counter = std::atomic<uint64_t>;
Json count(const Counter& counter) {
  return Json::of(counter.load(std::memory_order_relaxed));
}

std::string statistics_text(Filesystem& filesystem, const Context& context) {
  const CacheStatistics cache = context.cache.statistics();
  const Counters& counters = context.counters;
  const Requests& requests = filesystem.requests();
  hdf5::LibraryProcesses* const processes = hdf5::LibraryProcesses::current();
  const auto library = processes ? processes->statistics() : hdf5::LibraryProcesses::Statistics{};
  return to_json_text(Json::Object{
             {"cache_hits", Json::of(cache.hits)},
             {"cache_misses", Json::of(cache.misses)},
             {"cache_evictions", Json::of(cache.evictions)},
             {"cache_held_bytes", Json::of(cache.held_bytes)},
             {"cache_budget_bytes", Json::of(cache.budget_bytes)},
             {"source_bytes_read", count(counters.source_bytes_read)},
             {"remote_requests", count(counters.remote.requests)},
             {"remote_retries", count(counters.remote.retries)},
             {"remote_waiting",
              Json::of(uint64_t{counters.remote.is_waiting.load(std::memory_order_relaxed)})},
             {"remote_bytes_fetched", count(counters.remote.bytes_fetched)},
             {"chunks_decoded", count(counters.chunks_decoded)},
             {"bytes_decoded", count(counters.bytes_decoded)},
             {"text_blocks_measured", count(counters.text_blocks_measured)},
             {"text_blocks_formatted", count(counters.text_blocks_formatted)},
             {"bytes_formatted", count(counters.bytes_formatted)},
             {"libhdf5_processes", Json::of(uint64_t{library.processes})},
             {"libhdf5_held_bytes", Json::of(library.own_bytes)},
             {"reads_served", count(requests.reads)},
             {"bytes_served", count(requests.bytes_read)},
             {"errors", count(requests.errors)},
             {"store_changed", Json::of(uint64_t{filesystem.has_changed()})},
             {"reopened", count(requests.reopened)},
             {"not_reopened", count(requests.not_reopened)},
             {"inodes", Json::of(filesystem.names().names)},
             {"part_inodes", Json::of(filesystem.names().parts)},
         }) +
         "\n";
}

// An overview of the files for a user that finds the mount and does not know plainfs.
constexpr char kReadme[] =
    R"(This folder is a mount of plainfs. Its files show the arrays, tables and matrices of a store. They are
generated when they are read and take no space on the disk. `plainfs info FOLDER` describes the store.

  NAME.csv              a table or an array as text; the first line of a table is its header
  NAME.npy              the numbers of an array, for numpy.load(..., mmap_mode="r")
  NAME.rds              a table, matrix or array for R: readRDS("NAME.rds")
  NAME.parquet          a table with its types, for DuckDB, pandas, polars and R's arrow (by its name)
  NAME.xlsx             a table for Excel and LibreOffice; workbook.xlsx has those of the store (by their names)
  NAME.mat              an array for MATLAB, Octave and scipy.io.loadmat, as `data` (by its name)
  matrix.mtx, genes.tsv, barcodes.tsv
                        a sparse matrix, for Seurat::Read10X and scanpy.read_10x_mtx
  10x/                  the same as files of Cell Ranger
  anndata.h5ad          the whole store for Python: anndata.read_h5ad("anndata.h5ad", backed="r")
  seurat.rds            the whole store for R, as a Seurat object
  anndata.loom          the same for loompy, with all zeros (by its name)
  mudata.h5mu           all assays or modalities, for mudata
  fragments.tsv.gz, variants.vcf.gz
                        for tabix and bcftools, with their indexes
  image.ome.tif, preview.png
                        an image, for Fiji and QuPath, and a small picture of it
  timeseries.csv        a time series of NWB: seconds, and values in their unit (by its name)
  .attrs.json           the attributes of a folder and its parts
  .plainfs/             this folder, which is not listed:
    info.json           the store that is mounted, its format and the options
    stats.json          counters; `plainfs ps --prometheus` prints those of all mounts
    log                 warnings and errors so far

Files "by their name" are not listed. Programs that open them by name find them.
)";

constexpr char kRemoteReadme[] =
    R"(This folder is a mount of a store on a server. To list a text file with its size, plainfs would have to
read everything that the file shows. Tables and matrices as text are therefore not listed. Open them by name:

  cat obs.csv           of a table OBS: obs.csv, obs.rds, obs.parquet
  head X/matrix.mtx     of a matrix

`plainfs ls -a STORE` lists all names. They are listed here after `plainfs index STORE` has measured them,
or with -o views=all. More about the files: .plainfs/README.txt
)";

// https://bford.info/cachedir: everything here can be generated again from the store.
constexpr char kCacheTag[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# A mount of plainfs: generated from its store and many times its size. Back up the store instead.\n";

// For ripgrep, fd and ag.
constexpr char kIgnore[] =
    "# A mount of plainfs: searching all files reads the whole store many times. To search it nevertheless:\n"
    "# rg --no-ignore. A file that is named is always searched.\n"
    "*\n";

std::unique_ptr<ViewFile> text_file(std::string text) {
  return std::make_unique<MemoryFile>(std::move(text));
}

}  // namespace

HiddenFile remote_readme() {
  return {"README.txt", [] { return text_file(kRemoteReadme); }, true};
}

std::string version_text() {
  return *kCommit ? fmt::format("{} ({}, {})", kVersion, kCommit, kDate) : kVersion;
}

std::string static_packages() {
  return kStaticPackages;
}

Json::Object library_versions() {
  Json::Object versions{
      {"plainfs", version_text()},
      {"libfuse", kFuseVersion},
      {"boost",
       fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)}};
  for (auto& [library, version] : format_libraries()) versions.emplace_back(library, std::move(version));
  return versions;
}

namespace {

// Returns the matrices of each assay of the root's seurat.rds; nullopt if there is no such file.
std::optional<Json> seurat_sources_of(const Store& store, Context& context) {
  const auto text = [](const std::string& name) { return name.empty() ? Json() : Json(name); };
  try {
    const std::optional<FoundSeuratObject> found = find_seurat_object(refine(store.root, context), context);
    if (!found) return std::nullopt;
    Json::Object assays;
    const auto add = [&](const std::string& assay, const std::string& counts, const std::string& data) {
      assays.emplace_back(assay, Json::Object{{"counts", text(counts)}, {"data", text(data)}});
    };
    if (const auto* joint = std::get_if<std::function<JointMatrices()>>(&*found)) {
      for (const auto& [name, matrix] : (*joint)().parts) {
        const SeuratSources sources = seurat_sources(matrix, context);
        add(name, sources.counts, sources.data);
      }
    } else {
      const SeuratObject object = std::get<std::function<SeuratObject()>>(*found)();
      for (const SeuratObject::Assay& assay : object.assays) {
        const bool has_counts = !std::holds_alternative<std::monostate>(assay.counts);
        add(assay.name, has_counts ? "counts" : "", assay.has_own_data ? "data" : "counts");
      }
    }
    return Json(std::move(assays));
  } catch (const Error& error) {
    return Json(Json::Object{{"error", Json(std::string(error.what()))}});
  }
}

}  // namespace

std::string info_text(const Store& store, const Json::Object& options, std::optional<uint64_t> process,
                      Context* context) {
  Json::Object info{{"store", store.path}, {"format", store.format}, {"version", store.version}};
  if (process) info.emplace_back("pid", Json::of(*process));
  for (const auto& detail : store.details) info.push_back(detail);
  std::optional<Json> sources;
  if (context) sources = seurat_sources_of(store, *context);
  if (sources) info.emplace_back("seurat.rds", *std::move(sources));
  info.emplace_back("options", options);
  info.emplace_back("libraries", library_versions());
  return to_json_text(info) + "\n";
}

void add_info_files(Filesystem& filesystem, Context& context, const Log& log, Json::Object options) {
  filesystem.add_hidden(
      ".plainfs",
      {{"info.json",
        [&filesystem, &context, options] {
          return text_file(info_text(*filesystem.store(), options, ::getpid(), &context));
        }},
       {"stats.json", [&filesystem, &context] { return text_file(statistics_text(filesystem, context)); }},
       {"log", [&log] { return text_file(log.text()); }},
       {"README.txt", [] { return text_file(kReadme); }}});
  // A mirrored folder may have its own.
  const auto add_if_absent = [&](const std::string& name, const char* text) {
    if (::access((filesystem.store()->path + "/" + name).c_str(), F_OK) != 0)
      filesystem.add_hidden_file({name, [text] { return text_file(text); }});
  };
  add_if_absent("CACHEDIR.TAG", kCacheTag);
  add_if_absent(".ignore", kIgnore);
}

}  // namespace plainfs
