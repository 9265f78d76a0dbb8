#include "fs/views/array/array_files.h"

#include "fs/views/array/npy.h"
#include "fs/views/table/table_files.h"

namespace plainfs {

namespace {

constexpr uint64_t kMaxListedValues = uint64_t{1} << 36;  // up to some terabytes of text

}  // namespace

std::unique_ptr<TextSource> csv_of_array(const LabelledArray& array, Context& context) {
  const LabelledArray shown = labelled_values(array);
  return has_rows(shown) ? csv_compounds(shown, context) : csv_array(shown, context);
}

// A larger text would take hours to measure, if it can be measured.
bool is_too_long_to_list(const LabelledArray& array) {
  return !array.values->is_null() && element_count(array.values->shape()) > kMaxListedValues;
}

void offer_csv_of_array(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array) return;
  row.add(text_opener(context, [array = *array, &context] { return csv_of_array(array, context); }), files);
  if (is_too_long_to_list(*array)) files.back().is_unlisted = files.back().is_never_listed = true;
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
