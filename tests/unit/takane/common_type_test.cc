#include "formats/core/algebra/common_type.h"
#include "formats/schemas/takane/typed_values.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/sample_arrays.h"
#include "tests/support/store_nodes.h"
#include "tests/unit/takane/object_writer.h"

namespace plainfs::takane {
namespace {

const DType kTruth = number_type(Kind::boolean, 1);
const DType kByte = number_type(Kind::unsigned_integer, 1);
const DType kReal = number_type(Kind::real, 4);

}  // namespace

BOOST_AUTO_TEST_SUITE(takane_common_type)

BOOST_AUTO_TEST_CASE(the_type_holds_all_values_exactly) {
  BOOST_CHECK(common_type({kTruth, kTruth}) == kTruth);
  BOOST_CHECK(common_type({kTruth, kByte}) == number_type(Kind::integer, 8));
  BOOST_CHECK(common_type({kByte, kReal, kTruth}) == number_type(Kind::real, 8));
  BOOST_CHECK(common_type({text_type(), text_type()}) == text_type());
  BOOST_TEST(failure_of([] { common_type({kByte, text_type()}); }).find("combining") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(truth_values_are_one_and_zero) {
  const ArrayPtr logical = as_logical(numbers<int32_t>({0, 7, 1}));
  BOOST_CHECK((shown(*with_type(logical, number_type(Kind::integer, 8))) == Texts{"0", "1", "1"}));
  BOOST_CHECK((shown(*with_type(logical, kTruth)) == Texts{"0", "1", "1"}));
}

BOOST_AUTO_TEST_CASE(missing_values_stay_missing) {
  const ArrayPtr marked =
      with_missing(numbers<uint8_t>({1, 255}), [](const Elements& elements, std::vector<uint8_t>& missing) {
        for (uint64_t i = 0; i < elements.count; ++i) missing[i] = elements.values<uint8_t>()[i] == 255;
      });
  BOOST_CHECK((shown(*with_type(marked, number_type(Kind::integer, 8))) == Texts{"1", "NA"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs::takane
