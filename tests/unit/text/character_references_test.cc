#include "formats/core/text/character_references.h"

#include <boost/test/unit_test.hpp>

namespace plainfs {
namespace {

std::string decoded(std::string_view text) {
  std::string out = "|";
  append_with_references_decoded(text, out);
  return out.substr(1);
}

BOOST_AUTO_TEST_SUITE(character_references)

BOOST_AUTO_TEST_CASE(decimal_and_hexadecimal_ones_are_their_characters) {
  BOOST_TEST(decoded("&#181;m &#945; &#x3B2;&#Xe9;&#128512;") == "µm α βé😀");
  BOOST_TEST(decoded("&#0181;&#x0000B5;") == "µµ");
}

BOOST_AUTO_TEST_CASE(ascii_and_named_references_stay) {
  for (const char* text : {"&amp;", "&lt;b&gt;", "&#38;", "&#127;", "&#x7f;", "a & b", "&micro;"})
    BOOST_TEST(decoded(text) == text);
  BOOST_TEST(decoded("&#128;") == "\u0080");
}

BOOST_AUTO_TEST_CASE(invalid_reference_stays) {
  for (const char* text : {"", "&", "&#", "&#;", "&#x;", "&#181", "&#x", "&#181 ;", "&#-181;", "&# 181;",
                           "&#xg;", "&#1114112;", "&#xD800;", "&#99999999999999999999;"})
    BOOST_TEST(decoded(text) == text);
  BOOST_TEST(decoded("&#&#181;&#") == "&#µ&#");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
