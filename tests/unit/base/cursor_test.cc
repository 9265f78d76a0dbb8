#include "formats/core/base/cursor.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "formats/core/base/checked.h"
#include "tests/support/mentions.h"

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(cursor)

BOOST_AUTO_TEST_CASE(numbers_are_read_in_either_byte_order) {
  Cursor cursor(as_byte_span(std::string_view("\x01\x02\x03\x04\x05\x06\x07\xff", 8)));
  BOOST_TEST(cursor.little<uint16_t>() == 0x0201u);
  BOOST_TEST(cursor.big<uint32_t>() == 0x03040506u);
  BOOST_TEST(cursor.byte() == 7u);
  BOOST_TEST(cursor.big<int8_t>() == -1);
  BOOST_TEST(cursor.at_end());
}

BOOST_AUTO_TEST_CASE(running_over_the_end_is_damaged_and_moves_nothing) {
  Cursor cursor(as_byte_span("abc"));
  cursor.skip(1);
  BOOST_CHECK_EXCEPTION(cursor.little<uint32_t>(), Error, mentions("2 bytes left at byte 1, expected 4"));
  BOOST_CHECK_EXCEPTION(cursor.bytes(~uint64_t{0}), Error,
                        mentions("2 bytes left at byte 1, expected 18446744073709551615"));
  BOOST_CHECK_EXCEPTION(cursor.seek(4), Error, mentions("byte 4 is beyond the end at 3"));
  BOOST_TEST(cursor.position() == 1u);
  BOOST_TEST(cursor.text(2) == "bc");
  cursor.seek(3);
  BOOST_CHECK_EXCEPTION(cursor.byte(), Error, mentions("0 bytes left at byte 3, expected 1"));
  BOOST_TEST(cursor.text(0) == "");
}

BOOST_AUTO_TEST_CASE(overflowing_arithmetic_is_damaged) {
  const uint64_t most = ~uint64_t{0};
  BOOST_TEST(checked_add(most - 1, 1) == most);
  BOOST_CHECK_EXCEPTION(checked_add(most, 1), Error, mentions("18446744073709551615 + 1 is over 64 bits"));
  BOOST_TEST(checked_multiply(most, 1) == most);
  BOOST_CHECK_EXCEPTION(checked_multiply(uint64_t{1} << 32, uint64_t{1} << 32), Error,
                        mentions("4294967296 * 4294967296 is over 64 bits"));
  BOOST_TEST(checked_size(3, 4) == 12u);
  BOOST_CHECK_EXCEPTION(checked_size(uint64_t{1} << 62, 2), Error,
                        mentions("4611686018427387904 elements of 2 bytes are too many"));
  BOOST_TEST(divide_up(most, 2) == (most / 2) + 1);
  BOOST_TEST(divide_up(0, 2) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
