#include "fs/serve/http/entity_tag.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace plainfs::serve {
namespace {

BOOST_AUTO_TEST_SUITE(entity_tag)

BOOST_AUTO_TEST_CASE(run_store_opening_and_path_make_a_tag) {
  const EntityTags tags("r1"), later("r2");
  const std::string tag = tags.of(0, 1, "/a.csv");
  BOOST_TEST(tag == tags.of(0, 1, "/a.csv"));
  for (const std::string& other :
       {tags.of(1, 1, "/a.csv"), tags.of(0, 2, "/a.csv"), tags.of(0, 1, "/b.csv"), later.of(0, 1, "/a.csv")})
    BOOST_TEST(tag != other);
  BOOST_TEST(tags.of(0x1, 0x12, "/a.csv") != tags.of(0x11, 0x2, "/a.csv"));
  BOOST_TEST(tag.front() == '"');
  BOOST_TEST(tag.back() == '"');
  BOOST_TEST(tag.find(',') == std::string::npos);
}

// Another run of the server gives the same tag for the same bytes, and no other.
BOOST_AUTO_TEST_CASE(unchanged_store_keeps_its_tags) {
  const EntityTags tags("r1", {"as it is", ""}), again("r2", {"as it is", ""}),
      changed("r3", {"changed", ""});
  const std::string tag = tags.of(0, 0, "/a.csv");
  BOOST_TEST(tag == again.of(0, 0, "/a.csv"));
  BOOST_TEST(tag != tags.of(0, 0, "/b.csv"));
  BOOST_TEST(tag != changed.of(0, 0, "/a.csv"));
  // A reopened store has changed since its identity was taken.
  BOOST_TEST(tags.of(0, 1, "/a.csv") != again.of(0, 1, "/a.csv"));
  BOOST_TEST(tags.of(1, 0, "/a.csv") != again.of(1, 0, "/a.csv"));
}

BOOST_AUTO_TEST_CASE(any_change_gives_another_identity) {
  const TemporaryDirectory folder;
  const std::string store = folder.path() + "/store";
  std::filesystem::create_directories(store + "/a");
  std::ofstream(store + "/a/0") << "x";
  const auto first = store_identity(store);
  BOOST_REQUIRE(first);
  BOOST_TEST((store_identity(store) == first));
  std::ofstream(store + "/a/1") << "y";
  const auto second = store_identity(store);
  BOOST_TEST((second && second != first));
  std::ofstream(folder.path() + "/data.raw") << "z";  // beside a folder: not part of it
  BOOST_TEST((store_identity(store) == second));
  // A file may refer to others beside it.
  const auto file = store_identity(folder.path() + "/data.raw");
  std::ofstream(store + "/a/1", std::ios::app) << "y";
  BOOST_TEST((file && store_identity(folder.path() + "/data.raw") != file));
  std::filesystem::create_symlink("/", store + "/link");
  BOOST_TEST(!store_identity(store));
  BOOST_TEST(!store_identity("https://data.example/store"));
  BOOST_TEST(!store_identity(folder.path() + "/none"));
}

BOOST_AUTO_TEST_CASE(lists_are_looked_through) {
  BOOST_TEST(lists_tag("\"a\"", "\"a\""));
  BOOST_TEST(lists_tag("\"x\" , W/\"a\",\"y\"", "\"a\""));
  BOOST_TEST(lists_tag(" * ", "\"a\""));
  for (const char* const field : {"", "a", "\"a", "\"A\"", "\"b\",\"c\"", "\"ab\"", "w/\"a\"", "**"})
    BOOST_TEST(!lists_tag(field, "\"a\""), field);
}

// A client that resumes gets the rest, or the whole new version.
BOOST_AUTO_TEST_CASE(parts_are_of_the_same_version_only) {
  BOOST_TEST(allows_parts("", "\"a\""));
  BOOST_TEST(allows_parts("\"a\"", "\"a\""));
  for (const char* const field : {"\"b\"", "W/\"a\"", "*", "\"a\", \"b\"", "Wed, 25 Nov 2026 10:00:00 GMT"})
    BOOST_TEST(!allows_parts(field, "\"a\""), field);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
