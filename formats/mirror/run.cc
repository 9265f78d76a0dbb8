// Sources: 10x Genomics, "Xenium Experiment File" (XOA 1.9 to 3), "Space Ranger outputs" (2.1 to 3.1) and
// their page of Visium HD's binned outputs.
#include "formats/mirror/run.h"

#include "formats/core/base/bytes.h"
#include "formats/core/text/path_names.h"
#include "formats/registry.h"
#include "formats/schemas/tenx/run_folder.h"

namespace plainfs::folder {
namespace {

constexpr uint64_t kMaxRunBytes = uint64_t{1} << 20;  // limit of a manifest's size

constexpr std::string_view kOfXenium[] = {
    "region_name",     "run_start_time", "panel_name",  "panel_organism", "panel_tissue_type",  "num_cells",
    "num_transcripts", "pixel_size",     "z_step_size", "instrument_sn",  "analysis_sw_version"};

// Returns the JSON document in a file; null if the file is absent.
Json document_in(const std::string& path, Context& context) try {
  const FilePtr file = context.files.look_into(path);
  if (!file) return {};
  if (file->size() > kMaxRunBytes) throw damaged("{} bytes, expected at most {}", file->size(), kMaxRunBytes);
  const Bytes bytes = file->read_at(0, file->size());
  return parse_json(as_text(bytes));
} catch (const Error& error) {
  context.notice(fmt::format("{}: {}", path, error.what()));
  return {};
}

Json::Object xenium_run(const std::string& folder, Context& context) {
  const Json manifest = document_in(folder + "/experiment.xenium", context);
  if (!manifest.object() || !manifest.find("major_version")) return {};
  Json::Object run{{"kind", Json("Xenium")}};
  if (const Json* name = manifest.find("run_name")) run.emplace_back("name", *name);
  for (const std::string_view fact : kOfXenium) {
    const Json* const value = manifest.find(fact);
    if (value && !value->is_null() && !(value->text() && *value->text() == "N/A"))
      run.emplace_back(std::string(fact), *value);
  }
  return run;
}

// Returns the name of a run, which is that of the folder around the outputs and their parts.
std::string name_of_run(std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  const size_t bin = folder.rfind("/binned_outputs/");
  if (bin != folder.npos &&
      folder.find('/', bin + std::string_view("/binned_outputs/").size()) == folder.npos)
    folder.resize(bin);
  for (const std::string_view part : {"/segmented_outputs", "/count", "/outs"})
    if (folder.ends_with(part)) folder.resize(folder.size() - part.size());
  return std::string(last_name(folder));
}

// Adds what the file of the matrix states about its run.
void add_library(const std::string& matrix, Json::Object& run, Context& context) try {
  const Probe probe(matrix, context.files);
  const Container* const container = probe.is_file() ? container_of(probe) : nullptr;
  if (!container) return;
  const Attributes attributes = attributes_of(container->open(probe, context).root);
  const std::vector<std::string> libraries = attributes.texts("library_ids");
  if (libraries.size() == 1) run.emplace_back("library", Json(libraries.front()));
  for (const char* name : {"chemistry_description", "software_version"})
    if (std::string text = attributes.readable().text(name); !text.empty())
      run.emplace_back(name, Json(std::move(text)));
} catch (const Error&) {
  // The matrix reports it.
}

Json::Object other_run(const std::string& folder, Context& context) {
  const std::optional<tenx::RunFolder> found = tenx::run_folder(folder, context);
  const std::vector<std::string> bins = tenx::bins_in(folder, context);
  const std::string first = !bins.empty() ? folder + "/binned_outputs/" + bins.front() : folder;
  const Json factors = document_in(first + "/spatial/scalefactors_json.json", context);
  const bool has_factors = factors.object() && factors.find("spot_diameter_fullres");
  if (!found && !has_factors) return {};
  std::string_view kind = found ? tenx::name_of(found->kind) : "Visium";
  if (!bins.empty()) kind = "Visium HD";
  Json::Object run{{"kind", Json(kind)}, {"name", Json(name_of_run(folder))}};
  if (!bins.empty()) run.emplace_back("bins", Json(Json::List(bins.begin(), bins.end())));
  if (!bins.empty() && context.files.kind_of(folder + "/segmented_outputs") == EntryKind::folder)
    run.emplace_back("cells", Json("segmented_outputs"));
  for (const char* name : {"bin_size_um", "microns_per_pixel"})
    if (const Json* size = has_factors ? factors.find(name) : nullptr;
        size && (bins.empty() || name != std::string_view("bin_size_um")))
      run.emplace_back(name, *size);
  if (found) add_library(found->matrix, run, context);
  return run;
}

}  // namespace

Json::Object run_in(const std::string& folder, Context& context) try {
  Json::Object run = xenium_run(folder, context);
  return run.empty() ? other_run(folder, context) : run;
} catch (const Error& error) {
  context.notice(fmt::format("{}: {}", folder, error.what()));
  return {};
}

}  // namespace plainfs::folder
