#include "formats/core/remote/url.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/base/error.h"
#include "formats/core/base/location.h"
#include "tests/support/mentions.h"

using namespace plainfs;
using namespace plainfs::remote;

BOOST_AUTO_TEST_SUITE(url)

BOOST_AUTO_TEST_CASE(url_is_distinguished_from_a_path) {
  for (const char* text : {"https://a/b", "s3://bucket", "HTTP://x", "a+b-c.d://e"}) BOOST_TEST(is_url(text));
  for (const char* text : {"/a/b", "a:b", "://x", "a b://c", "dir/https://x", ""}) BOOST_TEST(!is_url(text));
}

BOOST_AUTO_TEST_CASE(parts_are_found) {
  const Url url = parse_url("https://host.example:8443/a/b%20c?x=1#part");
  BOOST_TEST(url.scheme == "https");
  BOOST_TEST(url.host_and_port() == "host.example:8443");
  BOOST_TEST(url.path == "/a/b%20c");
  BOOST_TEST(url.query == "x=1");
  BOOST_TEST(url.text() == "https://host.example:8443/a/b%20c?x=1");
}

BOOST_AUTO_TEST_CASE(characters_invalid_in_a_url_are_encoded) {
  BOOST_TEST(parse_url("http://host/a b").path == "/a%20b");
}

BOOST_AUTO_TEST_CASE(a_password_is_refused) {
  BOOST_CHECK_EXCEPTION(parse_url("https://me:secret@host/a"), Error, mentions("~/.netrc"));
  BOOST_CHECK_EXCEPTION(parse_url("ftp://host/a"), Error, mentions("not an https:// URL"));
  BOOST_CHECK_EXCEPTION(parse_url("https://"), Error, mentions("invalid URL"));
}

BOOST_AUTO_TEST_CASE(redirects_may_be_relative_and_never_leave_https) {
  const Url base = parse_url("https://host/a/b?x=1");
  BOOST_TEST(redirected(base, "c").text() == "https://host/a/c");
  BOOST_TEST(redirected(base, "/d?y").text() == "https://host/d?y");
  BOOST_TEST(redirected(base, "https://other/e").text() == "https://other/e");
  BOOST_CHECK_EXCEPTION(redirected(base, "http://host/a"), Error, mentions("from https to http"));
  BOOST_CHECK_EXCEPTION(redirected(base, "file:///etc/passwd"), Error, mentions("not an https:// URL"));
}

BOOST_AUTO_TEST_SUITE_END()
