#include "fs/views/xlsx/xlsx_files.h"

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/mudata_parts.h"
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

// The sheets of an annotated matrix, or of several that are one object.
class MatrixSheets {
 public:
  // place: of the file, for notices.
  MatrixSheets(const std::string& place, Context& context) : place_(place), context_(context) {}

  std::vector<Sheet> find(const AnnotatedMatrix& matrix) {
    count("cells", matrix.cells);
    count("genes", matrix.genes);
    add("cells", matrix.obs, "one row for each cell");
    add("genes", matrix.var, "one row for each gene");
    add_embeddings(matrix, {});
    leave_out(matrix, {});
    return finish();
  }

  // The cells that the modalities share come first, then what each of them has.
  std::vector<Sheet> find(const MuDataParts& parts) {
    count("cells", parts.common.cells);
    if (has_columns(parts.common.obs)) add("cells", parts.common.obs, "one row for each cell");
    add_embeddings(parts.common, {});
    leave_out(parts.common, {});
    for (const MuDataParts::Modality& modality : parts.modalities) {
      const std::string& name = modality.name;
      const AnnotatedMatrix& matrix = modality.matrix;
      count("cells of " + name, matrix.cells);
      count("genes of " + name, matrix.genes);
      if (has_columns(matrix.obs)) add_of(name, "cells", matrix.obs, "one row for each cell of " + name);
      add_of(name, "genes", matrix.var, "one row for each gene of " + name);
      add_embeddings(matrix, name);
      leave_out(matrix, name + "/");
    }
    return finish();
  }

 private:
  static bool has_columns(const Table& table) { return !table.columns.empty(); }

  void count(const std::string& what, uint64_t number) {
    items_.push_back(what);
    values_.push_back(std::to_string(number));
  }

  void add(const std::string& name, Table table, const std::string& description) {
    sheets_.push_back({name, std::move(table)});
    descriptions_.push_back(description);
  }

  // Adds a part of a modality; empty modality: of the whole.
  void add_of(const std::string& modality, const std::string& part, Table table,
              const std::string& description) {
    add(modality.empty() ? part : sheet_name(modality, part), std::move(table), description);
  }

  void add_embeddings(const AnnotatedMatrix& matrix, const std::string& modality) {
    for (const AnnotatedPart& part : matrix.obsm) add_embedding(part, matrix, modality);
  }

  void add_embedding(const AnnotatedPart& part, const AnnotatedMatrix& matrix, const std::string& modality) {
    const std::string description =
        modality.empty() ? "one row for each cell" : "one row for each cell of " + modality;
    if (const auto* table = std::get_if<Table>(&part.content))
      return add_of(modality, part.name, *table, description);
    const auto* array = std::get_if<LabelledArray>(&part.content);
    const Shape shape = array ? array->values->shape() : Shape();
    const bool fits = shape.size() == 2 && shape[array->values->column_major() ? 0 : 1] <= kMaxSheetColumns;
    if (!fits) {
      const std::string path = fmt::format("{}{}obsm/{}", modality, modality.empty() ? "" : "/", part.name);
      left_out_.push_back(path);
      context_.notice(fmt::format("{}: {} is left out: it is not a table of at most {} columns", place_, path,
                                  kMaxSheetColumns));
      return;
    }
    LabelledArray named = labelled_values(*array);
    if (!named.row_names) named.row_names = matrix.obs.row_names;
    add_of(modality, part.name, table_of_matrix(named), description);
  }

  // Notes the parts of a matrix that no sheet has. folder: "rna/" of a modality, else empty.
  void leave_out(const AnnotatedMatrix& matrix, const std::string& folder) {
    const auto leave_out_parts = [&](const std::string& of, const std::vector<AnnotatedPart>& parts) {
      for (const AnnotatedPart& part : parts) left_out_.push_back(folder + of + "/" + part.name);
    };
    if (!std::holds_alternative<std::monostate>(matrix.x)) left_out_.push_back(folder + "X");
    leave_out_parts("layers", matrix.layers);
    leave_out_parts("varm", matrix.varm);
    leave_out_parts("obsp", matrix.obsp);
    leave_out_parts("varp", matrix.varp);
    if (matrix.raw) left_out_.push_back(folder + "raw");
    for (const std::vector<Member>* members : {&matrix.uns, &matrix.stored_uns})
      for (const Member& member : *members) left_out_.push_back(folder + "uns/" + member.name);
  }

  // Adds the sheet of what the file contains, and of the parts that it does not.
  std::vector<Sheet> finish() {
    sheets_.push_back({"about", {}});
    std::vector<std::string> names;
    for (const Sheet& sheet : sheets_) names.push_back(sheet.name);
    names = sheet_names(names);
    for (size_t i = 0; i < descriptions_.size(); ++i) {
      items_.push_back("sheet " + names[i]);
      values_.push_back(descriptions_[i]);
    }
    for (const std::string& part : left_out_) {
      items_.push_back("not in this file");
      values_.push_back(part);
    }
    sheets_.back().table = {
        items_.size(), nullptr, {{"item", text_array(items_)}, {"value", text_array(values_)}}};
    return std::move(sheets_);
  }

  const std::string& place_;
  Context& context_;
  std::vector<Sheet> sheets_;
  std::vector<std::string> descriptions_;    // of the sheets
  std::vector<std::string> items_, values_;  // of the last one
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
  const auto add_workbook = [&](const std::string& name, auto make) {
    const auto find_sheets = [make, name, &context] { return MatrixSheets(name, context).find(make()); };
    files.push_back(row.entry(name));
    files.back().open = [find_sheets, name, &context, version = row.version] {
      return workbook_file(find_sheets, name, context, version);
    };
  };
  // The types of features of one matrix have one sheet of genes, with a column of them.
  const std::optional<FoundMuData> whole = find_mudata(node, context);
  const bool are_several = whole && whole->are_several;
  if (are_several) add_workbook(std::string(row.name), whole->make);
  for (FoundAnnotatedMatrix& found : annotated_matrices(node, context)) {
    if (found.refusal || (are_several && found.name == "anndata")) continue;
    add_workbook(found.name == "anndata" ? std::string(row.name) : found.name + ".xlsx",
                 std::move(found.make));
  }
}

}  // namespace plainfs
