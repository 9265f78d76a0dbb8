#include "formats/core/frames/common_type.h"
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

// numpy.result_type() of each pair.
BOOST_AUTO_TEST_CASE(numbers_are_promoted_as_numpy_does) {
  const auto whole = [](uint32_t size) { return number_type(Kind::integer, size); };
  const auto natural = [](uint32_t size) { return number_type(Kind::unsigned_integer, size); };
  const auto real = [](uint32_t size) { return number_type(Kind::real, size); };
  BOOST_CHECK(promoted_type({kTruth, kTruth}) == kTruth);
  BOOST_CHECK(promoted_type({kTruth, whole(2)}) == whole(2));
  BOOST_CHECK(promoted_type({whole(2), whole(8), whole(4)}) == whole(8));
  BOOST_CHECK(promoted_type({natural(1), whole(1)}) == whole(2));
  BOOST_CHECK(promoted_type({natural(4), whole(2)}) == whole(8));
  BOOST_CHECK(promoted_type({natural(2), whole(4)}) == whole(4));
  BOOST_CHECK(promoted_type({natural(8), whole(8)}) == real(8));
  BOOST_CHECK(promoted_type({real(4), whole(2)}) == real(4));
  BOOST_CHECK(promoted_type({real(4), whole(4)}) == real(8));
  BOOST_CHECK(promoted_type({real(2), natural(1)}) == real(2));
  BOOST_CHECK(promoted_type({real(2), whole(2), kTruth}) == real(4));
  BOOST_CHECK(promoted_type({number_type(Kind::integer, 4, true)}) == whole(4));
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
