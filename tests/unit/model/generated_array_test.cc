#include "formats/core/model/arrays/generated_array.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plainfs;

namespace {

std::vector<std::string> texts_in(const Array& array, const Box& box) {
  const Elements elements = array.read(box);
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < elements.count; ++i) texts.emplace_back(elements.text(i));
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(generated_array)

BOOST_AUTO_TEST_CASE(elements_are_generated_for_a_box) {
  const DType byte = number_type(Kind::unsigned_integer, 1);
  const ArrayPtr array = generated(byte, {3, 4}, [byte](const Box& box) {
    Elements elements = zero_elements(byte, element_count(box.extent));
    size_t to = 0;
    for (uint64_t row = 0; row < box.extent[0]; ++row)
      for (uint64_t column = 0; column < box.extent[1]; ++column)
        elements.bytes[to++] = static_cast<std::byte>(10 * (box.origin[0] + row) + box.origin[1] + column);
    return elements;
  });
  const Elements part = array->read({{1, 2}, {2, 2}});
  const auto values = part.values<uint8_t>();
  BOOST_TEST((std::vector<int>(values.begin(), values.end()) == std::vector<int>{12, 13, 22, 23}));
  BOOST_TEST(!array->may_be_missing());
  BOOST_TEST(!array->repeated({{0, 0}, {1, 1}}));
  BOOST_TEST(array->chunk_shape() == (Shape{1, 4}));
  BOOST_CHECK_THROW(array->read({{2, 0}, {2, 1}}), Error);
}

BOOST_AUTO_TEST_CASE(texts_are_numbered_from_any_number) {
  BOOST_TEST(texts_in(*numbered_texts(12), range(9, 3)) == (Texts{"9", "10", "11"}));
  BOOST_TEST(texts_in(*numbered_texts(3, "PC_", 1), range(1, 2)) == (Texts{"PC_2", "PC_3"}));
  BOOST_TEST(texts_in(*generated_texts(4, [](uint64_t i) { return std::string(i, 'x'); }), range(2, 2)) ==
             (Texts{"xx", "xxx"}));
}

BOOST_AUTO_TEST_CASE(counting_begins_at_zero) {
  const ArrayPtr array = counting(uint64_t{1} << 40);
  const Elements part = array->read(range((uint64_t{1} << 40) - 2, 2));
  BOOST_TEST(part.values<uint64_t>()[1] == (uint64_t{1} << 40) - 1);
  BOOST_TEST(read_all(*counting(0)).count == 0);
  BOOST_TEST(array->chunk_shape()[0] <= 1 << 16);
}

BOOST_AUTO_TEST_CASE(constant_repeats_its_element) {
  const ArrayPtr texts = constant_text(5, "ab");
  BOOST_TEST(texts_in(*texts, range(3, 2)) == (Texts{"ab", "ab"}));
  BOOST_TEST(texts->repeated(range(0, 5))->text(0) == "ab");
  BOOST_TEST(!texts->may_be_missing());

  const DType number = number_type(Kind::real, 8);
  Elements missing = zero_elements(number, 1);
  missing.missing = {1};
  const ArrayPtr none = constant(number, {2, 3}, missing);
  const Elements all = read_all(*none);
  BOOST_TEST(all.count == 6);
  for (uint64_t i = 0; i < all.count; ++i) BOOST_TEST(all.is_missing(i));
  BOOST_TEST(none->may_be_missing());
  BOOST_CHECK_THROW(none->read({{0, 0}, {3, 1}}), Error);
}

BOOST_AUTO_TEST_CASE(scalar_constant_has_one_element) {
  const DType number = number_type(Kind::integer, 4);
  const ArrayPtr scalar = constant(number, {}, zero_elements(number, 1));
  BOOST_TEST(scalar->read({}).count == 1);
  BOOST_TEST(scalar->chunk_shape().empty());
}

BOOST_AUTO_TEST_SUITE_END()
