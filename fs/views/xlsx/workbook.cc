#include "fs/views/xlsx/workbook.h"

#include <algorithm>
#include <unordered_set>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/utf8.h"
#include "fs/views/table/flat_columns.h"
#include "fs/views/table/row_text.h"
#include "fs/views/xlsx/sheet_column.h"

namespace plainfs {

namespace {

constexpr std::string_view kXml = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
constexpr std::string_view kMain = "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
                           kRelations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                           kPackageSchemas = "http://schemas.openxmlformats.org/package/2006";
constexpr std::string_view kSheetML = "application/vnd.openxmlformats-officedocument.spreadsheetml";

// Cell formats: 0 is for everything else, 1 for the header, 2 for dates, 3 for times. Excel needs the fill
// gray125.
constexpr std::string_view kStyles =
    "<numFmts count=\"2\"><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/>"
    "<numFmt numFmtId=\"165\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm:ss\"/></numFmts>"
    "<fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font>"
    "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font></fonts>"
    "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>"
    "<fill><patternFill patternType=\"gray125\"/></fill></fills>"
    "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>"
    "<cellXfs count=\"4\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>"
    "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\"/>"
    "<xf numFmtId=\"164\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>"
    "<xf numFmtId=\"165\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
    "applyNumberFormat=\"1\"/></cellXfs>"
    "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" "
    "builtinId=\"0\"/></cellStyles></styleSheet>";

using SheetColumnPtr = std::shared_ptr<SheetColumn>;

// A sheet with known columns.
struct OpenSheet {
  std::string name;
  uint64_t rows = 0;
  std::vector<SheetColumnPtr> columns;
  std::vector<uint64_t> shared_names;  // for each column, the number of its shared name plus 1, or 0

  // Returns "H8", the last cell, with `separator` before the letters and the digits.
  std::string last(std::string_view separator = {}) const {
    return fmt::format("{0}{1}{0}{2}", separator, columns.back()->letters(), rows + 1);
  }
};

// The shared strings of a workbook: names of columns and levels, which are in memory, then the texts of
// columns, in the order of the rows.
struct SharedStrings {
  struct Texts {
    SheetColumnPtr column;
    uint64_t rows;
  };
  std::vector<std::string> first;
  std::vector<Texts> texts;
  uint64_t count = 0;

  uint64_t add(std::string text) {
    first.push_back(std::move(text));
    return count++;
  }
};

std::string width_of(const SheetColumn& column) {
  constexpr uint64_t kMin = 6, kMax = 60, kBoldAndButton = 3;
  const uint64_t header = column.name().size() + kBoldAndButton;
  return fmt::format("{}.7109375", std::clamp(std::max(header, column.width()), kMin, kMax));
}

std::string sheet_head(const OpenSheet& sheet) {
  std::string out(kXml);
  out += fmt::format("<worksheet xmlns=\"{}\">", kMain);
  if (sheet.columns.empty()) return out + "<sheetData>";
  out += fmt::format(
      "<dimension ref=\"A1:{}\"/><sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"1\" "
      "topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews><cols>",
      sheet.last());
  for (size_t i = 0; i < sheet.columns.size(); ++i)
    out += fmt::format("<col min=\"{0}\" max=\"{0}\" width=\"{1}\" customWidth=\"1\"/>", i + 1,
                       width_of(*sheet.columns[i]));
  out += "</cols><sheetData><row r=\"1\">";
  for (size_t i = 0; i < sheet.columns.size(); ++i) {
    const SheetColumn& column = *sheet.columns[i];
    if (sheet.shared_names[i] > 0)
      out += fmt::format("<c r=\"{}1\" s=\"1\" t=\"s\"><v>{}</v></c>", column.letters(),
                         sheet.shared_names[i] - 1);
    else if (!column.name().empty())
      out += fmt::format("<c r=\"{}1\" s=\"1\" t=\"inlineStr\"><is><t>{}</t></is></c>", column.letters(),
                         column.name());
  }
  return out + "</row>";
}

std::string sheet_tail(const OpenSheet& sheet) {
  std::string out = "</sheetData>";
  if (!sheet.columns.empty()) out += fmt::format("<autoFilter ref=\"A1:{}\"/>", sheet.last());
  return out + "</worksheet>";
}

// The rows of a sheet below its header.
class SheetRows : public RowText<SheetRows> {
 public:
  SheetRows(OpenSheet sheet, Context& context) : sheet_(std::move(sheet)), context_(context) {}

