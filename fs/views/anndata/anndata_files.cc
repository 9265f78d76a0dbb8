#include "fs/views/anndata/anndata_files.h"

#include <span>

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/main_part.h"
#include "formats/registry.h"
#include "fs/views/anndata/anndata_parts.h"
#include "fs/views/file_forms.h"

namespace plainfs {

namespace {

// Returns what the lines about left-out parts call a file: "the .h5ad", or "RNA.h5ad" if there are several.
std::string name_in_lines(const std::string& name, const std::string& ending) {
  return name == "anndata" ? "the " + ending : name + ending;
}

// Returns whether the file of a matrix can exist. Logs why not.
bool can_exist(const FoundAnnotatedMatrix& found, const std::string& file, const Node& node,
               Context& context) {
  if (!found.refusal) return true;
  const std::string place = node.parts ? node.parts->path() : "/";
  context.notice(fmt::format("no {} of {}: {}", file, place, found.refusal->what()));
  return false;
}

// A file that holds every part and nothing of it.
class NoFile : public AnnDataLayout {
 public:
  void group(const std::string&, AnnDataAttributes) override {}
  void change_group(const std::string&, AnnDataAttributes) override {}
  void array(const std::string&, const ArrayPtr&, AnnDataAttributes) override {}
  void texts(const std::string&, const ArrayPtr&, AnnDataAttributes) override {}
  void integers(const std::string&, const ArrayPtr&, uint32_t, AnnDataAttributes) override {}
  void codes(const std::string&, const ArrayPtr&, uint64_t, AnnDataAttributes) override {}
  void records(const std::string&, const ArrayPtr&, AnnDataAttributes) override {}
  void empty(const std::string&, AnnDataAttributes) override {}
  std::optional<Error> part(const std::string&, Put) override { return std::nullopt; }
};

}  // namespace

void note_left_out_of_h5ad(const Node& root, Context& context) try {
  if (!root.parts) return;
  NoFile nothing;
  if (const auto found = main_matrix(root, context))
    put_anndata(found->make(), context, nothing, name_in_lines(found->name, ".h5ad"));
} catch (const Error&) {
  // Reading the part reports the error.
}

std::vector<std::string> lines_left_out_of_h5ad(const AnnotatedMatrix& matrix, const std::string& name,
                                                const Context& context) {
  std::vector<std::string> lines;
  Context collecting = context;
  collecting.note = [&lines](const std::string& line) { lines.push_back(line); };
  collecting.warn = [](const std::string&) {};  // it was logged when the matrix was found
  NoFile nothing;
  put_anndata(matrix, collecting, nothing, name_in_lines(name, std::string(forms::kH5ad.ending)));
  return lines;
}

void offer_h5ad_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context)) {
    if (!can_exist(found, found.name + std::string(row.form.ending), node, context)) continue;
    const std::string file = name_in_lines(found.name, ".h5ad");
    const auto lay_out = [make = found.make, &context, file] { return h5ad(make(), context, file); };
    const auto pack = [make = found.make, &context, file] { return packed_h5ad(make(), context, file); };
    files.push_back(row.entry(found.name + std::string(row.form.ending)));
    files.back().open = layout_opener(context, lay_out, with_hdf5(row.version), pack);
  }
}

namespace {

void offer_h5mu_if(bool are_several, const FileRow& row, const Node& node, Context& context, Files& files) {
  const std::optional<FoundMuData> found = find_mudata(node, context);
  if (!found || found->are_several != are_several) return;
  const auto lay_out = [make = found->make, &context] { return h5mu(make(), context); };
  const auto pack = [make = found->make, &context] { return packed_h5mu(make(), context); };
  row.add(layout_opener(context, lay_out, with_hdf5(row.version), pack), files);
}

}  // namespace

void offer_h5mu(const FileRow& row, const Node& node, Context& context, Files& files) {
  offer_h5mu_if(true, row, node, context, files);
}

void offer_h5mu_of_types(const FileRow& row, const Node& node, Context& context, Files& files) {
  offer_h5mu_if(false, row, node, context, files);
}

void offer_zarr_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context)) {
    if (!can_exist(found, found.name + std::string(row.form.ending), node, context)) continue;
    const std::string file = name_in_lines(found.name, ".zarr");
    files.push_back(row.entry(found.name + std::string(row.form.ending)));
    files.back().pack = packed_anndata_zarr(found.make, context, file);
    files.back().list = anndata_zarr(std::move(found.make), context, {}, file);
  }
}

}  // namespace plainfs
