#include "fs/layout/element_form.h"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "formats/core/base/error.h"
#include "tests/support/sample_arrays.h"

namespace plainfs {

namespace {

// More than are processed together, and not a multiple of it.
constexpr size_t kMany = 10'007;

template <class Out, class T>
std::vector<Out> written(const ElementForm& form, const std::vector<T>& values,
                         std::vector<uint8_t> missing = {}) {
  Elements elements = elements_of(values);
  elements.missing = std::move(missing);
  // One byte further, so that it is unaligned.
  std::vector<std::byte> bytes(values.size() * form.size + 1);
  form.write(type_of<T>(), elements, 0, values.size(), bytes.data() + 1);
  std::vector<Out> out(values.size());
  BOOST_REQUIRE_EQUAL(form.size, sizeof(Out));
  std::memcpy(out.data(), bytes.data() + 1, out.size() * sizeof(Out));
  return out;
}

uint64_t big(double value) {
  return __builtin_bswap64(std::bit_cast<uint64_t>(value));
}

template <class T>
void check_doubles(T least, T most) {
  std::vector<T> values(kMany);
  for (size_t i = 0; i < kMany; ++i)
    values[i] = static_cast<T>(i % 3 == 0 ? least : i % 3 == 1 ? most : T(i % 100));
  const std::vector<uint64_t> out = written<uint64_t>(r_double(), values);
  for (size_t i = 0; i < kMany; ++i) BOOST_REQUIRE_EQUAL(out[i], big(static_cast<double>(values[i])));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(element_forms)

BOOST_AUTO_TEST_CASE(numbers_of_every_type_are_doubles_in_r) {
  check_doubles<int8_t>(-128, 127);
  check_doubles<uint8_t>(0, 255);
  check_doubles<int16_t>(-32768, 32767);
  check_doubles<uint16_t>(0, 65535);
  check_doubles<int32_t>(INT32_MIN, INT32_MAX);
  check_doubles<uint32_t>(0, UINT32_MAX);
  check_doubles<int64_t>(-(int64_t{1} << 53), int64_t{1} << 53);
  check_doubles<uint64_t>(0, uint64_t{1} << 53);
  check_doubles<float>(std::numeric_limits<float>::lowest(), std::numeric_limits<float>::denorm_min());
  check_doubles<double>(-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::max());
}

BOOST_AUTO_TEST_CASE(every_nan_is_canonical) {
  std::vector<double> values(kMany, 1);
  values[0] = std::bit_cast<double>(uint64_t{0x7ff00000000007a2});
  values[kMany - 1] = -std::nan("5");
  const std::vector<uint64_t> out = written<uint64_t>(r_double(), values);
  BOOST_TEST(__builtin_bswap64(out[0]) == 0x7ff8000000000000);
  BOOST_TEST(__builtin_bswap64(out[kMany - 1]) == 0x7ff8000000000000);
  BOOST_TEST(out[1] == big(1));
}

BOOST_AUTO_TEST_CASE(number_out_of_range_is_refused_at_any_position) {
  for (const size_t at : {size_t{0}, size_t{4095}, size_t{4096}, kMany - 1}) {
    std::vector<int64_t> values(kMany, 7);
    values[at] = (int64_t{1} << 53) + 1;
    BOOST_CHECK_EXCEPTION(written<uint64_t>(r_double(), values), Error, [](const Error& error) {
      return std::string_view(error.what()).find("9007199254740993") != std::string_view::npos;
    });
    values[at] = INT32_MIN;
    BOOST_CHECK_EXCEPTION(written<uint32_t>(r_integer(), values), Error, [](const Error& error) {
      return std::string_view(error.what()).find("cannot represent -2147483648") != std::string_view::npos;
    });
    values[at] = int64_t{INT32_MAX} + 1;
    BOOST_CHECK_EXCEPTION(written<int32_t>(little_int32(), values), Error, [](const Error& error) {
      return error.code() == Errc::damaged &&
             std::string_view(error.what()).find("2147483648") != std::string_view::npos;
    });
    // The stored value of a missing element is invalid.
    std::vector<uint8_t> missing(kMany);
    missing[at] = 1;
    const std::vector<uint32_t> out = written<uint32_t>(r_integer(), values, missing);
    BOOST_TEST(__builtin_bswap32(out[at]) == 0x80000000);
    BOOST_TEST(__builtin_bswap32(out[at == 0 ? 1 : 0]) == 7u);
  }
}

BOOST_AUTO_TEST_CASE(whole_numbers_keep_their_values) {
  std::vector<uint32_t> values(kMany);
  for (size_t i = 0; i < kMany; ++i) values[i] = static_cast<uint32_t>(i * 214'013);
  values[17] = INT32_MAX;
  for (uint32_t& value : values) value %= uint32_t{1} << 31;
  const std::vector<int32_t> little = written<int32_t>(little_int32(), values);
  const std::vector<int64_t> wide = written<int64_t>(little_int64(), values);
  const std::vector<uint32_t> big_endian = written<uint32_t>(r_integer(), values);
  for (size_t i = 0; i < kMany; ++i) {
    BOOST_REQUIRE_EQUAL(static_cast<uint32_t>(little[i]), values[i]);
    BOOST_REQUIRE_EQUAL(static_cast<uint64_t>(wide[i]), values[i]);
    BOOST_REQUIRE_EQUAL(__builtin_bswap32(big_endian[i]), values[i]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