  void prepare() override {
    constexpr uint64_t kMarkup = 24;  // characters around a value
    uint64_t width = kMarkup;
    std::vector<ArrayPtr> arrays;
    for (const SheetColumnPtr& column : sheet_.columns) {
      arrays.push_back(column->stored());
      width += column->width() + kMarkup;
    }
    show_rows(sheet_.rows, std::move(arrays), width, context_);
  }
  bool should_cache(uint64_t) const override { return !units().are_shared(); }  // shared units need the cache

  template <class Sink>
  void put_rows(const ShownRows& rows, Sink& sink) const {
    std::vector<SheetCells> cells;
    cells.reserve(sheet_.columns.size());
    for (size_t i = 0; i < sheet_.columns.size(); ++i)
      cells.emplace_back(*sheet_.columns[i], rows.parts[i], rows.first, rows.count, rows.first_of_all);
    std::string text;
    for (uint64_t row = 0; row < rows.count; ++row) {
      const std::string number = std::to_string(rows.first_of_all + row + 2);  // the first is the header
      text.assign("<row r=\"").append(number).append("\">");
      for (SheetCells& cell : cells) cell.append_next(number, text);
      sink.put(std::string_view(text.append("</row>")));
    }
  }

 private:
  const OpenSheet sheet_;
  Context& context_;
};

// The shared texts of the columns.
class SharedTexts : public EmittingSource<SharedTexts> {
 public:
  explicit SharedTexts(std::vector<SharedStrings::Texts> texts) {
    for (const SharedStrings::Texts& its : texts)
      for (uint64_t first = 0; first < its.rows; first += kRows) {
        const uint64_t count = std::min(kRows, its.rows - first);
        if (its.column->shared_before(first + count) > its.column->shared_before(first))
          blocks_.push_back({its.column, first, count});
      }
  }

  uint64_t block_count() const override { return blocks_.size(); }
  bool should_cache(uint64_t) const override { return true; }

  template <class Sink>
  void emit(uint64_t number, Sink& sink) const {
    const Block& block = blocks_[number];
    for (const std::string& text : block.column->shared_texts(block.first, block.count))
      put_shared(text, sink);
  }

  template <class Sink>
  static void put_shared(std::string_view text, Sink& sink) {
    sink.put(std::string_view("<si><t xml:space=\"preserve\">"));
    sink.put(std::string_view(xml_text(text)));
    sink.put(std::string_view("</t></si>"));
  }

