#include "formats/core/remote/remote_object.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

struct PlainOrigin : Origin {
  std::string address(const std::string& location) const override { return location; }
  HttpRequest get(const std::string& location, std::vector<std::string> fields) override {
    HttpRequest request;
    request.url = location;
    request.fields = std::move(fields);
    request.uses_netrc = true;
    return request;
  }
  bool follows_redirects() const override { return true; }
  bool learn_from(const HttpHead&, const std::string&) override { return false; }
};

struct Fixture {
  RemoteObject object{std::make_shared<PlainOrigin>(), "https://host/x"};

  static HttpHead part(uint64_t first, uint64_t last, uint64_t size, const std::string& etag = "\"v1\"") {
    return {206, {{"content-range", fmt::format("bytes {}-{}/{}", first, last, size)}, {"etag", etag}}};
  }
  void settle() { BOOST_REQUIRE(object.judge(part(0, 9, 100), {0, 10}).kind == Verdict::take); }
  bool asks_with(const std::string& field) {
    const HttpRequest request = object.get({10, 10});
    return std::count(request.fields.begin(), request.fields.end(), field) == 1;
  }
  static void check_fails(const Verdict& verdict, Errc code, const std::string& words) {
    BOOST_REQUIRE(verdict.kind == Verdict::fail);
    BOOST_TEST((verdict.error->code() == code));
    BOOST_TEST(mentions(words)(*verdict.error));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(remote_object, Fixture)

BOOST_AUTO_TEST_CASE(first_reply_gives_size_and_version) {
  settle();
  BOOST_TEST(object.version()->size == 100U);
  BOOST_TEST(asks_with("If-Match: \"v1\""));
  BOOST_TEST(asks_with("Range: bytes=10-19"));
}

BOOST_AUTO_TEST_CASE(expected_version_is_confirmed_by_304) {
  object.expect({100, "\"v1\"", "then"});
  BOOST_TEST(!object.version());
  BOOST_TEST(asks_with("If-None-Match: \"v1\""));
  BOOST_REQUIRE(object.judge_refusal({304, {{"etag", "\"v1\""}}}, "").kind == Verdict::take);
  BOOST_TEST(object.version()->size == 100U);
  BOOST_TEST(object.version()->last_modified == "then");
  BOOST_TEST(asks_with("If-Match: \"v1\""));
  BOOST_TEST(!asks_with("If-None-Match: \"v1\""));
  check_fails(object.judge_refusal({304, {}}, ""), Errc::unreadable, "304");
}

BOOST_AUTO_TEST_CASE(expected_version_may_have_changed) {
  object.expect({100, "\"v0\"", "then"});
  settle();
  BOOST_TEST(object.version()->etag == "\"v1\"");
}

BOOST_AUTO_TEST_CASE(unsolicited_304_is_an_error) {
  check_fails(object.judge_refusal({304, {}}, ""), Errc::unreadable, "304");
  object.expect({100, "\"v0\"", "then"});
  check_fails(object.judge_refusal({304, {{"etag", "\"v1\""}}}, ""), Errc::unreadable, "304");
}

BOOST_AUTO_TEST_CASE(another_etag_or_size_is_a_change) {
  settle();
  check_fails(object.judge(part(10, 19, 100, "\"v2\""), {10, 10}), Errc::changed, "has changed");
  BOOST_CHECK_EXCEPTION(object.check_unchanged(), Error, mentions("has changed"));
}

BOOST_AUTO_TEST_CASE(another_size_is_a_change) {
  settle();
  check_fails(object.judge(part(10, 19, 101), {10, 10}), Errc::changed, "has changed");
}

BOOST_AUTO_TEST_CASE(failed_precondition_or_missing_object_is_a_change) {
  settle();
  for (const long status : {412, 404, 410, 416})
    check_fails(object.judge_refusal({status, {}}, ""), Errc::changed, "has changed");
}

BOOST_AUTO_TEST_CASE(a_weak_etag_is_compared_and_not_sent) {
  BOOST_REQUIRE(
      object
          .judge({206, {{"content-range", "bytes 0-9/100"}, {"etag", "W/\"a\""}, {"last-modified", "then"}}},
                 {0, 10})
          .kind == Verdict::take);
  BOOST_TEST(!asks_with("If-Match: W/\"a\""));
  BOOST_TEST(asks_with("If-Unmodified-Since: then"));
  check_fails(object.judge(part(10, 19, 100, "W/\"b\""), {10, 10}), Errc::changed, "has changed");
}

BOOST_AUTO_TEST_CASE(a_weak_etag_counts_only_together_with_the_time) {
  HttpHead head = part(0, 9, 100, "W/\"a\"");
  check_fails(object.judge(head, {0, 10}), Errc::unsupported, "W/\"a\" and no Last-Modified");
  head.fields["last-modified"] = "then";
  BOOST_REQUIRE(object.judge(head, {0, 10}).kind == Verdict::take);
  head = part(10, 19, 100, "W/\"a\"");
  head.fields["last-modified"] = "then";
  BOOST_REQUIRE(object.judge(head, {10, 10}).kind == Verdict::take);
  head.fields["last-modified"] = "later";
  check_fails(object.judge(head, {10, 10}), Errc::changed, "has changed");
}

BOOST_AUTO_TEST_CASE(reply_without_version_is_refused_and_may_be_a_folder) {
  check_fails(object.judge(part(0, 9, 100, ""), {0, 10}), Errc::unsupported,
              "neither ETag nor Last-Modified");
  BOOST_TEST(object.may_be_folder());
}

BOOST_AUTO_TEST_CASE(a_server_without_ranges_is_refused) {
  check_fails(object.judge({200, {{"content-length", "100"}, {"etag", "\"v1\""}}}, {0, 10}),
              Errc::unsupported, "does not support byte ranges");
  check_fails(object.judge({200, {{"etag", "\"v1\""}}}, {0, 10}), Errc::unsupported,
              "does not support byte ranges");
}

BOOST_AUTO_TEST_CASE(full_body_is_accepted_for_the_range_it_equals) {
  BOOST_TEST(object.judge({200, {{"content-length", "9"}, {"etag", "\"v1\""}}}, {0, 10}).kind ==
             Verdict::take);
  BOOST_TEST(object.version()->size == 9U);
}

BOOST_AUTO_TEST_CASE(wrong_range_is_never_accepted) {
  settle();
  check_fails(object.judge(part(11, 19, 100), {10, 10}), Errc::unreadable, "the server sends");
  check_fails(object.judge(part(10, 18, 100), {10, 10}), Errc::unreadable, "the server sends");
  check_fails(object.judge({206, {{"content-range", "bytes 10-19/*"}, {"etag", "\"v1\""}}}, {10, 10}),
              Errc::unreadable, "the server sends");
  check_fails(object.judge({206, {{"etag", "\"v1\""}}}, {10, 10}), Errc::unreadable, "the server sends");
}

BOOST_AUTO_TEST_CASE(short_range_at_the_end_of_the_object_is_accepted) {
  BOOST_TEST(object.judge(part(0, 4, 5), {0, 10}).kind == Verdict::take);
}

BOOST_AUTO_TEST_CASE(an_encoded_body_is_refused) {
  HttpHead head = part(0, 9, 100);
  head.fields["content-encoding"] = "gzip";
  check_fails(object.judge(head, {0, 10}), Errc::unsupported, "Content-Encoding: gzip");
}

BOOST_AUTO_TEST_CASE(an_object_without_bytes_has_no_range) {
  BOOST_TEST(object.judge_refusal({416, {{"content-range", "bytes */0"}, {"etag", "\"e\""}}}, "").kind ==
             Verdict::take);
  BOOST_TEST(object.version()->size == 0U);
}

BOOST_AUTO_TEST_CASE(temporary_failure_is_retried_after_retry_after) {
  const Verdict verdict =
      object.judge_refusal({503, {{"retry-after", "3"}}}, "<Error><Code>SlowDown</Code></Error>");
  BOOST_TEST((verdict.kind == Verdict::again));
  BOOST_TEST(verdict.wait.count() == 3000);
  BOOST_TEST(mentions("503 SlowDown")(*verdict.error));
  BOOST_TEST((object.judge_refusal({503, {{"retry-after", "999999999"}}}, "").wait.count()) == 60'000);
}

BOOST_AUTO_TEST_CASE(object_never_seen_is_absent) {
  check_fails(object.judge_refusal({404, {}}, ""), Errc::not_found, "does not have this object");
  BOOST_TEST(object.is_absent());
}

BOOST_AUTO_TEST_CASE(a_redirect_is_followed_until_it_is_refused) {
  BOOST_TEST(
      (object.judge_refusal({302, {{"location", "https://cdn/y?sig"}}}, "").kind == Verdict::redirect));
  BOOST_TEST(object.follow("https://host/x", {302, {{"location", "https://cdn/y?sig"}}}));
  BOOST_TEST(object.get({0, 1}).url == "https://cdn/y?sig");
  BOOST_TEST((object.judge_refusal({403, {}}, "").kind == Verdict::refused));
  BOOST_TEST(object.renew("https://cdn/y?sig", {403, {}}, ""));
  BOOST_TEST(object.get({0, 1}).url == "https://host/x");
  BOOST_TEST(!object.renew("https://host/x", {403, {}}, ""));
}

BOOST_AUTO_TEST_CASE(redirect_has_no_secrets_of_the_origin) {
  BOOST_TEST(object.get({0, 1}).uses_netrc);
  BOOST_TEST(object.follow("https://host/x", {302, {{"location", "https://other/x"}}}));
  const HttpRequest request = object.get({0, 1});
  BOOST_TEST(request.url == "https://other/x");
  BOOST_TEST(!request.uses_netrc);
  BOOST_TEST(!request.keeps_cookies);
}

BOOST_AUTO_TEST_CASE(status_401_names_the_host_and_the_remedy) {
  BOOST_TEST(mentions("the server returned 401")(*object.judge_refusal({401, {}}, "").error));
  BOOST_TEST(object.follow("https://host/x", {302, {{"location", "https://login:8443/x"}}}));
  BOOST_TEST(mentions("login:8443 returned 401")(*object.judge_refusal({401, {}}, "").error));
  BOOST_TEST(mentions("header_file=FILE")(*object.judge_refusal({401, {}}, "").error));
}

BOOST_AUTO_TEST_CASE(public_server_cannot_redirect_to_a_private_network) {
  const HttpHead head{302, {{"location", "https://169.254.169.254/keys"}}, "93.184.216.34"};
  BOOST_CHECK_EXCEPTION(object.follow("https://host/x", head), Error,
                        mentions("a redirect to 169.254.169.254 is not followed"));
  for (const char* place : {"https://127.0.0.1/", "https://localhost:8443/", "https://[::ffff:10.0.0.1]/"})
    BOOST_CHECK_EXCEPTION(object.follow("https://host/x", {302, {{"location", place}}, "2606:2800::1"}),
                          Error, mentions("not followed"));
  BOOST_TEST(object.get({0, 1}).url == "https://host/x");
  BOOST_TEST(!object.get({0, 1}).stays_public);
  // If only a resolver can know, the client checks.
  BOOST_TEST(object.follow("https://host/x", {302, {{"location", "https://inside/"}}, "93.184.216.34"}));
  BOOST_TEST(object.get({0, 1}).url == "https://inside/");
  BOOST_TEST(object.get({0, 1}).stays_public);
}

BOOST_AUTO_TEST_CASE(server_of_unknown_address_counts_as_public) {
  BOOST_TEST(object.follow("https://host/x", {302, {{"location", "https://other/"}}, ""}));
  BOOST_TEST(object.get({0, 1}).stays_public);
  BOOST_CHECK_EXCEPTION(object.follow("https://host/x", {302, {{"location", "https://10.0.0.1/"}}, ""}),
                        Error, mentions("10.0.0.1 is on this machine or in a private network"));
}

BOOST_AUTO_TEST_CASE(private_redirect_may_leave_but_not_return) {
  BOOST_TEST(object.follow("https://host/x", {302, {{"location", "https://10.0.0.2/y"}}, "10.0.0.1"}));
  BOOST_TEST(object.get({0, 1}).url == "https://10.0.0.2/y");
  BOOST_TEST(!object.get({0, 1}).stays_public);
  BOOST_TEST(object.follow("https://10.0.0.2/y", {302, {{"location", "https://cdn/z"}}, "10.0.0.2"}));
  BOOST_TEST(!object.get({0, 1}).stays_public);
  BOOST_CHECK_EXCEPTION(
      object.follow("https://cdn/z", {302, {{"location", "https://10.0.0.1/"}}, "93.184.216.34"}), Error,
      mentions("10.0.0.1"));
}

BOOST_AUTO_TEST_CASE(an_error_code_is_a_word) {
  BOOST_TEST(error_code_of("<Error><Code>AccessDenied</Code></Error>") == "AccessDenied");
  BOOST_TEST(error_code_of("<Code>a\nb</Code>").empty());
  BOOST_TEST(error_code_of("<Code>open").empty());
}

BOOST_AUTO_TEST_SUITE_END()
