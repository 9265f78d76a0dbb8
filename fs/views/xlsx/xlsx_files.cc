#include "fs/views/xlsx/xlsx_files.h"

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/text/path_names.h"
#include "fs/views/table/table_files.h"
#include "fs/views/xlsx/cell_text.h"
#include "fs/views/xlsx/workbook.h"

namespace plainfs {

namespace {

void add_xlsx(const FileRow& row, const Node& node, std::function<Table()> find, Context& context,
              Files& files) {
  const std::string path = node.parts ? node.parts->path() : "";
  const std::string place = path.empty() ? "a table as .xlsx" : path + ".xlsx";
  const std::string name = path.empty() ? "table" : std::string(last_name(path));
  const auto find_sheets = [find = std::move(find), name] { return std::vector<Sheet>{{name, find()}}; };
  row.add([find_sheets, place, &context,
           version = row.version] { return workbook_file(find_sheets, place, context, version); },
          files);
}

// The sheets of an annotated matrix.
class MatrixSheets {
 public:
  // place: of the file, for notices.
  MatrixSheets(const AnnotatedMatrix& matrix, const std::string& place, Context& context)
      : matrix_(matrix), place_(place), context_(context) {}

  std::vector<Sheet> find() {
    add("cells", matrix_.obs, "one row for each cell");
    add("genes", matrix_.var, "one row for each gene");
    for (const AnnotatedPart& part : matrix_.obsm) add_embedding(part);
    sheets_.push_back({"about", about()});
    return std::move(sheets_);
  }

 private:
  void add(const std::string& name, Table table, const std::string& description) {
    items_.push_back("sheet " + name);
    values_.push_back(description);
    sheets_.push_back({name, std::move(table)});
  }

  void add_embedding(const AnnotatedPart& part) {
    if (const auto* table = std::get_if<Table>(&part.content)) return add(part.name, *table, kOfCells);
    const auto* array = std::get_if<LabelledArray>(&part.content);
    const Shape shape = array ? array->values->shape() : Shape();
    const bool fits = shape.size() == 2 && shape[array->values->column_major() ? 0 : 1] <= kMaxSheetColumns;
    if (!fits) {
      left_out_.push_back("obsm/" + part.name);
      context_.notice(fmt::format("{}: obsm/{} is left out: it is not a table of at most {} columns", place_,
                                  part.name, kMaxSheetColumns));
      return;
    }
    LabelledArray named = labelled_values(*array);
    if (!named.row_names) named.row_names = matrix_.obs.row_names;
    add(part.name, table_of_matrix(named), kOfCells);
  }

  // Returns what the file contains, and the parts that it does not.
  Table about() {
    const auto leave_out = [&](const std::string& folder, const std::vector<AnnotatedPart>& parts) {
      for (const AnnotatedPart& part : parts) left_out_.push_back(folder + "/" + part.name);
    };
    if (!std::holds_alternative<std::monostate>(matrix_.x)) left_out_.push_back("X");
    leave_out("layers", matrix_.layers);
    leave_out("varm", matrix_.varm);
    leave_out("obsp", matrix_.obsp);
    leave_out("varp", matrix_.varp);
    if (matrix_.raw) left_out_.push_back("raw");
    for (const std::vector<Member>* members : {&matrix_.uns, &matrix_.stored_uns})
      for (const Member& member : *members) left_out_.push_back("uns/" + member.name);
    std::vector<std::string> items{"cells", "genes"},
        values{std::to_string(matrix_.cells), std::to_string(matrix_.genes)};
    items.insert(items.end(), items_.begin(), items_.end());
    values.insert(values.end(), values_.begin(), values_.end());
    for (const std::string& part : left_out_) {
      items.push_back("not in this file");
      values.push_back(part);
    }
    return {items.size(), nullptr, {{"item", text_array(items)}, {"value", text_array(values)}}};
  }

  static constexpr const char* kOfCells = "one row for each cell";

  const AnnotatedMatrix& matrix_;
  const std::string& place_;
  Context& context_;
  std::vector<Sheet> sheets_;
  std::vector<std::string> items_, values_;  // of the sheets
  std::vector<std::string> left_out_;
};

}  // namespace

void offer_xlsx_of_table(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* table = std::get_if<Table>(&node.content);
  if (table && has_columns(*table) && can_be_held(*table))
    add_xlsx(
        row, node, [table = *table] { return table; }, context, files);
}

void offer_xlsx_of_array(const FileRow& row, const Node& node, Context& context, Files& files) {
  const auto* stored = std::get_if<LabelledArray>(&node.content);
  if (!stored) return;
  const LabelledArray array = labelled_values(*stored);
  if (has_rows(array))
    add_xlsx(
        row, node, [array] { return table_of(array); }, context, files);
}

void offer_workbook_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files) {
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context)) {
    if (found.refusal) continue;
    const std::string name = found.name == "anndata" ? std::string(row.name) : found.name + ".xlsx";
    const auto find_sheets = [make = std::move(found.make), name, &context] {
      const AnnotatedMatrix matrix = make();
      return MatrixSheets(matrix, name, context).find();
    };
    files.push_back(row.entry(name));
    files.back().open = [find_sheets, name, &context, version = row.version] {
      return workbook_file(find_sheets, name, context, version);
    };
  }
}

}  // namespace plainfs
