#include "fs/log.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(log_of_a_store)

BOOST_AUTO_TEST_CASE(each_message_is_one_line_of_escaped_text) {
  Log log;
  log.warn("a\nb\x1b[2J\xc2\x9b\xff: damaged");
  log.info(std::string("c\0d\r", 4));
  const std::string text = log.text();
  const size_t end = text.find('\n');
  BOOST_REQUIRE(end != std::string::npos);
  BOOST_CHECK_MESSAGE(text.substr(0, end).ends_with(": a\\nb\\033[2J\\302\\233\\377: damaged"), text);
  BOOST_CHECK_MESSAGE(text.ends_with(": c\\000d\\r\n"), text);
  BOOST_CHECK_EQUAL(text.find('\n', end + 1), text.size() - 1);
}

BOOST_AUTO_TEST_CASE(message_is_logged_once) {
  Log log;
  for (int i = 0; i < 3; ++i) log.error("the same");
  const std::string text = log.text();
  BOOST_CHECK_EQUAL(text.find('\n'), text.size() - 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
