#include "formats/schemas/tenx/molecules.h"

#include "formats/core/frames/parts.h"
#include "formats/schemas/tenx/molecule_columns.h"

namespace plainfs::tenx {

std::optional<Molecules> molecules_in(const Group& group) {
  Molecules found;
  if (!(found.barcode_idx = frames::integer_part_of(group, "barcode_idx"))) return std::nullopt;
  found.feature_idx = frames::integer_part_of(group, "feature_idx");
  found.umi = frames::integer_part_of(group, "umi");
  found.count = frames::integer_part_of(group, "count");
  found.gem_group = frames::integer_part_of(group, "gem_group");
  found.library_idx = frames::integer_part_of(group, "library_idx");
  found.barcodes = frames::text_part_of(group, "barcodes");
  if (const GroupPtr features = frames::group_part_of(group, "features")) {
    found.feature_ids = frames::text_part_of(*features, "id");
    found.feature_names = frames::text_part_of(*features, "name");
  }
  if (!found.feature_idx || !found.umi || !found.count || !found.gem_group || !found.barcodes ||
      !found.feature_ids)
    return std::nullopt;
  return found;
}

Table molecule_table(const Molecules& molecules, Context& context) {
  Table table;
  table.rows = molecules.barcode_idx->count();
  const auto add = [&](const char* name, ArrayPtr values) {
    table.columns.push_back({name, std::move(values)});
  };
  const auto picked = [&](const ArrayPtr& index, const ArrayPtr& list, const char* what) {
    return picked_text(index, list, what, context);
  };
  add("barcode", barcodes_with_wells(picked(molecules.barcode_idx, molecules.barcodes, "barcode_idx"),
                                     molecules.gem_group));
  add("umi", bases_of(molecules.umi, context));
  add("feature_id", picked(molecules.feature_idx, molecules.feature_ids, "feature_idx"));
  if (molecules.feature_names)
    add("feature_name", picked(molecules.feature_idx, molecules.feature_names, "feature_idx"));
  add("count", molecules.count);
  if (molecules.library_idx) add("library", molecules.library_idx);
  return table;
}

}  // namespace plainfs::tenx
