#include "fs/command_line/cells_file.h"

#include <boost/test/unit_test.hpp>

#include "fs/command_line/exit_code.h"
#include "tests/support/mentions.h"
#include "tests/support/store_nodes.h"

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(cells_file)

BOOST_AUTO_TEST_CASE(columns_are_of_numbers_or_of_texts) {
  const CellTable generated = cell_table(
      "\"\",type,n,quoted,spelled,x\na,T,1.5,\"1\",01,NA\n\"b,c\",\"NA\",-2,2,2,\nd,NA,NA,3,3,NA\n");
  const Table& table = generated.table;
  BOOST_TEST(table.rows == 3u);
  BOOST_TEST(shown(*table.row_names) == (Texts{"a", "b,c", "d"}));
  BOOST_REQUIRE(table.columns.size() == 5u);
  BOOST_TEST(table.columns[0].name == "type");
  BOOST_TEST(shown(*table.columns[0].values) == (Texts{"T", "NA", "NA"}));
  const Elements type = read_all(*table.columns[0].values);
  BOOST_TEST(!type.is_missing(1));
  BOOST_TEST(type.is_missing(2));
  const Elements n = read_all(*table.columns[1].values);
  BOOST_TEST(n.values<double>()[0] == 1.5);
  BOOST_TEST(n.values<double>()[1] == -2);
  BOOST_TEST(n.is_missing(2));
  for (const size_t column : {2, 3, 4})
    BOOST_TEST((table.columns[column].values->dtype().kind == Kind::text));
  BOOST_TEST(generated.digest != cell_table("\"\"\na\n").digest);
}

BOOST_AUTO_TEST_CASE(malformed_table_of_cells_is_refused) {
  BOOST_CHECK_EXCEPTION(cell_table(""), Error, mentions("the header is missing"));
  BOOST_CHECK_EXCEPTION(cell_table("x,y\na\n"), Error, mentions("record 2 has 1 fields, expected 2"));
  BOOST_CHECK_EXCEPTION(cell_table("x\na\na\n"), Error, mentions("the cell a is repeated"));
  BOOST_TEST(cell_table("x,y\n").table.rows == 0u);
  BOOST_CHECK_EXCEPTION(read_cells_file("/nowhere/cells.csv"), Failure,
                        mentions("cells=/nowhere/cells.csv: No such file"));
  BOOST_CHECK_EXCEPTION(read_cells_file("/tmp"), Failure, mentions("cells=/tmp: not a regular file"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
