#include "formats/schemas/parquet/store.h"

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "formats/core/model/elements/element_text.h"
#include "formats/schemas/parquet/table.h"
#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/parquet/sample_file.h"

namespace plainfs::parquet {
namespace {

std::string joined(const ArrayPtr& array) {
  const Elements elements = read_all(*array);
  std::string text;
  for (uint64_t i = 0; i < elements.count; ++i) {
    if (i > 0) text += ' ';
    append_plain(array->dtype(), elements, i, text);
  }
  return text;
}

class TableFolder {
 public:
  std::string put(const std::string& name, const std::string& content) {
    const boost::filesystem::path path = directory_.path(name);
    boost::filesystem::create_directories(path.parent_path());
    std::ofstream(path.string(), std::ios::binary) << content;
    return path.string();
  }
  std::string path(const std::string& name) const { return directory_.path(name); }

 private:
  TemporaryDirectory directory_;
};

// A list of numbers for each row, with the levels and values that a test states.
SampleFile lists_file(const std::string& repetition, const std::string& definition,
                      const std::vector<int32_t>& values, int32_t entries, int64_t rows) {
  SampleFile file;
  file.schema = {{"list", -1, 1, 1, converted::kList}, {"items", -1, 2, 1}, {"item", 1, 1}};
  std::string body;
  for (const std::string& levels : {repetition, definition}) {
    append_little(body, levels.size(), 4);
    body += levels;
  }
  for (const int32_t value : values) append_little(body, static_cast<uint32_t>(value), 4);
  file.chunks = {{{{body, entries}}, {"list", "items", "item"}}};
  file.chunks[0].values = entries;
  file.rows = rows;
  return file;
}

BOOST_AUTO_TEST_SUITE(parquet_store)

BOOST_AUTO_TEST_CASE(file_is_a_table_and_its_columns) {
  TestContext context;
  TableFolder folder;
  const std::string path = folder.put("x.parquet", integers_file({3, 1, 2}).write());
  BOOST_TEST(recognises(look_at(path)));
  const Store store = open(look_at(path), context);
  BOOST_TEST(store.format == "Parquet");
  const std::optional<Node> node = store.root.parts->find("table");
  BOOST_TEST_REQUIRE(node.has_value());
  const Table& table = std::get<Table>(node->content);
  BOOST_TEST(table.rows == 3U);
  BOOST_TEST(joined(table.columns.at(0).values) == "3 1 2");
  BOOST_TEST(joined(find_array(*node->parts, "a")) == "3 1 2");
  BOOST_TEST(context.counters.chunks_decoded == 1U);
}

BOOST_AUTO_TEST_CASE(opening_decodes_no_page) {
  TestContext context;
  TableFolder folder;
  const std::string path = folder.put("x.parquet", integers_file({3, 1, 2}).write());
  const Store store = open(look_at(path), context);
  store.root.parts->members();
  BOOST_TEST(context.counters.chunks_decoded == 0U);
}

BOOST_AUTO_TEST_CASE(wrong_number_of_rows_is_a_warning) {
  TestContext context;
  SampleFile file = integers_file({3, 1});
  file.stated_rows = 7;
  TableFolder folder;
  open(look_at(folder.put("x.parquet", file.write())), context);
  BOOST_TEST(context.warned("the file states 7 rows, its row groups have 2"));
}

BOOST_AUTO_TEST_CASE(parts_follow_each_other_with_their_folders) {
  TestContext context;
  TableFolder folder;
  folder.put("t.parquet/k=10/x.parquet", integers_file({4}).write());
  folder.put("t.parquet/k=2/x.parquet", integers_file({1, 2, 3}).write());
  const Table table = read_table(folder.path("t.parquet"), context);
  BOOST_TEST(joined(table.columns.at(0).values) == "1 2 3 4");
  BOOST_TEST(table.columns.at(1).name == "k");
  BOOST_TEST(joined(table.columns.at(1).values) == "2 2 2 10");
  folder.put("t.parquet/k=__HIVE_DEFAULT_PARTITION__/x.parquet", integers_file({5}).write());
  BOOST_TEST(joined(read_table(folder.path("t.parquet"), context).columns.at(1).values) == "2 2 2 10 NA");
  folder.put("t.parquet/k=07/x.parquet", integers_file({}).write());
  BOOST_TEST(
      (read_table(folder.path("t.parquet"), context).columns.at(1).values->dtype().kind == Kind::text));
}

BOOST_AUTO_TEST_CASE(parts_with_other_columns_are_damaged) {
  TestContext context;
  TableFolder folder;
  folder.put("t.parquet/0.parquet", integers_file({4}).write());
  SampleFile other = integers_file({4});
  other.schema[0].name = "b";
  other.chunks[0].path = {"b"};
  folder.put("t.parquet/1.parquet", other.write());
  BOOST_CHECK_EXCEPTION(read_table(folder.path("t.parquet"), context), Error,
                        mentions("1.parquet: its column a differs from that of 0.parquet"));
}

BOOST_AUTO_TEST_CASE(row_names_of_pandas_come_first) {
  TestContext context;
  TableFolder folder;
  int number = 0;
  const auto table_with = [&](const std::string& index) {
    SampleFile file = integers_file({7, 8});
    file.keys = {{"pandas", R"({"index_columns":[)" + index + "]}"}};
    return read_table(folder.put(fmt::format("{}.parquet", number++), file.write()), context);
  };
  BOOST_TEST(joined(table_with(R"("a")").row_names) == "7 8");
  BOOST_TEST(table_with(R"("a")").columns.empty());
  BOOST_TEST(joined(table_with(R"({"kind":"range","start":5,"stop":9,"step":2})").row_names) == "5 7");
  BOOST_TEST(!table_with(R"({"kind":"range","start":0,"stop":2,"step":1})").row_names);
  BOOST_TEST(!table_with(R"("gone")").row_names);
  BOOST_TEST(context.warned("the row names gone are not a column"));
  table_with("[");
  BOOST_TEST(context.warned("the key pandas is not used"));
}

BOOST_AUTO_TEST_CASE(lists_are_json) {
  TestContext context;
  TableFolder folder;
  // [1,null], [], NA, [2]
  const SampleFile file = lists_file("\x03\x02", "\x03\x1b\x03", {1, 2}, 5, 4);
  const Table table = read_table(folder.put("x.parquet", file.write()), context);
  BOOST_TEST(joined(table.columns.at(0).values) == "[1,null] [] NA [2]");
}

BOOST_AUTO_TEST_CASE(lists_with_wrong_levels_are_damaged) {
  TestContext context;
  TableFolder folder;
  int number = 0;
  const auto fault = [&](const SampleFile& file, const char* words) {
    const Table table = read_table(folder.put(fmt::format("{}.parquet", number++), file.write()), context);
    BOOST_CHECK_EXCEPTION(read_all(*table.columns.at(0).values), Error, mentions(words));
  };
  fault(lists_file("\x03\x01", "\x04\x03", {1, 2}, 2, 2), "it begins within a row");
  fault(lists_file(std::string("\x03\0", 2), "\x04\x03", {1, 2}, 2, 3), "2 values for 3 rows");
  fault(lists_file(std::string("\x03\0", 2), "\x04\x03", {1, 2}, 2, 1), "it has 2 rows, expected 1");
}

BOOST_AUTO_TEST_CASE(column_that_cannot_be_shown_leaves_the_others) {
  TestContext context;
  TableFolder folder;
  SampleFile file = integers_file({1, 2});
  file.schema.push_back({"b", 1, 0, 0, converted::kTimestampMillis});
  file.root_children = 2;
  file.chunks.push_back(file.chunks[0]);
  file.chunks[1].path = {"b"};
  const Table table = read_table(folder.put("x.parquet", file.write()), context);
  BOOST_TEST(joined(table.columns.at(0).values) == "1 2");
  BOOST_CHECK_EXCEPTION(table.columns.at(1).values->check(), Error, mentions("column b: logical type 8"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::parquet
