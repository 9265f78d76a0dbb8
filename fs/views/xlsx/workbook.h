// Workbooks of Excel: tables as sheets. XLSX.md describes the output and its sources.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/layout/zip_file.h"

namespace plainfs {

struct Sheet {
  std::string name;
  Table table;
};

// Returns the members of a workbook with these sheets, of which there is at least one. Names that Excel
// refuses are changed. place: of the file, for notices about values that are text or empty. Row names are the
// first column, a compound is a column per member. Reads texts and levels. Throws damaged if the length of a
// column differs from that of its table or a text is not UTF-8, and unsupported if a sheet cannot hold a
// table.
std::vector<ZipMember> workbook_members(std::vector<Sheet> sheets, const std::string& place,
                                        Context& context);

// Returns a file of the workbook with the sheets that find_sheets returns. place and version: as above, and
// of zip_file().
std::shared_ptr<ViewFile> workbook_file(std::function<std::vector<Sheet>()> find_sheets, std::string place,
                                        Context& context, std::string version);

// Returns the columns of a matrix as a table. Row names, or numbers from 1, are the row names. Throws
// unsupported if there are more columns than a sheet holds. Requires: its rank is 2.
Table table_of_matrix(const LabelledArray& matrix);

// Returns "rna genes" for a part of a modality, with the beginnings of both if that has over kMaxSheetName
// characters.
std::string sheet_name(std::string_view modality, std::string_view part);

// Returns names that Excel accepts: of at most kMaxSheetName characters, none of : \ / ? * [ ], without an
// apostrophe at an end, and distinct without regard to case.
std::vector<std::string> sheet_names(const std::vector<std::string>& names);

}  // namespace plainfs
