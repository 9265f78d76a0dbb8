#include "formats/core/base/used_sources.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/no_memory.h"

using namespace plainfs;

BOOST_AUTO_TEST_SUITE(path_fingerprints)

BOOST_AUTO_TEST_CASE(path_matches_its_first_fingerprint_only) {
  PathFingerprints paths;
  BOOST_TEST(paths.matches("/a", 1));
  BOOST_TEST(paths.matches("/a", 1));
  BOOST_TEST(!paths.matches("/a", 2));
  BOOST_TEST(paths.matches("/a", 1));
  paths.clear();
  BOOST_TEST(paths.matches("/a", 2));
}

BOOST_AUTO_TEST_CASE(many_paths_are_kept_apart) {
  PathFingerprints paths;
  const auto path = [](int i) { return "/store.zarr/c/" + std::to_string(i); };
  for (int i = 0; i < 50000; ++i) BOOST_TEST_REQUIRE(paths.matches(path(i), i * 7919u));
  for (int i = 0; i < 50000; ++i) {
    BOOST_TEST_REQUIRE(paths.matches(path(i), i * 7919u));
    BOOST_TEST_REQUIRE(!paths.matches(path(i), i * 7919u + 1));
  }
}

BOOST_AUTO_TEST_CASE(allocation_failure_keeps_the_known_paths) {
  PathFingerprints paths;
  const auto path = [](int i) { return "/" + std::to_string(i); };
  int count = 0;
  for (int rounds = 0; rounds < 6; ++rounds)
    with_each_allocation_failing(
        [&] {
          for (const int end = count + 100; count < end; ++count) paths.matches(path(count), 1);
        },
        [&] {
          for (int i = 0; i < count; ++i) BOOST_TEST_REQUIRE(!paths.matches(path(i), 2));
        });
}

BOOST_AUTO_TEST_CASE(a_full_set_starts_again) {
  PathFingerprints paths(1000);
  BOOST_TEST(!paths.knows("/0"));
  for (int i = 0; i < 10000; ++i) {
    const std::string path = "/" + std::to_string(i);
    BOOST_TEST_REQUIRE(paths.matches(path, 1));
    BOOST_TEST_REQUIRE(paths.knows(path));
  }
  size_t known = 0;
  for (int i = 0; i < 10000; ++i) known += paths.knows("/" + std::to_string(i));
  BOOST_TEST(known > 0u);
  BOOST_TEST(known < 2048u);
}

BOOST_AUTO_TEST_SUITE_END()
