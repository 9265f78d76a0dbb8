#include "fs/views/table/table_files.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {
namespace {

std::string text_of(const RowElements& elements) {
  TestContext context;
  return whole_text(ragged_tsv(elements, context), context);
}

BOOST_AUTO_TEST_SUITE(ragged_tsv_view)

BOOST_AUTO_TEST_CASE(each_element_has_the_id_of_its_row) {
  const ArrayPtr ends = numbers<uint8_t>({0, 2, 2, 3});
  BOOST_TEST(text_of({numbers<int64_t>({4, 5, 6, 5}), numbers<double>({0.1, NAN, 2}), {ends}}) ==
             "5\t0.1\n5\tNaN\n5\t2\n");
  BOOST_TEST(text_of({nullptr, text_array({"a\tb", "c", "\"d\""}), {ends}}) == "1\ta b\n1\tc\n3\t\"d\"\n");
}

BOOST_AUTO_TEST_CASE(nested_lists_are_json) {
  BOOST_TEST(text_of({nullptr, numbers<float>({1, 2, 3, NAN}, {2, 2}), {numbers<uint8_t>({2})}}) ==
             "0\t[1,2]\n0\t[3,\"NaN\"]\n");
  BOOST_TEST(text_of({nullptr, numbers<float>({}, {2, 0}), {numbers<uint8_t>({2})}}) == "0\t[]\n0\t[]\n");
}

BOOST_AUTO_TEST_CASE(every_element_of_nested_lists_has_a_line) {
  BOOST_TEST(text_of({numbers<int64_t>({7, 8}),
                      numbers<int>({1, 2, 3}),
                      {numbers<uint8_t>({2, 3}), numbers<uint8_t>({1, 2, 3})}}) == "7\t1\n7\t2\n8\t3\n");
}

BOOST_AUTO_TEST_CASE(elements_after_the_last_row_have_no_line) {
  BOOST_TEST(text_of({nullptr, numbers<int>({1, 2, 3}), {numbers<uint8_t>({1})}}) == "0\t1\n");
  BOOST_TEST(text_of({nullptr, numbers<int>({}), {numbers<uint8_t>({})}}) == "");
}

BOOST_AUTO_TEST_CASE(inconsistent_parts_are_damage) {
  const auto error_of = [](const RowElements& elements) { return message_of([&] { text_of(elements); }); };
  BOOST_TEST(error_of({nullptr, numbers<int>({1}), {numbers<uint8_t>({1, 0})}}) == "index 1 is 0 after 1");
  BOOST_TEST(error_of({nullptr, numbers<int>({1}), {numbers<uint8_t>({2})}}) == "index 2 is not below 2");
  BOOST_TEST(error_of({numbers<int>({1}), numbers<int>({1}), {numbers<uint8_t>({0, 1})}}) ==
             "the index has 2 rows, expected 1");
}

BOOST_AUTO_TEST_CASE(any_slice_of_many_blocks_equals_the_whole) {
  std::mt19937_64 random(3);
  std::vector<int64_t> ids;
  std::vector<uint64_t> ends;
  std::vector<int32_t> values;
  std::string want;
  for (int row = 0; row < 3000; ++row) {
    ids.push_back(static_cast<int64_t>(random() % 100'000));
    const uint64_t count = random() % 200 == 0 ? 20'000 : random() % 3;
    for (uint64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<int32_t>(random() % 1'000'000));
      want += fmt::format("{}\t{}\n", ids.back(), values.back());
    }
    ends.push_back(values.size());
  }
  TestContext context;
  TextFile file(ragged_tsv({numbers(ids), numbers(values), {numbers(ends)}}, context), context);
  BOOST_TEST((whole_text(file) == want));
  BOOST_TEST(slices_match(file, want, random, 100));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
