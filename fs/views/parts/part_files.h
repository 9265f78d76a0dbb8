// Parts of a matrix (fs/VIEWS.md, section 12).
#pragma once

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// genes/ and cells/ in the directory of every matrix of genes by cells: a file per gene or cell, or for
// several at once. Requires of cells/: it is offered right after genes/.
void offer_genes(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_cells(const FileRow& row, const Node& node, Context& context, Files& files);
// The end of the names of the files in pseudobulk/ with the number of cells of each group.
inline constexpr std::string_view kNumbersOfCells = ".cells.csv";
// by/COLUMN/LEVEL/: the cells of one level of an obs column as an annotated matrix, for nodes with an
// annotated matrix that has columns of cells, and with -o cells= for fragments. Listing by/ reads the text
// columns; listing by/COLUMN reads the whole column.
void offer_by(const FileRow& row, const Node& node, Context& context, Files& files);
// For nodes with an annotated matrix that has columns of cells: the sums of the counts of the cells of each
// level of one or several obs columns.
void offer_pseudobulk(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
