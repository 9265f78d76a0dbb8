#include "fs/serve/target.h"
#include "formats/core/text/percent.h"

#include <boost/test/unit_test.hpp>
#include <random>

namespace plainfs::serve {
namespace {

std::string names_of(std::string_view text) {
  const std::optional<Target> target = parse_target(text);
  if (!target) return "-";
  std::string names;
  for (const std::string& name : target->names) names += "[" + name + "]";
  return names + (target->is_folder ? "/" : "") + (target->query.empty() ? "" : "?" + target->query) +
         (target->host.empty() ? "" : "@" + target->host);
}

BOOST_AUTO_TEST_SUITE(target)

BOOST_AUTO_TEST_CASE(paths_are_names) {
  BOOST_TEST(names_of("/") == "/");
  BOOST_TEST(names_of("/a/b.csv") == "[a][b.csv]");
  BOOST_TEST(names_of("/a//b/") == "[a][b]/");
  BOOST_TEST(names_of("/a%20b/%C3%A4%25?x=%2F/..") == "[a b][\xC3\xA4%]?x=%2F/..");
  BOOST_TEST(names_of("http://h:1/a?b") == "[a]?b@h:1");
  BOOST_TEST(names_of("https://h") == "/@h");
  BOOST_TEST(names_of("/...") == "[...]");
  BOOST_TEST(names_of("/a+b") == "[a+b]");
}

BOOST_AUTO_TEST_CASE(what_leads_elsewhere_is_no_path) {
  for (const char* const text :
       {"",       "*",     "a",  "//..", "/..",  "/a/../b", "/.",      "/a/./b",    "/%2e%2e/a", "/%2E./a",
        "/a%2fb", "/a%00", "/%", "/%1",  "/%zz", "/a#b",    "http://", "http:///a", "ftp://h/a", "/a/%2E"})
    BOOST_TEST(!parse_target(text), text);
}

BOOST_AUTO_TEST_CASE(any_name_comes_back_as_it_was_encoded) {
  std::mt19937 random(43);
  for (int round = 0; round < 2000; ++round) {
    std::string name;
    for (size_t length = 1 + random() % 12; name.size() < length;) {
      const char c = static_cast<char>(random() % 256);
      if (c != '/' && c != '\0') name += c;
    }
    if (name == "." || name == "..") continue;
    const std::string text = percent_encoded(name);
    BOOST_TEST(text.find_first_of("\"'<>&?#:/ ") == std::string::npos);
    const std::optional<Target> target = parse_target("/" + text);
    BOOST_REQUIRE(target);
    BOOST_REQUIRE(target->names.size() == 1U);
    BOOST_TEST(target->names[0] == name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
