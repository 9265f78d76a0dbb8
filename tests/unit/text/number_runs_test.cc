#include "formats/core/text/number_runs.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace plainfs {

namespace {

template <class T>
std::string one_by_one(std::span<const T> values, std::string_view before) {
  std::string text;
  for (const T value : values) {
    char number[kNumberTextMax];
    text += before;
    text.append(number, write_number(number, value));
  }
  return text;
}

// Returns whether a run is written, and measured, like its single numbers.
template <class T>
bool right(const std::vector<T>& numbers, std::string_view before = ",") {
  const std::span<const T> values(numbers);
  std::string text((values.size() + 1) * (kNumberTextMax + before.size()), '?');
  text.resize(static_cast<size_t>(write_numbers(text.data(), values, before) - text.data()));
  return text == one_by_one(values, before) &&
         number_lengths(values) + values.size() * before.size() == text.size();
}

std::vector<double> generated(size_t count, auto&& make) {
  std::vector<double> values(count);
  for (double& value : values) value = make();
  return values;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(number_runs)

BOOST_AUTO_TEST_CASE(doubles_of_every_kind_match_single_ones) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  constexpr size_t kMany = 200'000;
  BOOST_TEST(right(generated(kMany, [&] { return std::bit_cast<double>(random()); })));
  BOOST_TEST(right(generated(kMany, [&] { return normal(random); })));
  BOOST_TEST(right(generated(kMany, [&] { return std::exp(20 * normal(random)); })));
  BOOST_TEST(right(generated(kMany, [&] { return static_cast<double>(random() % 216'000'000) / 30'000; })));
  BOOST_TEST(right(generated(kMany, [&] { return static_cast<double>(random() % 10'000) / 100; })));
  BOOST_TEST(right(generated(kMany, [&] { return static_cast<double>(random() >> random() % 60) / 1e6; })));
  BOOST_TEST(right(generated(kMany, [&] { return static_cast<double>(static_cast<int64_t>(random())); })));
  BOOST_TEST(right(generated(kMany, [&] { return std::ldexp(static_cast<double>(random() >> 40), -40); })));
}

BOOST_AUTO_TEST_CASE(special_values_may_be_anywhere_in_a_run) {
  std::mt19937_64 random(2);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special{0.0,
                                    -0.0,
                                    std::nan(""),
                                    infinity,
                                    -infinity,
                                    1.0,
                                    0.5,
                                    5e-324,
                                    2.2250738585072014e-308,
                                    1.7976931348623157e308,
                                    0.3,
                                    1e22,
                                    1e23,
                                    9007199254740993.0};
  BOOST_TEST(right(generated(20'000, [&] {
    return random() % 3 == 0 ? special[random() % special.size()] : std::bit_cast<double>(random());
  })));
}

BOOST_AUTO_TEST_CASE(neighbours_of_powers_match_single_ones) {
  std::vector<double> values;
  const double infinity = std::numeric_limits<double>::infinity();
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    for (const double value : {power, std::nextafter(power, infinity), std::nextafter(power, 0.0)})
      values.push_back(value);
  }
  for (int exponent = -307; exponent <= 308; ++exponent) {
    const double power = std::pow(10.0, exponent);
    for (const double value : {power, std::nextafter(power, infinity), -std::nextafter(power, 0.0)})
      values.push_back(value);
  }
  BOOST_TEST(right(values));
}

BOOST_AUTO_TEST_CASE(runs_of_any_length_after_texts_of_any_length) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const size_t count : {0, 1, 2, 15, 16, 17, 127, 128, 129, 300})
    for (const std::string_view before : {"", ",", "\n12\t", "\n1234567\t", "\na longer name\t"})
      BOOST_TEST(right(generated(count, [&] { return normal(random); }), before));
}

// Returns numbers of every length, those beside each power of ten, and the least and the greatest.
template <class T>
std::vector<T> integers_of_every_length(std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{0, Limits::min(), Limits::max(), static_cast<T>(Limits::min() + 1)};
  for (uint64_t power = 10, digits = 2; digits <= 20; power *= 10, ++digits)
    for (const uint64_t value : {power - 1, power, power + 1, 0 - power, 1 - power, 0 - power - 1})
      if (static_cast<uint64_t>(static_cast<T>(value)) == value) values.push_back(static_cast<T>(value));
  for (int i = 0; i < 5000; ++i) values.push_back(static_cast<T>(random() >> random() % 64));
  for (int i = 0; i < 5000; ++i) values.push_back(static_cast<T>(0 - (random() >> random() % 64)));
  return values;
}

template <class T>
void check_integers() {
  std::mt19937_64 random(4);
  const std::vector<T> values = integers_of_every_length<T>(random);
  BOOST_TEST(right(values));
  for (const size_t count : {1, 2, 511, 512, 513, 1025})
    BOOST_TEST(right(std::vector<T>(values.begin(), values.begin() + static_cast<ptrdiff_t>(count))));
  for (size_t i = 0; i < 300; ++i) BOOST_TEST(right(std::vector<T>{values[i]}));
  BOOST_TEST(right(std::vector<T>(2000, std::numeric_limits<T>::min())));
}

BOOST_AUTO_TEST_CASE(integers_of_every_type_match_single_ones) {
  check_integers<int8_t>();
  check_integers<uint8_t>();
  check_integers<int16_t>();
  check_integers<uint16_t>();
  check_integers<int32_t>();
  check_integers<uint32_t>();
  check_integers<int64_t>();
  check_integers<uint64_t>();
}

template <class Real>
void check_reals() {
  std::mt19937_64 random(5);
  const auto infinity = std::numeric_limits<Real>::infinity();
  std::vector<Real> values{0,
                           -Real{0},
                           std::numeric_limits<Real>::quiet_NaN(),
                           -std::numeric_limits<Real>::quiet_NaN(),
                           infinity,
                           -infinity,
                           std::numeric_limits<Real>::denorm_min(),
                           std::numeric_limits<Real>::max(),
                           std::numeric_limits<Real>::lowest(),
                           Real(0.1),
                           Real(-0.5),
                           Real(1e-5)};
  for (int power = 0; power < 39; ++power)
    for (const Real value : {static_cast<Real>(std::pow(10.0, power)), std::ldexp(Real{1}, power)})
      for (const Real near : {value, std::nextafter(value, infinity), std::nextafter(value, Real{0}),
                              value - 1, value + 1, value + Real(0.5)}) {
        values.push_back(near);
        values.push_back(-near);
      }
  BOOST_TEST(right(values));
  for (const Real value : values) BOOST_TEST(right(std::vector<Real>{value}));
  // Counts, of which a few, half or most are other numbers.
  for (const unsigned others : {0u, 1u, 50u, 90u})
    for (int i = 0; i < 50; ++i) {
      std::vector<Real> counts(1000);
      for (Real& count : counts)
        count = random() % 100 < others ? values[random() % values.size()]
                                        : static_cast<Real>(random() % 40'000 >> random() % 16);
      BOOST_TEST(right(counts));
    }
}

BOOST_AUTO_TEST_CASE(reals_that_are_integers_match_single_ones) {
  check_reals<float>();
  check_reals<double>();
}

BOOST_AUTO_TEST_CASE(one_integer_among_fractions_has_its_own_length) {
  for (size_t at = 0; at < 128; ++at) {
    std::vector<float> values(128, 0.25f);
    values[at] = -1234;
    BOOST_TEST(number_lengths(std::span<const float>(values)) == 127 * 4 + 5);
  }
}

BOOST_AUTO_TEST_CASE(digits_of_a_range_are_those_of_its_numbers) {
  const auto by_hand = [](uint64_t first, uint64_t end) {
    uint64_t digits = 0;
    for (uint64_t i = first; i < end; ++i) digits += number_length(i);
    return digits;
  };
  for (const uint64_t first : {1, 2, 9, 10, 11, 99, 100, 12'345})
    for (const uint64_t count : {0, 1, 2, 9, 90, 91, 1000, 100'000})
      BOOST_TEST(digits_of_range(first, first + count) == by_hand(first, first + count));
  BOOST_TEST(digits_of_range(9'999'999'999'999'999'999u, 10'000'000'000'000'000'002u) == 19u + 2 * 20);
}

BOOST_AUTO_TEST_CASE(other_numbers_match_single_ones) {
  BOOST_TEST(right(std::vector<int64_t>{0, -1, 12345678901234}));
  BOOST_TEST(right(std::vector<uint8_t>{0, 255}, "\n7\t"));
  BOOST_TEST(right(std::vector<float>{0.1f, -0.0f, 1e30f}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
