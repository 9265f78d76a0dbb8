#include "formats/core/model/arrays/array_runs.h"

#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>

#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {

BOOST_AUTO_TEST_SUITE(array_runs)

BOOST_AUTO_TEST_CASE(any_run_equals_that_part_of_the_whole) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    Shape shape(random() % 5);
    for (uint64_t& length : shape) length = 1 + random() % 5;
    std::vector<int32_t> values(element_count(shape));
    std::iota(values.begin(), values.end(), 0);
    const ArrayPtr array = numbers(values, shape);
    const uint64_t first = random() % values.size(), count = random() % (values.size() - first + 1);
    const Elements run = read_run(*array, first, count);
    BOOST_REQUIRE_EQUAL(run.count, count);
    for (uint64_t k = 0; k < count; ++k)
      BOOST_REQUIRE_EQUAL(run.values<int32_t>()[k], static_cast<int32_t>(first + k));
  }
}

BOOST_AUTO_TEST_CASE(run_of_text_keeps_missing_values) {
  TextBuilder builder;
  for (const char* text : {"a", "bb", "ccc"}) builder.add(text);
  builder.add_missing();
  const MemoryArray array(text_type(), {2, 2}, builder.finish());
  const Elements run = read_run(array, 1, 3);
  BOOST_TEST(run.text(0) == "bb");
  BOOST_TEST(run.text(1) == "ccc");
  BOOST_TEST(run.is_missing(2));
}

BOOST_AUTO_TEST_CASE(band_covers_one_row_of_chunks) {
  BOOST_TEST(elements_in_band({20000, 5000}, {1000, 1000}) == 1000u * 5000u);
  BOOST_TEST(elements_in_band({20000, 5000}, {1, 1000}) == 1000u);
  BOOST_TEST(elements_in_band({10, 64, 64}, {1, 16, 16}) == 16u * 64u);
  BOOST_TEST(elements_in_band({100}, {7}) == 7u);
  BOOST_TEST(elements_in_band({3}, {7}) == 3u);
  BOOST_TEST(elements_in_band({}, {}) == 1u);
  BOOST_TEST(elements_in_band({UINT32_MAX, UINT32_MAX, UINT32_MAX}, {2, 1, 1}) == UINT64_MAX);
}

BOOST_AUTO_TEST_CASE(bands_beyond_the_cache_are_read_in_longer_runs) {
  TestContext context(1 << 20);
  BOOST_TEST(run_length(100, 1000, type_of<double>(), context) == 100u);
  BOOST_TEST(run_length(100, 1000000, type_of<double>(), context) == (1u << 20) / 8 / 8);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
