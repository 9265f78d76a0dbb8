#include "fs/commands/lines_to_open.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "formats/core/text/printable.h"
#include "fs/command_line/shell_word.h"

namespace plainfs {
namespace {

// A pattern: "obs.csv" is that file, ".rds" any with that ending. The first pattern that matches counts, with
// the matching file nearest to the root.
using Patterns = std::initializer_list<std::string_view>;

bool fits(const std::string& path, std::string_view pattern) {
  const size_t name = path.rfind('/') + 1;
  if (pattern.front() == '.') return path.ends_with(pattern) && path.size() - name > pattern.size();
  return std::string_view(path).substr(name) == pattern;
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

}  // namespace

std::string lines_to_open(const std::vector<Walked>& all, const std::string& folder,
                          const std::function<bool(const Walked&)>& is_broken) {
  std::string text;
  const auto add = [&](std::string_view tool, Patterns patterns, std::string_view before,
                       std::string_view after, const auto& quote) {
    const std::string* const found = nearest(all, patterns, is_broken);
    if (found) text += fmt::format("  {:<8}{}{}{}\n", tool, before, quote(folder + "/" + *found), after);
    return found != nullptr;
  };
  // The planes of an image as text are of no use. Suggest tools that show images.
  const bool is_image = nearest(all, {"image.ome.tif", ".ome.tif"}, is_broken) != nullptr;
  const bool is_table = depth_of_nearest(all, ".csv") < depth_of_nearest(all, ".npy");
  if (is_image) {
    add("R", {"seurat.rds", "matrix.rds"}, "readRDS(", ")", quoted);
  } else {
    add("R", {"seurat.rds", "matrix.rds", "sites.rds", "fragments.rds", ".rds"}, "readRDS(", ")", quoted);
  }
  if (!add("Python", {".h5ad"}, "anndata.read_h5ad(", ", backed=\"r\")", quoted) &&
      !add("Python", {"image.ome.tif", ".ome.tif"}, "tifffile.imread(", ")", quoted) &&
      !(is_table && add("Python", {"sites.csv", "obs.csv", ".csv"}, "pandas.read_csv(", ")", quoted)))
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

}  // namespace plainfs
