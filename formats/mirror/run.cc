// Sources: 10x Genomics, "Xenium Experiment File" (XOA 1.9 to 3), "Space Ranger outputs" (2.1 to 3.1) and
// their page of Visium HD's binned outputs.
#include "formats/mirror/run.h"

#include <algorithm>

#include "formats/core/base/bytes.h"
#include "formats/core/text/path_names.h"

namespace plainfs::folder {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 20;  // limit of a manifest's size

constexpr std::string_view kOfXenium[] = {
    "region_name",     "run_start_time", "panel_name",  "panel_organism", "panel_tissue_type",  "num_cells",
    "num_transcripts", "pixel_size",     "z_step_size", "instrument_sn",  "analysis_sw_version"};

// Returns the JSON document in a file; null if the file is absent.
Json document_in(const std::string& path, Context& context) try {
  const FilePtr file = context.files.look_into(path);
  if (!file) return {};
  if (file->size() > kMostBytes) throw damaged("{} bytes, expected at most {}", file->size(), kMostBytes);
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

// Returns the name of a run, which Space Ranger takes from the folder around its `outs`.
std::string name_of_run(std::string folder) {
  while (folder.ends_with('/')) folder.pop_back();
  if (folder.ends_with("/outs")) folder.erase(folder.size() - std::string_view("/outs").size());
  return std::string(last_name(folder));
}

// Returns the names of the bins: "square_002um", …
Json::List bins_in(const std::string& folder, Context& context) {
  std::vector<std::string> names;
  for (const Entry& entry : context.files.open_folder(folder)->list(""))
    if (entry.kind == EntryKind::folder && entry.name.starts_with("square_")) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return {names.begin(), names.end()};
}

Json::Object visium_run(const std::string& folder, Context& context) {
  const std::string binned = folder + "/binned_outputs";
  const bool is_hd = context.files.kind_of(binned) == EntryKind::folder;
  Json::List bins = is_hd ? bins_in(binned, context) : Json::List();
  const std::string first = bins.empty() ? folder : binned + "/" + *bins.front().text();
  const Json factors = document_in(first + "/spatial/scalefactors_json.json", context);
  if (!factors.object() || !factors.find("spot_diameter_fullres")) return {};
  Json::Object run{{"kind", Json(bins.empty() ? "Visium" : "Visium HD")},
                   {"name", Json(name_of_run(folder))}};
  if (!bins.empty()) run.emplace_back("bins", Json(std::move(bins)));
  if (const Json* size = factors.find("microns_per_pixel")) run.emplace_back("microns_per_pixel", *size);
  return run;
}

}  // namespace

Json::Object run_in(const std::string& folder, Context& context) try {
  Json::Object run = xenium_run(folder, context);
  return run.empty() ? visium_run(folder, context) : run;
} catch (const Error& error) {
  context.notice(fmt::format("{}: {}", folder, error.what()));
  return {};
}

}  // namespace plainfs::folder
