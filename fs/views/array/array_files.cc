#include "fs/views/array/array_files.h"

#include "fs/views/array/npy.h"
#include "fs/views/table/table_files.h"

namespace plainfs {

std::unique_ptr<TextSource> csv_of_array(const LabelledArray& array, Context& context) {
  const LabelledArray shown = labelled_values(array);
  return has_rows(shown) ? csv_compounds(shown, context) : csv_array(shown, context);
}

template <bool with_header>
void offer_array_bytes(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (array && has_npy(*array->values))
    row.add([values = array->values, &context] { return npy_file(values, with_header, context); }, files);
}
template void offer_array_bytes<true>(const FileRow&, const Node&, Context&, Files&);
template void offer_array_bytes<false>(const FileRow&, const Node&, Context&, Files&);

void offer_mat(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || !has_mat(*array->values)) return;
  row.add(
      layout_opener(
          context, [values = array->values, &context] { return array_mat(values, context); }, row.version),
      files);
}

}  // namespace plainfs
