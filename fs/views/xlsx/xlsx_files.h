// Tables as workbooks of Excel. XLSX.md describes the output and its sources.
#pragma once

#include "fs/views/file_rows.h"

namespace plainfs {

// NAME.xlsx of a table that has a NAME.rds, and of an array of compounds.
void offer_xlsx_of_table(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_xlsx_of_array(const FileRow& row, const Node& node, Context& context, Files& files);

// workbook.xlsx of an annotated matrix, or ASSAY.xlsx: the cells, the genes, each embedding of the cells, and
// what is in the file and what is not. Of an object with several assays, modalities or alternative
// experiments workbook.xlsx has the cells, and the genes and embeddings of each.
void offer_workbook_of_matrices(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
