#include "formats/core/text/number_text.h"

#include <fmt/format.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <boost/test/unit_test.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "formats/core/text/digits.h"
#include "formats/core/text/shortest_decimal.h"

namespace plainfs {

namespace {

template <class T>
std::string text_of(T value) {
  char text[kNumberTextMax];
  return std::string(text, write_number(text, value));
}

// Returns Python's repr() of a float without a trailing ".0", from the digits of std::to_chars.
template <class T>
std::string repr(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string digits(buffer, end);
  std::string sign;
  if (digits[0] == '-') {
    sign = "-";
    digits.erase(0, 1);
  }
  if (value == 0) return sign + "0";
  const int exponent = std::stoi(digits.substr(digits.find('e') + 1));
  digits.resize(digits.find('e'));
  if (digits.size() > 1) digits.erase(1, 1);
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    if (count > 1) digits.insert(1, ".");
    return fmt::format("{}{}e{}{:02}", sign, digits, exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) return sign + "0." + std::string(-exponent - 1, '0') + digits;
  if (count <= exponent + 1) return sign + digits + std::string(exponent + 1 - count, '0');
  return sign + digits.insert(exponent + 1, ".");
}

// Returns whether `value` is written like repr(), and measured with the same length.
template <class T>
bool right(T value) {
  const std::string text = text_of(value);
  if (text == repr(value) && text.size() == number_length(value)) return true;
  BOOST_TEST_MESSAGE(
      fmt::format("{}: {} instead of {}, measured {}", value, text, repr(value), number_length(value)));
  return false;
}

template <class T>
bool right_with_neighbours(T value) {
  const T infinity = std::numeric_limits<T>::infinity();
  return right(value) && right(-value) && right(std::nextafter(value, infinity)) &&
         right(std::nextafter(value, -infinity));
}

template <class T>
bool right_integer(T value) {
  return text_of(value) == std::to_string(value) && number_length(value) == std::to_string(value).size();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(number_text)

BOOST_AUTO_TEST_CASE(floats_follow_the_documented_format) {
  BOOST_TEST(text_of(1.0) == "1");
  BOOST_TEST(text_of(0.1) == "0.1");
  BOOST_TEST(text_of(-0.0) == "-0");
  BOOST_TEST(text_of(1e-5) == "1e-05");
  BOOST_TEST(text_of(1e-4) == "0.0001");
  BOOST_TEST(text_of(1e16) == "1e+16");
  BOOST_TEST(text_of(1e15) == "1000000000000000");
  BOOST_TEST(text_of(9999999999999998.0) == "9999999999999998");
  BOOST_TEST(text_of(1e300) == "1e+300");
  BOOST_TEST(text_of(5e-324) == "5e-324");
  BOOST_TEST(text_of(-2.2250738585072014e-308) == "-2.2250738585072014e-308");
  BOOST_TEST(text_of(1.7976931348623157e308) == "1.7976931348623157e+308");
  BOOST_TEST(text_of(2.0 / 3) == "0.6666666666666666");
  BOOST_TEST(text_of(1e23) == "1e+23");
  BOOST_TEST(text_of(std::nan("")) == "NaN");
  BOOST_TEST(text_of(-std::nan("")) == "NaN");
  BOOST_TEST(text_of(HUGE_VAL) == "Inf");
  BOOST_TEST(text_of(-HUGE_VAL) == "-Inf");
}

BOOST_AUTO_TEST_CASE(small_floats_use_the_digits_of_their_own_type) {
  BOOST_TEST(text_of(1099511627776.0f) == "1099511600000");  // 2^40
  BOOST_TEST(text_of(0.1f) == "0.1");
  BOOST_TEST(text_of(3.4028235e38f) == "3.4028235e+38");
  BOOST_TEST(text_of(1e-45f) == "1e-45");
  BOOST_TEST(text_of(-0.0f) == "-0");
  BOOST_TEST(text_of(Half{0x7bff}) == "65500");
  BOOST_TEST(text_of(Half{0x0001}) == "6e-08");
  BOOST_TEST(text_of(Half{0x3555}) == "0.3333");
  BOOST_TEST(text_of(Half{0x3c00}) == "1");
  BOOST_TEST(text_of(Half{0x8000}) == "-0");
  BOOST_TEST(text_of(Half{0x7c00}) == "Inf");
  BOOST_TEST(text_of(Half{0xfc00}) == "-Inf");
  BOOST_TEST(text_of(Half{0x7e00}) == "NaN");
}

BOOST_AUTO_TEST_CASE(integers_of_every_length_are_exact) {
  bool all_right = true;
  for (int digits = 0; digits < 20; ++digits) {
    for (uint64_t factor = 1; factor < 10; ++factor) {
      const uint64_t middle = kPowersOfTen[digits] * factor;
      for (uint64_t value = middle - 2; value != middle + 3; ++value) {
        all_right &= right_integer(value) && right_integer(static_cast<int64_t>(value)) &&
                     right_integer(static_cast<uint32_t>(value)) &&
                     right_integer(static_cast<int32_t>(value)) &&
                     right_integer(static_cast<uint16_t>(value)) && right_integer(static_cast<int8_t>(value));
      }
    }
  }
  for (int bit = 0; bit < 64; ++bit)
    all_right &= right_integer(uint64_t{1} << bit) && right_integer((uint64_t{1} << bit) - 1);
  BOOST_TEST(all_right);
  BOOST_TEST(text_of(std::numeric_limits<int64_t>::min()) == "-9223372036854775808");
  BOOST_TEST(text_of(std::numeric_limits<int32_t>::min()) == "-2147483648");
  BOOST_TEST(text_of(std::numeric_limits<uint64_t>::max()) == "18446744073709551615");
}

BOOST_AUTO_TEST_CASE(random_bits_are_the_shortest_decimal) {
  std::mt19937_64 random(1);
  bool all_right = true;
  for (int i = 0; i < 1000000; ++i) {
    const uint64_t bits = random();
    all_right &=
        right(std::bit_cast<double>(bits)) && right(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  BOOST_TEST(all_right);
}

BOOST_AUTO_TEST_CASE(powers_and_their_neighbours_are_the_shortest_decimal) {
  bool all_right = true;
  for (int exponent = -1074; exponent <= 1023; ++exponent)
    all_right &= right_with_neighbours(std::ldexp(1.0, exponent));
  for (int exponent = -149; exponent <= 127; ++exponent)
    all_right &= right_with_neighbours(std::ldexp(1.0f, exponent));
  for (int exponent = -323; exponent <= 308; ++exponent) {
    const double power =
        std::stod(fmt::format("1e{}", std::max(exponent, -307))) * (exponent < -307 ? 1e-16 : 1.0);
    all_right &=
        right_with_neighbours(power) && right_with_neighbours(power * 3) && right_with_neighbours(power / 7);
    if (std::abs(exponent) < 38) all_right &= right_with_neighbours(static_cast<float>(power));
  }
  BOOST_TEST(all_right);
}

BOOST_AUTO_TEST_CASE(numbers_of_few_decimals_are_the_shortest_decimal) {
  std::mt19937_64 random(2);
  bool all_right = true;
  for (const double divisor : {1.0, 2.0, 3.0, 8.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e7, 1e12}) {
    for (int i = 0; i < 40000; ++i) {
      const double value =
          static_cast<double>(static_cast<int64_t>(random() >> (1 + random() % 62))) / divisor;
      all_right &= right(value) && right(-value) && right(static_cast<float>(value));
    }
  }
  for (const double edge : {1e-4, 1e9, 9007199254740992.0, 16777216.0, 99999.99995, 1e15, 1e16})
    all_right &= right_with_neighbours(edge) && right_with_neighbours(static_cast<float>(edge));
  BOOST_TEST(all_right);
}

// A half reads back from its text, and no shorter text does.
BOOST_AUTO_TEST_CASE(every_half_is_the_shortest_decimal) {
  bool all_right = true;
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const std::string text = text_of(half);
    all_right &= number_length(half) == text.size() && to_half(std::stof(text)).bits == bits;
    const double exact = to_float(half);
    const std::string negative = text_of(Half{static_cast<uint16_t>(bits | 0x8000)});
    all_right &= negative == "-" + text &&
                 number_length(Half{static_cast<uint16_t>(bits | 0x8000)}) == negative.size();
    // The nearest decimal with one digit less must read back to another half.
    std::string digits = text.substr(0, text.find('e'));
    std::erase(digits, '.');
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    const size_t count = digits.find_last_not_of('0') + 1;
    if (count < 2) continue;
    const std::string shorter = fmt::format("{:.{}e}", exact, count - 2);
    all_right &= to_half(std::stof(shorter)).bits != bits;
  }
  BOOST_TEST(all_right);
}

BOOST_AUTO_TEST_CASE(the_table_of_powers_of_ten_is_exact) {
  using namespace boost::multiprecision;
  using Big = number<cpp_int_backend<3072, 3072, unsigned_magnitude, unchecked, void>>;
  bool all_exact = true;
  for (int k = kLeastPower; k <= kGreatestPower; ++k) {
    // 10^k scaled by a power of two to 128 bits, rounded up.
    Big numerator = k >= 0 ? pow(Big(10), k) : Big(1);
    const Big denominator = k >= 0 ? Big(1) : pow(Big(10), -k);
    numerator <<= 1200;
    Big quotient = numerator / denominator;
    const unsigned shift = static_cast<unsigned>(msb(quotient)) - 127;
    Big kept = quotient >> shift;
    if ((kept << shift) != quotient || quotient * denominator != numerator) ++kept;
    all_exact &= kept == (Big(kBinaryPowersOfTen[k - kLeastPower].high) << 64 |
                          kBinaryPowersOfTen[k - kLeastPower].low);
  }
  BOOST_TEST(all_exact);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
