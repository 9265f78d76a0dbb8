#include "formats/core/model/arrays/array.h"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "formats/core/model/arrays/assembly.h"
#include "tests/support/mentions.h"
#include "tests/unit/model/random_elements.h"

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(array)

BOOST_AUTO_TEST_CASE(element_count_is_the_checked_product_of_the_axes) {
  BOOST_TEST(element_count(Shape{}) == 1u);
  BOOST_TEST(element_count(Shape{3, 4}) == 12u);
  BOOST_TEST(element_count(Shape{uint64_t{1} << 40, 0, uint64_t{1} << 40}) == 0u);
  BOOST_CHECK_EXCEPTION(element_count(Shape{uint64_t{1} << 40, uint64_t{1} << 40}), Error,
                        mentions("is over"));
}

BOOST_AUTO_TEST_CASE(a_survey_is_run_once_for_each_type_and_key) {
  struct Largest {
    int value;
  };
  struct Longest {
    int value;
  };
  const MemoryArray array(number_type(Kind::integer, 4), {0}, {});
  BOOST_TEST(array.known_survey<Largest>() == nullptr);
  const auto generated = array.survey<Largest>(0, [] { return Largest{1}; });
  BOOST_TEST(generated->value == 1);
  BOOST_TEST(array.survey<Largest>(0, []() -> Largest { throw std::logic_error("a second pass"); }) ==
             generated);
  BOOST_TEST(array.known_survey<Largest>() == generated);
  BOOST_TEST(array.known_survey<Longest>() == nullptr);
  BOOST_TEST(array.survey<Longest>(0, [] { return Longest{2}; })->value == 2);
  BOOST_TEST(array.survey<Largest>(7, [] { return Largest{3}; })->value == 3);
  BOOST_TEST(array.known_survey<Largest>()->value == 1);
  const MemoryArray other(number_type(Kind::integer, 4), {0}, {});
  BOOST_TEST(other.known_survey<Largest>() == nullptr);
}

BOOST_AUTO_TEST_CASE(failed_pass_is_repeated) {
  const MemoryArray array(number_type(Kind::integer, 4), {0}, {});
  BOOST_CHECK_THROW(array.survey<int>(0, []() -> int { throw std::runtime_error("a disk"); }),
                    std::runtime_error);
  BOOST_TEST(*array.survey<int>(0, [] { return 7; }) == 7);
}

BOOST_AUTO_TEST_CASE(first_of_two_concurrent_surveys_is_kept) {
  const MemoryArray array(number_type(Kind::integer, 4), {0}, {});
  const auto outer = array.survey<int>(0, [&] { return 1 + *array.survey<int>(0, [] { return 1; }); });
  BOOST_TEST(*outer == 1);
}

BOOST_AUTO_TEST_CASE(memory_array_reads_any_box) {
  Random random(1);
  for (const DType& type : sample_types()) {
    for (int round = 0; round < 40; ++round) {
      Shape shape(random() % 4);
      for (uint64_t& axis : shape) axis = random() % 5;
      const Elements all = random_elements(type, element_count(shape), random);
      const MemoryArray array(type, shape, all);
      const Box box = random_box(shape, random);
      const Elements part = array.read(box);
      check_layout(type, part, element_count(box.extent));
      std::vector<std::string> expected;
      for (const uint64_t place : places_in_box(shape, box)) expected.push_back(shown(type, all, place));
      BOOST_TEST(all_shown(type, part) == expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(box_outside_the_array_is_an_error) {
  const MemoryArray array(number_type(Kind::integer, 4), {3, 2},
                          zero_elements(number_type(Kind::integer, 4), 6));
  BOOST_CHECK_EXCEPTION(array.read({{0, 0}, {4, 1}}), Error,
                        mentions("(4, 1) elements at (0, 0) are outside the array of shape (3, 2)"));
  BOOST_CHECK_EXCEPTION(array.read({{3, 0}, {1, 1}}), Error,
                        mentions("(1, 1) elements at (3, 0) are outside the array of shape (3, 2)"));
  BOOST_CHECK_EXCEPTION(array.read({{1, 0}, {~uint64_t{0}, 1}}), Error,
                        mentions("(18446744073709551615, 1) elements at (1, 0) are outside the "));
  BOOST_CHECK_EXCEPTION(array.read({{0}, {1}}), Error,
                        mentions("(1) elements at (0) are outside the array of shape (3, 2)"));
  BOOST_TEST(array.read({{3, 2}, {0, 0}}).count == 0u);
}

BOOST_AUTO_TEST_CASE(text_array_holds_its_values) {
  const ArrayPtr array = text_array({"a", "", "ccc"});
  BOOST_TEST((array->shape() == Shape{3}));
  const Elements elements = read_all(*array);
  BOOST_TEST(elements.text(0) == "a");
  BOOST_TEST(elements.text(1) == "");
  BOOST_TEST(elements.text(2) == "ccc");
  BOOST_TEST(read_all(*text_array({})).count == 0u);
}

BOOST_AUTO_TEST_CASE(broken_array_throws_its_error_from_every_use) {
  const BrokenArray array(text_type(), unsupported("codec 'x'"));
  BOOST_CHECK_EXCEPTION(array.check(), Error, mentions("codec 'x'"));
  BOOST_CHECK_EXCEPTION(read_all(array), Error, mentions("codec 'x'"));
}

BOOST_AUTO_TEST_CASE(copy_box_moves_every_element_to_its_place) {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    const uint64_t size = std::vector<uint64_t>{1, 2, 3, 4, 8, 16}[random() % 6];
    const size_t rank = random() % 6;
    Shape source_shape(rank), target_shape(rank), target_origin(rank);
    for (uint64_t& axis : source_shape) axis = 1 + random() % 4;
    const Box box = random_box(source_shape, random);
    for (size_t d = 0; d < rank; ++d) {
      target_origin[d] = random() % 3;
      target_shape[d] = box.extent[d] + target_origin[d] + random() % 3;
      if (random() % 2 == 0) target_origin[d] = 0, target_shape[d] = box.extent[d];
    }
    std::vector<std::byte> source(size * element_count(source_shape));
    for (std::byte& byte : source) byte = static_cast<std::byte>(1 + random() % 255);
    std::vector<std::byte> target(size * element_count(target_shape));
    std::vector<std::byte> expected = target;
    const auto from = places_in_box(source_shape, box);
    const auto to = places_in_box(target_shape, {target_origin, box.extent});
    for (size_t i = 0; i < from.size(); ++i) {
      std::memcpy(expected.data() + to[i] * size, source.data() + from[i] * size, size);
    }
    copy_box(size, source.data(), source_shape, box, target.data(), target_shape, target_origin);
    BOOST_TEST((target == expected));
  }
}

BOOST_AUTO_TEST_SUITE_END()
