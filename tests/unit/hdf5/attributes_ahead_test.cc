#include "formats/containers/hdf5/process/attributes_ahead.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs;
using namespace plainfs::hdf5;

namespace {

using Objects = std::vector<uint64_t>;

Objects numbered(uint64_t first, size_t count) {
  Objects objects(count);
  for (uint64_t& object : objects) object = first++;
  return objects;
}

FoundAttributes named(const std::string& name) {
  return {{StoredAttribute{name, {}, {}, {}}}, {}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hdf5_attributes_ahead)

BOOST_AUTO_TEST_CASE(read_ahead_grows_while_the_order_is_kept) {
  AttributesAhead ahead;
  ahead.listed(1, numbered(100, 10));
  ahead.listed(1, numbered(110, 90));
  BOOST_TEST(ahead.with_next(1, 100) == numbered(100, 1), boost::test_tools::per_element());
  BOOST_TEST(ahead.with_next(1, 101) == numbered(101, 4), boost::test_tools::per_element());
  BOOST_TEST(ahead.with_next(1, 105) == numbered(105, 16), boost::test_tools::per_element());
  BOOST_TEST(ahead.with_next(1, 121) == numbered(121, 64), boost::test_tools::per_element());
  BOOST_TEST(ahead.with_next(1, 185) == numbered(185, 15), boost::test_tools::per_element());
  BOOST_TEST(ahead.with_next(1, 150) == numbered(150, 1), boost::test_tools::per_element());
  BOOST_TEST(ahead.with_next(1, 7) == Objects{7}, boost::test_tools::per_element());
  BOOST_TEST(ahead.with_next(2, 100) == Objects{100}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(read_ahead_serves_its_own_file_only) {
  AttributesAhead ahead;
  ahead.listed(1, {10, 11, 12});
  ahead.keep(1, {10, 11, 12}, {named("a"), named("b")});
  BOOST_TEST(ahead.find(1, 11)->attributes[0].name == "b");
  BOOST_TEST(ahead.find(1, 11).has_value());
  BOOST_TEST(!ahead.find(1, 12).has_value());
  BOOST_TEST(!ahead.find(2, 11).has_value());
  ahead.listed(2, {10});
  BOOST_TEST(!ahead.find(1, 11).has_value());
}

BOOST_AUTO_TEST_CASE(damage_is_kept_and_temporary_errors_are_not) {
  AttributesAhead ahead;
  ahead.listed(1, {10, 11});
  ahead.keep(1, {10, 11}, {{{}, damaged("a thing")}, {{}, unreadable("a disk")}});
  BOOST_TEST(ahead.find(1, 10)->error.has_value());
  BOOST_TEST(!ahead.find(1, 11).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
