#include <array>

#include "formats/base/error.h"
#include "fs/text/text_file.h"
#include "fs/views/attrs_json.h"
#include "fs/views/csv_array.h"
#include "fs/views/csv_table.h"
#include "fs/views/fragments_tsv.h"
#include "fs/views/mtx.h"
#include "fs/views/names_tsv.h"
#include "fs/views/npy.h"
#include "fs/views/view.h"

namespace plainfs {

namespace {

// A file that is listed and cannot be read.
class BrokenFile : public ViewFile {
 public:
  explicit BrokenFile(Error error) : error_(std::move(error)) {}
  uint64_t size() override { throw error_; }
  Slices read(uint64_t, size_t) override { throw error_; }

 private:
  const Error error_;
};

// A text file of what make() returns.
template <class Make>
std::function<std::unique_ptr<ViewFile>()> text_opener(Context& context, Make make) {
  return
      [&context, make]() -> std::unique_ptr<ViewFile> { return std::make_unique<TextFile>(make(), context); };
}

void offer_csv(const Node& node, Context& context, std::vector<OfferedFile>& files) {
  if (const auto* array = std::get_if<LabelledArray>(&node.content)) {
    files.push_back({false, ".csv", text_opener(context, [array = *array, &context] {
                       const bool table =
                           array.values->dtype().kind == Kind::compound && !array.values->is_null();
                       return table ? csv_compounds(array, context) : csv_array(array, context);
                     })});
  } else if (const auto* table = std::get_if<Table>(&node.content)) {
    files.push_back({false, ".csv",
                     text_opener(context, [table = *table, &context] { return csv_table(table, context); })});
  } else if (const auto* error = std::get_if<Error>(&node.content)) {
    files.push_back({false, ".csv", [error = *error] { return std::make_unique<BrokenFile>(error); }});
  }
}

void offer_array_bytes(const Node& node, Context& context, bool with_header,
                       std::vector<OfferedFile>& files) {
  const auto* array = std::get_if<LabelledArray>(&node.content);
  if (!array || !has_npy(*array->values)) return;
  files.push_back({false, with_header ? ".npy" : ".bin", [values = array->values, with_header, &context] {
                     return npy_file(values, with_header, context);
                   }});
}

void offer_npy(const Node& node, Context& context, std::vector<OfferedFile>& files) {
  offer_array_bytes(node, context, true, files);
}

void offer_bin(const Node& node, Context& context, std::vector<OfferedFile>& files) {
  offer_array_bytes(node, context, false, files);
}

void offer_mtx(const Node& node, Context& context, std::vector<OfferedFile>& files) {
  if (const auto* matrix = std::get_if<SparseMatrix>(&node.content))
    files.push_back({true, "matrix.mtx",
                     text_opener(context, [matrix = *matrix, &context] { return mtx(matrix, context); })});
}

// Whether a name list is one: of the right length, or damaged, which is for its file to say.
bool fit(const Array& names, uint64_t length, const char* file, const Node& node, Context& context) {
  const uint64_t count = names.count();
  if (count == length) return true;
  try {
    names.check();
  } catch (const Error&) {
    return true;
  }
  const std::string place = node.parts ? node.parts->path() + ": " : "";
  if (count > 0)
    context.notice(fmt::format("{}{}: {} names for {} are not used", place, file, count, length));
  return false;
}

void offer_tsv(const Node& node, Context& context, std::vector<OfferedFile>& files) {
  const auto offer_names = [&](const ArrayPtr& names, uint64_t length, bool twice, const char* file) {
    if (!names || !fit(*names, length, file, node, context)) return;
    files.push_back(
        {true, file, text_opener(context, [=, &context] { return names_tsv(names, twice, context); })});
  };
  if (const auto* matrix = std::get_if<SparseMatrix>(&node.content)) {
    offer_names(matrix->row_names, matrix->rows, true, "genes.tsv");
    offer_names(matrix->column_names, matrix->columns, false, "barcodes.tsv");
  } else if (const auto* fragments = std::get_if<Fragments>(&node.content)) {
    files.push_back({true, "fragments.tsv", text_opener(context, [fragments = *fragments, &context] {
                       return fragments_tsv(fragments, context);
                     })});
  }
}

constexpr std::array<View, 6> kViews = {{
    {"csv", offer_csv},
    {"npy", offer_npy},
    {"bin", offer_bin},
    {"mtx", offer_mtx},
    {"tsv", offer_tsv},
    {"json", offer_attrs_json},
}};

}  // namespace

std::span<const View> views() {
  return kViews;
}

}  // namespace plainfs
