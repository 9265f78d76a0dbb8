#include "fs/tree/open_stores.h"

#include <boost/test/unit_test.hpp>

#include "formats/open_store.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

const std::string kStore = PLAINFS_TEST_DATA "/bpcells/mat_packed_uint_col/store";

struct Fixture {
  TestContext named;
  TestContext met;
  int failing = 0;  // number of next opens that get no response from the folder

  Fixture() {
    named.context.other = [this](const std::string& path) -> Context& {
      if (failing-- > 0) throw unreadable("{}: Input/output error", path);
      return met;
    };
  }
};

BOOST_FIXTURE_TEST_SUITE(open_stores, Fixture)

// At the end of a mount, and of each of its openings, it must not throw.
BOOST_AUTO_TEST_CASE(unresponsive_store_is_closed_without_asking_it) {
  failing = 1000;
  OpenStores stores(named, 4, [](const std::string&) {});
  BOOST_CHECK_THROW(stores.open(kStore), Error);
}

BOOST_AUTO_TEST_CASE(store_opens_after_a_temporary_failure) {
  failing = 1;
  OpenStores stores(named, 4, [](const std::string&) {});
  BOOST_CHECK_THROW(stores.open(kStore), Error);
  BOOST_TEST(stores.open(kStore)->path == kStore);
  BOOST_TEST(stores.open(kStore) == stores.open(kStore));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