 private:
  static constexpr uint64_t kRows = 4 * kSharedRun;
  struct Block {
    SheetColumnPtr column;
    uint64_t first;
    uint64_t count;
  };
  std::vector<Block> blocks_;
};

void check_columns(uint64_t count) {
  if (count > kMaxSheetColumns)
    throw unsupported("{} columns; a sheet of Excel holds at most {}", count, kMaxSheetColumns);
}

OpenSheet open_sheet(std::string name, const Table& table, const std::string& place, Context& context) {
  OpenSheet sheet{std::move(name), table.rows, {}, {}};
  const ArrayPtr row_names = checked_row_names(table);
  const std::vector<Column> columns = flat_columns(table);
  const uint64_t count = columns.size() + (row_names ? 1 : 0);
  if (table.rows >= kMaxSheetRows)
    throw unsupported("{} rows; a sheet of Excel holds at most {} below its header", table.rows,
                      kMaxSheetRows - 1);
  check_columns(count);
  const auto add = [&](const std::string& column, const ArrayPtr& values) {
    check_utf8(std::string_view(column));
    check_length(column);
    sheet.columns.push_back(
        std::make_shared<SheetColumn>(column, values, sheet.columns.size(), place, context));
  };
  if (row_names) add(context.options.row_name_header, row_names);
  for (const Column& column : columns) add(column.name, column.values);
  return sheet;
}

// Gives the shared strings of all sheets their numbers.
SharedStrings share(std::vector<OpenSheet>& sheets) {
  SharedStrings shared;
  for (OpenSheet& sheet : sheets)
    for (const SheetColumnPtr& column : sheet.columns) {
      const bool is_shared = !column->name().empty() && must_be_shared(column->name());
      sheet.shared_names.push_back(is_shared ? shared.add(column->name()) + 1 : 0);
    }
  for (const OpenSheet& sheet : sheets)
    for (const SheetColumnPtr& column : sheet.columns) {
      column->set_first_shared(shared.count);
      for (std::string& level : column->levels()) shared.add(std::move(level));
    }
  for (const OpenSheet& sheet : sheets)
    for (const SheetColumnPtr& column : sheet.columns) {
      const uint64_t count = column->shared_before(sheet.rows);
      if (count == 0) continue;
      column->set_first_shared(shared.count);
      shared.texts.push_back({column, sheet.rows});
      shared.count += count;
    }
  return shared;
}

ZipMember shared_strings(SharedStrings shared, Context& context) {
  ZipMember member{"xl/sharedStrings.xml"};
  member.head = std::string(kXml) + fmt::format("<sst xmlns=\"{}\" uniqueCount=\"{}\">", kMain, shared.count);
  StringSink head(member.head);
  for (const std::string& text : shared.first) SharedTexts::put_shared(text, head);
  member.body = std::make_shared<TextFile>(std::make_unique<SharedTexts>(std::move(shared.texts)), context);
  member.tail = "</sst>";
  return member;
}

std::string content_types(size_t sheets) {
  std::string out(kXml);
  out += fmt::format(
      "<Types xmlns=\"{0}/content-types\"><Default Extension=\"rels\" "
      "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" "
      "ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" "
      "ContentType=\"{1}.sheet.main+xml\"/>",
      kPackageSchemas, kSheetML);
  for (size_t i = 1; i <= sheets; ++i)
    out += fmt::format("<Override PartName=\"/xl/worksheets/sheet{}.xml\" ContentType=\"{}.worksheet+xml\"/>",
                       i, kSheetML);
  return out + fmt::format(
                   "<Override PartName=\"/xl/styles.xml\" ContentType=\"{0}.styles+xml\"/><Override "
                   "PartName=\"/xl/sharedStrings.xml\" ContentType=\"{0}.sharedStrings+xml\"/></Types>",
                   kSheetML);
}

// Returns the relationships to targets, each with the end of its type, as rId1, rId2 and so on.
std::string relationships(const std::vector<std::pair<std::string_view, std::string>>& targets) {
  std::string out(kXml);
  out += fmt::format("<Relationships xmlns=\"{}/relationships\">", kPackageSchemas);
  for (size_t i = 0; i < targets.size(); ++i)
    out += fmt::format("<Relationship Id=\"rId{}\" Type=\"{}/{}\" Target=\"{}\"/>", i + 1, kRelations,
                       targets[i].first, targets[i].second);
  return out + "</Relationships>";
}

std::string relationships_of_workbook(size_t sheets) {
  std::vector<std::pair<std::string_view, std::string>> targets;
  for (size_t i = 1; i <= sheets; ++i)
    targets.emplace_back("worksheet", fmt::format("worksheets/sheet{}.xml", i));
  targets.emplace_back("styles", "styles.xml");
  targets.emplace_back("sharedStrings", "sharedStrings.xml");
  return relationships(targets);
}

std::string in_quotes(std::string_view name) {
  std::string out = "'";
  for (const char c : name) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

std::string workbook(const std::vector<OpenSheet>& sheets) {
  std::string out(kXml), filters;
  out += fmt::format("<workbook xmlns=\"{}\" xmlns:r=\"{}\"><bookViews><workbookView/></bookViews><sheets>",
                     kMain, kRelations);
  for (size_t i = 0; i < sheets.size(); ++i) {
    const OpenSheet& sheet = sheets[i];
    out += fmt::format("<sheet name=\"{0}\" sheetId=\"{1}\" r:id=\"rId{1}\"/>", xml_attribute(sheet.name),
                       i + 1);
    if (!sheet.columns.empty())
      filters += fmt::format(
          "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"{}\" "
          "hidden=\"1\">{}!$A$1:{}</definedName>",
          i, xml_text(in_quotes(sheet.name)), sheet.last("$"));
  }
  out += "</sheets>";
  if (!filters.empty()) out += "<definedNames>" + filters + "</definedNames>";
  return out + "</workbook>";
}

// Returns the longest beginning of a text with at most that many units of UTF-16.
std::string cut(std::string_view text, size_t most) {
  size_t at = 0;
  for (size_t units = 0; at < text.size();) {
    const size_t length = std::max<size_t>(1, utf8_length(text.substr(at)));
    units += length == 4 ? 2 : 1;
    if (units > most) break;
    at += length;
  }
  return std::string(text.substr(0, at));
}

std::string allowed_name(std::string name) {
  constexpr std::string_view kRefused = ":\\/?*[]";
  for (char& c : name)
    if (kRefused.find(c) != kRefused.npos || static_cast<unsigned char>(c) < ' ') c = '_';
  name = cut(name, kMaxSheetName);
  if (name.starts_with('\'')) name.front() = '_';
  if (name.ends_with('\'')) name.back() = '_';
  if (name.empty()) name = "sheet";
  return lower_case(name) == "history" ? name + "_" : name;  // a name that Excel keeps for itself
}

}  // namespace

std::string sheet_name(std::string_view modality, std::string_view part) {
  constexpr size_t kMaxOfPart = 20;
  const std::string whole = fmt::format("{} {}", modality, part);
  if (cut(whole, kMaxSheetName) == whole) return whole;
  const std::string end = cut(part, kMaxOfPart);
  size_t units = 0;
  while (cut(end, units) != end) ++units;
  return fmt::format("{} {}", cut(modality, kMaxSheetName - 1 - units), end);
}

std::vector<std::string> sheet_names(const std::vector<std::string>& names) {
  std::unordered_set<std::string> taken;
  std::vector<std::string> distinct;
  for (const std::string& name : names) {
    const std::string allowed = allowed_name(is_utf8(name) ? name : "sheet");
    std::string unique = allowed;
    for (uint64_t i = 2; !taken.insert(lower_case(unique)).second; ++i) {
      const std::string number = fmt::format("_{}", i);
      unique = cut(allowed, kMaxSheetName - number.size()) + number;
    }
    distinct.push_back(std::move(unique));
  }
  return distinct;
}

std::vector<ZipMember> workbook_members(std::vector<Sheet> sheets, const std::string& place,
                                        Context& context) {
  std::vector<std::string> names;
  for (const Sheet& sheet : sheets) names.push_back(sheet.name);
  names = sheet_names(names);
  std::vector<OpenSheet> open;
  for (size_t i = 0; i < sheets.size(); ++i)
    open.push_back(open_sheet(names[i], sheets[i].table, place, context));
  SharedStrings shared = share(open);
  std::vector<ZipMember> members{
      {"[Content_Types].xml", content_types(open.size())},
      {"_rels/.rels", relationships({{"officeDocument", "xl/workbook.xml"}})},
      {"xl/workbook.xml", workbook(open)},
      {"xl/_rels/workbook.xml.rels", relationships_of_workbook(open.size())},
      {"xl/styles.xml",
       std::string(kXml) + fmt::format("<styleSheet xmlns=\"{}\">", kMain) + std::string(kStyles)}};
  for (size_t i = 0; i < open.size(); ++i) {
    ZipMember member{fmt::format("xl/worksheets/sheet{}.xml", i + 1), sheet_head(open[i])};
    member.tail = sheet_tail(open[i]);
    member.body =
        std::make_shared<TextFile>(std::make_unique<SheetRows>(std::move(open[i]), context), context);
    members.push_back(std::move(member));
  }
  members.push_back(shared_strings(std::move(shared), context));
  return members;
}

std::shared_ptr<ViewFile> workbook_file(std::function<std::vector<Sheet>()> find_sheets, std::string place,
                                        Context& context, std::string version) {
  const auto find_members = [find_sheets = std::move(find_sheets), place = std::move(place), &context] {
    return workbook_members(find_sheets(), place, context);
  };
  return zip_file(find_members, context, std::move(version));
}

Table table_of_matrix(const LabelledArray& matrix) {
  const Array& values = *matrix.values;
  values.check();
  const size_t axis = values.column_major() ? 0 : 1;  // along a row
  const uint64_t rows = values.shape()[1 - axis], width = values.shape()[axis];
  check_columns(width);
  Table table{rows, matrix.row_names ? matrix.row_names : numbered_texts(rows, {}, 1), {}};
  const Elements names = matrix.column_names ? read_all(*matrix.column_names) : Elements();
  if (matrix.column_names && names.count != width)
    throw damaged("{} names for {} columns", names.count, width);
  for (uint64_t column = 0; column < width; ++column) {
    std::string name;
    if (matrix.column_names)
      append_plain(matrix.column_names->dtype(), names, column, name);
    else
      name = std::to_string(column + 1);
    table.columns.push_back(
        {std::move(name), slice(matrix.values, at_index(values.shape(), axis, column), {1 - axis})});
  }
  return table;
}

}  // namespace plainfs
