#include "formats/schemas/matlab/char_text.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/support/store_nodes.h"

namespace plainfs::matlab {
namespace {

template <class T>
ArrayPtr codes(std::vector<T> values, Shape shape) {
  return array_of(array_node<T>(values, std::move(shape)));
}

BOOST_AUTO_TEST_SUITE(matlab_char_text)

BOOST_AUTO_TEST_CASE(a_single_row_is_one_value) {
  const ArrayPtr text = text_of_codes(codes<int16_t>({'H', 'i', 0xfc}, {3, 1}));
  BOOST_TEST(text->shape().empty());
  BOOST_TEST(read_all(*text).text(0) == "Hi\u00fc");
  BOOST_TEST(read_all(*text_of_codes(codes<int16_t>({'H', 'i'}, {2}))).text(0) == "Hi");
}

BOOST_AUTO_TEST_CASE(rows_are_texts) {
  const ArrayPtr text = text_of_codes(codes<int16_t>({'a', 'c', 'b', ' '}, {2, 2}));
  BOOST_TEST(shown(*text) == (Texts{"ab", "c "}), boost::test_tools::per_element());
  BOOST_TEST(text->read({{1}, {1}}).text(0) == "c ");
}

BOOST_AUTO_TEST_CASE(surrogates_are_one_character) {
  const auto high = static_cast<int16_t>(0xd83e), low = static_cast<int16_t>(0xddec);
  BOOST_TEST(read_all(*text_of_codes(codes<int16_t>({high, low, '!'}, {3, 1}))).text(0) == "\U0001f9ec!");
  BOOST_CHECK_EXCEPTION(read_all(*text_of_codes(codes<int16_t>({high, 'a'}, {2, 1}))), Error,
                        mentions("text that is not UTF-16"));
  BOOST_CHECK_EXCEPTION(read_all(*text_of_codes(codes<int16_t>({low}, {1, 1}))), Error,
                        mentions("does not exist"));
}

BOOST_AUTO_TEST_CASE(codes_of_other_widths_are_code_points) {
  BOOST_TEST(read_all(*text_of_codes(codes<int32_t>({0x1f9ec}, {1, 1}))).text(0) == "\U0001f9ec");
  BOOST_TEST(read_all(*text_of_codes(codes<int8_t>({'a', static_cast<int8_t>(0xe9)}, {2, 1}))).text(0) ==
             "a\u00e9");
}

BOOST_AUTO_TEST_CASE(higher_ranks_have_no_text) {
  BOOST_TEST(!text_of_codes(codes<int16_t>({1, 2}, {1, 2, 1})));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::matlab
