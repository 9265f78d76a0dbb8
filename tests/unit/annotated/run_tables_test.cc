// The tables of a run in the order of the cells.
#include "formats/annotated/run_tables.h"

#include <fmt/format.h>

#include <boost/filesystem/fstream.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/core/model/arrays/factor.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
using annotated::RunCells;
using annotated::RunTable;

const std::vector<std::string> kNames{"barcode", "a", "b"};

class Tables {
 public:
  Table text(const std::string& text, const std::vector<std::string>& names = kNames) {
    const std::string path = directory_.path(fmt::format("table{}.csv", written_++));
    boost::filesystem::ofstream(path) << text;
    return annotated::run_table_in_text(path, names, context_);
  }
  // Returns the table for the cells c1, c2 and c3.
  RunTable table(const std::string& text) {
    return RunTable(this->text(text), RunCells(text_array({"c1", "c2", "c3"})), "table.csv");
  }
  TestContext& context() { return context_; }

 private:
  const TemporaryDirectory directory_;
  TestContext context_;
  int written_ = 0;
};

BOOST_AUTO_TEST_SUITE(annotated_run_tables)

BOOST_AUTO_TEST_CASE(rows_are_matched_by_barcode) {
  Tables tables;
  const RunTable table = tables.table("barcode,a,b\nc3,3,x\nc9,9,y\nc1,1,\"z,\"\nc2,2,w\n");
  const ArrayPtr numbers = table.column(1);
  BOOST_TEST(numbers->dtype().is_integer());
  const Elements values = read_all(*numbers);
  BOOST_TEST(values.values<int64_t>()[0] == 1);
  BOOST_TEST(values.values<int64_t>()[2] == 3);
  const Elements texts = read_all(*table.column(2));
  BOOST_TEST(texts.text(0) == "z,");
}

BOOST_AUTO_TEST_CASE(cell_without_a_row_has_a_missing_value) {
  Tables tables;
  const RunTable table = tables.table("barcode,a,b\nc1,1,x\nc2,,\n");
  const ArrayPtr numbers = table.column(1);
  BOOST_TEST((numbers->dtype().kind == Kind::real));
  const Elements values = read_all(*numbers);
  BOOST_TEST(values.values<double>()[0] == 1.0);
  BOOST_TEST(std::isnan(values.values<double>()[1]));
  BOOST_TEST(std::isnan(values.values<double>()[2]));
  const Elements texts = read_all(*table.column(2));
  BOOST_TEST(!texts.is_missing(0));
  BOOST_TEST(texts.is_missing(1));
  BOOST_TEST(texts.is_missing(2));
}

BOOST_AUTO_TEST_CASE(first_line_of_numbers_is_no_header) {
  Tables tables;
  BOOST_TEST(tables.text("c1,1,2\nc2,3,4").rows == 2u);
  const Table headed = tables.text("barcode,in_tissue,b\nc1,1,2");
  BOOST_TEST(headed.rows == 1u);
  BOOST_TEST(headed.columns[1].name == "in_tissue");
  const auto too_few = [](const Error& error) { return mentions("2 columns, expected 3")(error); };
  BOOST_CHECK_EXCEPTION(tables.text("c1,1\n"), Error, too_few);
}

BOOST_AUTO_TEST_CASE(clusters_are_a_factor_in_the_order_of_numbers) {
  Tables tables;
  const ArrayPtr numbers = tables.table("Barcode,a,b\nc1,10,x\nc2,9,\nc9,1,y\n").factor(1, tables.context());
  const auto parts = factor_parts(*numbers);
  BOOST_REQUIRE(parts.has_value());
  const Elements levels = level_texts(*parts);
  BOOST_REQUIRE(levels.count == 2u);
  BOOST_TEST(levels.text(0) == "9");
  BOOST_TEST(levels.text(1) == "10");
  const Elements labels = read_all(*numbers);
  BOOST_TEST(labels.text(0) == "10");
  BOOST_TEST(labels.is_missing(2));
  const ArrayPtr texts = tables.table("Barcode,a,b\nc1,10,b\nc2,9,a\n").factor(2, tables.context());
  BOOST_TEST(level_texts(*factor_parts(*texts)).text(0) == "a");
}

BOOST_AUTO_TEST_CASE(matrix_of_whole_numbers_has_integers) {
  Tables tables;
  const ArrayPtr whole = tables.table("Barcode,a,b\nc1,1,2\nc2,3,4\nc3,5,6\n").matrix({2, 1});
  BOOST_TEST((whole->shape() == Shape{3, 2}));
  BOOST_TEST(read_all(*whole).values<int64_t>()[0] == 2);
  BOOST_TEST(read_all(*whole).values<int64_t>()[5] == 5);
  const ArrayPtr real = tables.table("Barcode,a,b\nc1,1,2.5\nc2,3,4\nc3,5,6\n").matrix({1, 2});
  BOOST_TEST(read_all(*real).values<double>()[1] == 2.5);
  const RunTable text = tables.table("Barcode,a,b\nc1,1,x\n");
  const auto no_number = [](const Error& error) {
    return mentions("b has a value that is not a number")(error);
  };
  BOOST_CHECK_EXCEPTION(text.matrix({1, 2}), Error, no_number);
}

BOOST_AUTO_TEST_CASE(repeated_barcode_is_damaged) {
  Tables tables;
  const auto repeated = [](const Error& error) { return mentions("the barcode c1 is repeated")(error); };
  BOOST_CHECK_EXCEPTION(tables.table("Barcode,a,b\nc1,1,2\nc1,1,2\n"), Error, repeated);
  const auto twice = [](const Error& error) { return mentions("two cells are called c")(error); };
  BOOST_CHECK_EXCEPTION(RunCells(text_array({"c", "c"})), Error, twice);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
