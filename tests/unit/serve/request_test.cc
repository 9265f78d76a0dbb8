#include "fs/serve/http/request.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "formats/core/text/percent.h"

namespace plainfs::serve {
namespace {

// Returns the status of a refusal; 0: a valid request; -1: incomplete.
int status_of(std::string_view text) {
  RequestReader reader;
  reader.add(text);
  try {
    return reader.next() ? 0 : -1;
  } catch (const BadRequest& bad) {
    return bad.status;
  }
}

const std::string kHost = "Host: h\r\n";

// Returns the parts of a target: "[a][b]/?query@host"; "-" if it is invalid.
std::string names_of(std::string_view text) {
  const std::optional<Target> target = parse_target(text);
  if (!target) return "-";
  std::string names;
  for (const std::string& name : target->names) names += "[" + name + "]";
  return names + (target->is_folder ? "/" : "") + (target->query.empty() ? "" : "?" + target->query) +
         (target->host.empty() ? "" : "@" + target->host);
}

BOOST_AUTO_TEST_SUITE(request)

BOOST_AUTO_TEST_CASE(requests_come_one_after_the_other_in_any_pieces) {
  const std::string text = "GET /a HTTP/1.1\r\n" + kHost +
                           "X: 1\r\nx:2\r\n\r\n"
                           "PROPFIND /b HTTP/1.1\r\n" +
                           kHost +
                           "Content-Length: 5\r\n\r\nGET /"
                           "\r\nHEAD /c HTTP/1.0\r\n\r\n"
                           "PROPFIND /d HTTP/1.1\r\n" +
                           kHost + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (const size_t step : {text.size(), size_t{1}, size_t{7}}) {
    RequestReader reader;
    std::vector<HttpRequest> requests;
    for (size_t at = 0; at < text.size(); at += step) {
      reader.add(std::string_view(text).substr(at, step));
      while (std::optional<HttpRequest> request = reader.next()) requests.push_back(*std::move(request));
    }
    BOOST_REQUIRE(requests.size() == 4U);
    BOOST_TEST(requests[0].method == "GET");
    BOOST_TEST(requests[0].field("X") == "1, 2");
    BOOST_TEST(requests[0].count("x") == 2U);
    BOOST_TEST(requests[0].keep_alive);
    BOOST_TEST(requests[1].method == "PROPFIND");
    BOOST_TEST(requests[1].target == "/b");
    BOOST_TEST(requests[2].is_head());
    BOOST_TEST(!requests[2].is_1_1);
    BOOST_TEST(!requests[2].keep_alive);
    BOOST_TEST(requests[3].target == "/d");
    BOOST_TEST(!reader.has_begun());
  }
}

BOOST_AUTO_TEST_CASE(truncated_request_is_incomplete) {
  const std::string text = "PROPFIND /b HTTP/1.1\r\n" + kHost + "Content-Length: 5\r\n\r\nGET /";
  for (size_t size = 0; size < text.size(); ++size)
    BOOST_TEST(status_of(std::string_view(text).substr(0, size)) == -1, size);
  BOOST_TEST(status_of(text) == 0);
}

BOOST_AUTO_TEST_CASE(invalid_request_is_refused) {
  const std::string end = kHost + "\r\n";
  for (const std::string& text : std::vector<std::string>{
           "\x16\x03\x01\x02\x01\x01\xfc\x03\x03 TLS\r\n\r\n" + end, "GET\r\n" + end,
           "GET  HTTP/1.1\r\n" + end, "GET /a HTTP/1.1\r\nno field\r\n\r\n",
           "GET /a HTTP/1.1\r\n" + kHost + "X : 1\r\n\r\n", "GET /a HTTP/1.1\r\n" + kHost + "X: \x01\r\n\r\n",
           std::string("GET /a HTTP/1.1\r\n\r\n"), "GET /a HTTP/1.1\r\n" + kHost + kHost + "\r\n",
           "GET /a HTTP/1.1\r\n" + kHost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
           "GET /a HTTP/1.1\r\n" + kHost + "Content-Length: x\r\n\r\n"})
    BOOST_TEST(status_of(text) == 400, text);
  for (const char* const line : {"GET /a HTTP/2.0", "GET /a HTTP/x", "GET /a b HTTP/1.1"})
    BOOST_TEST(status_of(line + ("\r\n" + end)) == 505, line);
  BOOST_TEST(status_of("GET /a HTTP/1.1\r\nExpect: 100-continue\r\n" + end) == 417);
}

// If two programs parse one text into different requests, a client can smuggle a request into another's
// connection.
BOOST_AUTO_TEST_CASE(duplicate_length_is_refused) {
  BOOST_TEST(status_of("GET /a HTTP/1.1\r\n" + kHost +
                       "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc") == 400);
  BOOST_TEST(status_of("GET /a HTTP/1.1\r\n" + kHost +
                       "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc") == 400);
}

// Its end is unknown, so that later bytes might be taken for another request.
BOOST_AUTO_TEST_CASE(unknown_transfer_coding_is_refused) {
  for (const char* const coding :
       {"gzip", "xchunked", "identity", "chunked, gzip", "gzip, chunked", "chunked,"})
    BOOST_TEST(status_of("GET /a HTTP/1.1\r\n" + kHost + "Transfer-Encoding: " + coding +
                         "\r\n\r\n0\r\n\r\n") >= 400,
               coding);
  BOOST_TEST(status_of("GET /a HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip\r\n\r\n") == 501);
  const std::string twice = "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n";
  BOOST_TEST(status_of("GET /a HTTP/1.1\r\n" + kHost + twice + "\r\n0\r\n\r\n") >= 400);
  BOOST_TEST(status_of("GET /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == 400);
  BOOST_TEST(status_of("GET /a HTTP/1.1\r\n" + kHost + "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n") == 0);
}

BOOST_AUTO_TEST_CASE(too_large_request_is_refused_early) {
  const std::string start = "GET /a HTTP/1.1\r\n" + kHost;
  BOOST_TEST(status_of(start + "X: " + std::string(kMaxHeader, 'x')) == 431);
  std::string fields;
  while (fields.size() < kMaxHeader) fields += "X: y\r\n";
  BOOST_TEST(status_of(start + fields) == 431);
  BOOST_TEST(status_of(std::string(kMaxHeader + 1, 'G')) == 431);
  BOOST_TEST(status_of("GET /" + std::string(kMaxTarget, 'a') + " HTTP/1.1\r\n" + kHost + "\r\n") == 414);
  BOOST_TEST(status_of(start + "Content-Length: 65537\r\n\r\n") == 413);
  BOOST_TEST(status_of(start + "Content-Length: 65536\r\n\r\n") == -1);
  BOOST_TEST(status_of(start + "Content-Length: 99999999999999999999\r\n\r\n") == 400);
  BOOST_TEST(status_of(start + "Transfer-Encoding: chunked\r\n\r\n10001\r\n" + std::string(0x10001, 'x')) ==
             413);
}

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

BOOST_AUTO_TEST_CASE(escaping_path_is_refused) {
  for (const char* const text :
       {"",       "*",     "a",  "//..", "/..",  "/a/../b", "/.",      "/a/./b",    "/%2e%2e/a", "/%2E./a",
        "/a%2fb", "/a%00", "/%", "/%1",  "/%zz", "/a#b",    "http://", "http:///a", "ftp://h/a", "/a/%2E"})
    BOOST_TEST(!parse_target(text), text);
}

BOOST_AUTO_TEST_CASE(any_name_survives_encoding) {
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
