// PROPFIND as sent by WebDAV clients.
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "tests/unit/serve/served.h"

namespace plainfs::serve {
namespace {

std::vector<std::string> between(const std::string& text, const std::string& start, const std::string& end) {
  std::vector<std::string> found;
  for (size_t at = 0; (at = text.find(start, at)) != std::string::npos;) {
    at += start.size();
    found.push_back(text.substr(at, text.find(end, at) - at));
  }
  return found;
}

struct Dav : Served {
  Answer properties(const std::string& path, const std::string& depth = "1",
                    const std::string& version = "1.1") {
    return ask("PROPFIND " + path + " HTTP/" + version + (depth.empty() ? "" : "\nDepth: " + depth));
  }
  std::vector<std::string> hrefs(const Answer& answer) {
    BOOST_TEST(answer.status == 207);
    return between(answer.body, "<D:href>", "</D:href>");
  }
};

using Texts = std::vector<std::string>;

BOOST_FIXTURE_TEST_SUITE(properties, Dav)

BOOST_AUTO_TEST_CASE(folder_lists_its_contents) {
  root->add_group("g");
  root->add_array("a b", {10, 20});
  const Answer answer = properties("/token/");
  const Texts wanted{"/token/", "/token/a%20b.csv", "/token/a%20b.npy", "/token/g/"};
  BOOST_TEST(hrefs(answer) == wanted, boost::test_tools::per_element());
  const Texts lengths = between(answer.body, "<D:getcontentlength>", "<"), wanted_lengths{"6", "136"};
  BOOST_TEST(lengths == wanted_lengths, boost::test_tools::per_element());
  BOOST_TEST(between(answer.body, "<D:resourcetype><D:collection/>", "<").size() == 2U);
  BOOST_TEST(answer.field("DAV") == "1");
  BOOST_TEST(answer.field("Content-Type") == "application/xml; charset=utf-8");
  BOOST_TEST(between(answer.body, "<D:getetag>", "<")[0].find("&quot;") == 0U);
  BOOST_TEST(hrefs(properties("/token/", "0")).size() == 1U);
  BOOST_TEST(hrefs(properties("/token/a%20b.csv", "0"))[0] == "/token/a%20b.csv");
}

BOOST_AUTO_TEST_CASE(a_folder_without_its_slash_is_answered) {
  root->add_group("g")->add_array("a", {1});
  const Texts wanted{"/token/g/", "/token/g/a.csv", "/token/g/a.npy"};
  BOOST_TEST(hrefs(properties("/token/g")) == wanted, boost::test_tools::per_element());
  BOOST_TEST(properties("/token/g/a.csv/", "0").status == 404);
}

// davfs2 silently reads a file of unknown length as empty.
BOOST_AUTO_TEST_CASE(reported_length_is_right) {
  std::vector<int32_t> values(200'000);
  std::iota(values.begin(), values.end(), 0);
  root->add_array("a", values).add_array("b", {1});
  Node broken;
  const Answer answer = properties("/token/");
  const Texts wanted{std::to_string(read("a.csv").size()), std::to_string(read("a.npy").size()), "2", "132"};
  BOOST_TEST(between(answer.body, "<D:getcontentlength>", "<") == wanted, boost::test_tools::per_element());
  BOOST_TEST(answer.is_chunked());
  const Answer again = properties("/token/");
  BOOST_TEST(!again.is_chunked());  // no wait was necessary
  BOOST_TEST(again.body == answer.body);
}

BOOST_AUTO_TEST_CASE(client_without_chunked_coding_waits) {
  std::vector<int32_t> values(200'000);
  root->add_array("a", values);
  const Answer answer = properties("/token/", "1", "1.0");
  BOOST_TEST(answer.field("Content-Length") == std::to_string(answer.body.size()));
  BOOST_TEST(hrefs(answer).size() == 3U);
}

BOOST_AUTO_TEST_CASE(infinite_depth_is_refused) {
  root->add_array("a", {1});
  for (const char* const depth : {"", "infinity", "2", "-1", "1,noroot"}) {
    const Answer answer = properties("/token/", depth);
    BOOST_TEST(answer.status == 403, depth);
    BOOST_TEST(answer.body.find("propfind-finite-depth") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(links_to_folders_are_found_and_not_listed) {
  root->add_group("g")->add_array("a", {1});
  root->add_link("up", {"g"}).add_link("file", {"g", "a"});
  const Texts wanted{"/token/", "/token/file.csv", "/token/file.npy", "/token/g/"};
  BOOST_TEST(hrefs(properties("/token/")) == wanted, boost::test_tools::per_element());
  const Texts inside{"/token/up/", "/token/up/a.csv", "/token/up/a.npy"};
  BOOST_TEST(hrefs(properties("/token/up/")) == inside, boost::test_tools::per_element());
}

// Windows walks there from the root of the server.
BOOST_AUTO_TEST_CASE(the_root_of_the_server_is_an_empty_folder) {
  root->add_array("a", {1});
  const Texts wanted{"/"};
  for (const char* const depth : {"0", "1"}) {
    const Answer answer = properties("/", depth);
    BOOST_TEST(hrefs(answer) == wanted, boost::test_tools::per_element());
    BOOST_TEST(answer.field("DAV") == "1");
    BOOST_TEST(answer.body.find("token") == std::string::npos);
  }
  BOOST_TEST(properties("/").body == properties("/", "0").body);
  BOOST_TEST(properties("/toke/").status == 404);
  const Answer options = ask("OPTIONS / HTTP/1.1");
  BOOST_TEST(options.field("DAV") == "1");
  BOOST_TEST(options.field("MS-Author-Via") == "DAV");
}

BOOST_AUTO_TEST_CASE(entry_without_time_has_one_after_1970) {
  root->add_array("a", {1});
  const Answer answer = properties("/token/a.csv", "0");
  BOOST_TEST(between(answer.body, "<D:getlastmodified>", "<")[0] == "Tue, 14 Nov 2023 22:13:20 GMT");
  BOOST_TEST(between(answer.body, "<D:creationdate>", "<")[0] == "2023-11-14T22:13:20Z");
  BOOST_TEST(get("a.csv").field("Last-Modified") == "Tue, 14 Nov 2023 22:13:20 GMT");
}

BOOST_AUTO_TEST_CASE(unreadable_folder_is_an_error_and_not_empty) {
  root->add_array("a", {1});
  root->break_with(damaged("a link is broken"));
  BOOST_TEST(properties("/token/").status == 500);
}

BOOST_AUTO_TEST_CASE(names_are_text_of_xml) {
  root->add_array("a<&>\x01\xff", {1});
  const Answer answer = properties("/token/");
  BOOST_TEST(hrefs(answer)[1] == "/token/a%3C%26%3E%01%FF.csv");
  BOOST_TEST(between(answer.body, "<D:displayname>", "</")[1] == "a&lt;&amp;&gt;\\001\\377.csv");
}

// The Finder requests these for every file.
BOOST_AUTO_TEST_CASE(files_of_macos_are_not_looked_up) {
  root->add_array("._a", {1});
  const std::string finder = "\nDepth: 0\nUser-Agent: WebDAVFS/3.0.0 (03008000) Darwin/22.1.0";
  const int before = root->times_listed();
  for (const char* const name : {"._a.csv", ".DS_Store", "g/._x", "._.", "Backups.backupdb"})
    BOOST_TEST(ask(std::string("PROPFIND /token/") + name + " HTTP/1.1" + finder).status == 404, name);
  BOOST_TEST(root->times_listed() == before);
  BOOST_TEST(get("._a.csv").status == 200);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
