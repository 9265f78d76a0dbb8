#include "formats/core/text/markup.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(markup)

BOOST_AUTO_TEST_CASE(markup_becomes_references) {
  BOOST_TEST(escaped("a<b> & \"c\" 'd'") == "a&lt;b&gt; &amp; &quot;c&quot; 'd'");
}

BOOST_AUTO_TEST_CASE(other_markup_than_asked_for_stays) {
  std::string out;
  for (const char c : {'<', '>', '&', '"'}) append_markup(c, "&<", out);
  BOOST_TEST(out == "&lt;>&amp;\"");
}

BOOST_AUTO_TEST_SUITE_END()
