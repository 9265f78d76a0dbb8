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

BOOST_AUTO_TEST_CASE(other_numbers_match_single_ones) {
  BOOST_TEST(right(std::vector<int64_t>{0, -1, 12345678901234}));
  BOOST_TEST(right(std::vector<uint8_t>{0, 255}, "\n7\t"));
  BOOST_TEST(right(std::vector<float>{0.1f, -0.0f, 1e30f}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
