#include "fs/serve/entity_tag.h"

#include <boost/test/unit_test.hpp>

namespace plainfs::serve {
namespace {

BOOST_AUTO_TEST_SUITE(entity_tag)

BOOST_AUTO_TEST_CASE(run_store_opening_and_inode_make_a_tag) {
  const EntityTags tags("r1"), later("r2");
  const std::string tag = tags.of(0, 1, 2);
  BOOST_TEST(tag == tags.of(0, 1, 2));
  for (const std::string& other : {tags.of(1, 1, 2), tags.of(0, 2, 2), tags.of(0, 1, 3), later.of(0, 1, 2)})
    BOOST_TEST(tag != other);
  BOOST_TEST(tags.of(0x1, 0x12, 0x3) != tags.of(0x11, 0x2, 0x3));
  BOOST_TEST(tag.front() == '"');
  BOOST_TEST(tag.back() == '"');
  BOOST_TEST(tag.find(',') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(lists_are_looked_through) {
  BOOST_TEST(lists_tag("\"a\"", "\"a\""));
  BOOST_TEST(lists_tag("\"x\" , W/\"a\",\"y\"", "\"a\""));
  BOOST_TEST(lists_tag(" * ", "\"a\""));
  for (const char* const field : {"", "a", "\"a", "\"A\"", "\"b\",\"c\"", "\"ab\"", "w/\"a\"", "**"})
    BOOST_TEST(!lists_tag(field, "\"a\""), field);
}

// A client that resumes gets the rest of what it has, or all of what there is.
BOOST_AUTO_TEST_CASE(parts_are_of_the_same_version_only) {
  BOOST_TEST(allows_parts("", "\"a\""));
  BOOST_TEST(allows_parts("\"a\"", "\"a\""));
  for (const char* const field : {"\"b\"", "W/\"a\"", "*", "\"a\", \"b\"", "Wed, 25 Nov 2026 10:00:00 GMT"})
    BOOST_TEST(!allows_parts(field, "\"a\""), field);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
