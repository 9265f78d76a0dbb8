#include "formats/core/text/utf8.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"

namespace plainfs {

BOOST_AUTO_TEST_SUITE(utf8)

BOOST_AUTO_TEST_CASE(well_formed_text_is_utf8) {
  for (const char* text :
       {"", "plain", "exactly8", "more than eight bytes", "\u00e9", "\u20ac", "\U0001F600", "\U0010FFFF",
        "sixteen bytes \u00e9\u00e9 and more", "\u07ff\u0800\uffff\U00010000"})
    BOOST_TEST(is_utf8(text), text);
}

BOOST_AUTO_TEST_CASE(overlong_forms_surrogates_and_cut_characters_are_not_utf8) {
  for (const char* text :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xc3", "\xe2\x82",
        "\xf0\x9f\x98", "\xc3(", "12345678\xff", "1234567\xc3"})
    BOOST_TEST(!is_utf8(text), text);
}

BOOST_AUTO_TEST_CASE(every_code_point_survives_a_utf8_round_trip) {
  for (uint32_t code = 0; code < 0x110000; code += code < 0x1000 ? 1 : 7) {
    if (code >= 0xd800 && code < 0xe000) continue;
    std::string text;
    append_utf8(code, text);
    BOOST_TEST_REQUIRE(is_utf8(text));
    BOOST_TEST_REQUIRE(utf8_length(text) == text.size());
  }
  std::string text;
  BOOST_CHECK_EXCEPTION(append_utf8(0xd800, text), Error, mentions("the character U+D800 does not exist"));
  BOOST_CHECK_EXCEPTION(append_utf8(0x110000, text), Error,
                        mentions("the character U+110000 does not exist"));
}

BOOST_AUTO_TEST_CASE(code_points_of_text) {
  BOOST_TEST(code_points("a\u00e9\u20ac\U0001F600") == (std::vector<uint32_t>{0x61, 0xe9, 0x20ac, 0x1f600}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
