#include "formats/core/text/printable.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace plainfs {
namespace {

using namespace std::string_literals;

BOOST_AUTO_TEST_SUITE(printable_text)

BOOST_AUTO_TEST_CASE(printable_text_stays) {
  for (const std::string& text : {""s, "a b~\\n'\""s, "\u00a0\u00e4\u03b2\u4e2d"s, "\U0001f9ec"s, "e\u0301"s})
    BOOST_CHECK_EQUAL(printable(text), text);
}

BOOST_AUTO_TEST_CASE(every_control_character_is_escaped) {
  for (int code = 0; code < 0x100; ++code) {
    if (code >= 0x20 && code < 0x7f) continue;
    const std::string byte(1, static_cast<char>(code));  // from 0x80 on invalid UTF-8
    const std::string shown = printable("a" + byte + "b");
    BOOST_CHECK_MESSAGE(shown.starts_with("a\\") && shown.ends_with("b"), code << ": " << shown);
    for (const char c : shown) BOOST_CHECK(c >= 0x20 && c < 0x7f);
  }
  BOOST_CHECK_EQUAL(printable("\0\t\n\r\x1b[2J\x7f"s), "\\000\\t\\n\\r\\033[2J\\177");
  BOOST_CHECK_EQUAL(printable("\u0080\u009b31m\u009f"), "\\302\\200\\302\\23331m\\302\\237");
}

BOOST_AUTO_TEST_CASE(direction_and_line_controls_are_escaped) {
  BOOST_CHECK_EQUAL(printable("a\u202egnp.b"), "a\\342\\200\\256gnp.b");
  for (const char* const text :
       {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u2066", "\u2069"})
    BOOST_CHECK_NE(printable(text), text);
}

BOOST_AUTO_TEST_CASE(invalid_utf8_is_escaped) {
  BOOST_CHECK_EQUAL(printable("\xc3"), "\\303");           // truncated
  BOOST_CHECK_EQUAL(printable("\xc1\x9b"), "\\301\\233");  // overlong
  BOOST_CHECK_EQUAL(printable("\xff\u00e4"), "\\377\u00e4");
  BOOST_CHECK_EQUAL(printable("\xed\xa0\x80"), "\\355\\240\\200");  // a surrogate
}

BOOST_AUTO_TEST_CASE(escaping_is_idempotent) {
  const std::string once = printable("a\n\\\x1b\xff");
  BOOST_CHECK_EQUAL(printable(once), once);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
