#include "formats/core/model/arrays/shared_arrays.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"

namespace plainfs {

BOOST_AUTO_TEST_SUITE(shared_arrays)

BOOST_AUTO_TEST_CASE(array_is_shared_while_in_use) {
  SharedArrays arrays;
  int opened = 0;
  const auto get = [&](const std::string& key) {
    return arrays.get(key, [&] { return numbers<int>({++opened}); });
  };
  ArrayPtr first = get("a");
  BOOST_TEST(get("a") == first);
  BOOST_TEST(get("b") != first);
  BOOST_TEST(opened == 2);
  first = nullptr;
  BOOST_TEST(read_all(*get("a")).values<int>()[0] == 3);
}

BOOST_AUTO_TEST_CASE(failed_opening_is_tried_again) {
  SharedArrays arrays;
  BOOST_TEST(message_of([&] { arrays.get("a", []() -> ArrayPtr { throw unreadable("a disk fails"); }); }) ==
             "a disk fails");
  BOOST_TEST(arrays.get("a", [] { return numbers<int>({1}); })->count() == 1u);
}

BOOST_AUTO_TEST_CASE(only_unused_arrays_are_forgotten) {
  SharedArrays arrays;
  const ArrayPtr used = arrays.get("used", [] { return numbers<int>({1}); });
  std::weak_ptr<const Array> unused = arrays.get("unused", [] { return numbers<int>({2}); });
  BOOST_TEST(unused.expired());
  for (int i = 0; i < 1000; ++i) arrays.get(std::to_string(i), [] { return numbers<int>({3}); });
  BOOST_TEST(arrays.get("used", [] { return numbers<int>({4}); }) == used);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
