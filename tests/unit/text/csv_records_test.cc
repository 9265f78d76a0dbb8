#include "formats/core/text/csv_records.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/base/error.h"
#include "tests/support/mentions.h"

using namespace plainfs;

namespace {

// Returns the fields separated by |, quoted ones in <>.
std::string shown(std::string_view text) {
  std::string all;
  for (const CsvRecord& record : csv_records(text)) {
    for (const CsvField& field : record) all += field.is_quoted ? "<" + field.text + ">|" : field.text + "|";
    all += "/";
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(records_of_csv)

BOOST_AUTO_TEST_CASE(fields_end_at_commas_and_lines) {
  BOOST_TEST(shown("a,b\nc,\n") == "a|b|/c||/");
  BOOST_TEST(shown("a,b\r\nc,d") == "a|b|/c|d|/");
  BOOST_TEST(shown("\n\na\n\n") == "a|/");
  BOOST_TEST(shown("a\r") == "a\r|/");
  BOOST_TEST(shown("") == "");
}

BOOST_AUTO_TEST_CASE(quotes_keep_separators_and_line_ends) {
  BOOST_TEST(shown("\"\",\"a,b\",\"say \"\"x\"\"\"\n\"two\nlines\",NA\n") ==
             "<>|<a,b>|<say \"x\">|/<two\nlines>|NA|/");
  BOOST_TEST(shown("\"NA\"") == "<NA>|/");
  BOOST_TEST(shown("a\"b,c") == "a\"b|c|/");
}

BOOST_AUTO_TEST_CASE(ambiguous_csv_is_damage) {
  BOOST_CHECK_EXCEPTION(shown("a\n\"b\nc"), Error, mentions("line 2: a quote is not closed"));
  BOOST_CHECK_EXCEPTION(shown("a\n\"b\"c\n"), Error, mentions("line 2: text after a closing quote"));
}

BOOST_AUTO_TEST_SUITE_END()
