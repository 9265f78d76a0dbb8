#include "formats/core/remote/http_client.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "formats/core/remote/range_fetch.h"
#include "tests/support/answering_server.h"
#include "tests/support/mentions.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

// An origin with requests redirected from a public server.
struct RedirectedOrigin : Origin {
  std::string address(const std::string& location) const override { return location; }
  HttpRequest get(const std::string& location, std::vector<std::string> fields) override {
    HttpRequest request;
    request.url = location;
    request.fields = std::move(fields);
    request.stays_public = true;
    return request;
  }
  bool follows_redirects() const override { return true; }
  bool learn_from(const HttpHead&, const std::string&) override { return false; }
};

struct Fixture {
  Fixture() {
    for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);
  }
  AnsweringServer server{
      [](const std::string& request) { return AnsweringServer::part_of("0123456789", request); }};
  RemoteCounters counters;
  HttpClient client{counters};

  HttpReply ask(const std::string& url, bool stays_public) {
    HttpRequest request;
    request.url = url;
    request.fields = {"Range: bytes=0-9"};
    request.stays_public = stays_public;
    return client.ask(std::move(request), 100);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(http_client, Fixture)

BOOST_AUTO_TEST_CASE(reply_holds_the_address_of_its_server) {
  const HttpReply reply = ask(server.url, false);
  BOOST_TEST(reply.failure == "");
  BOOST_TEST(reply.body == "0123456789");
  BOOST_TEST(reply.head.peer == "127.0.0.1");
}

BOOST_AUTO_TEST_CASE(public_request_makes_no_private_connection) {
  const std::string port = server.url.substr(server.url.rfind(':'));
  for (const std::string host : {"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"}) {
    const HttpReply reply = ask("http://" + host + port, true);
    BOOST_TEST(reply.head.status == 0);
    BOOST_TEST(reply.failure.starts_with("a redirect to " + host + " is not followed: "), reply.failure);
  }
  BOOST_TEST(server.requests == 0);
}

BOOST_AUTO_TEST_CASE(public_request_reuses_no_private_connection) {
  BOOST_TEST(ask(server.url, false).body == "0123456789");
  const HttpReply reply = ask(server.url, true);
  BOOST_TEST(reply.head.status == 0);
  BOOST_TEST(reply.body == "");
  BOOST_TEST(reply.failure.starts_with("a redirect to 127.0.0.1 is not followed: 127.0.0.1 is on"));
}

BOOST_AUTO_TEST_CASE(refused_redirect_is_not_retried) {
  const auto object = std::make_shared<RemoteObject>(std::make_shared<RedirectedOrigin>(), server.url + "/x");
  const auto fetch = std::make_shared<RangeFetch>(object, ByteRange{0, 10}, client);
  BOOST_CHECK_EXCEPTION(fetch->wait_for_all(), Error, [&](const Error& error) {
    return error.code() == Errc::unsupported && mentions(server.url + "/x: a redirect to 127.0.0.1")(error);
  });
  BOOST_TEST(counters.requests.load() == 1U);
  BOOST_TEST(counters.retries.load() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
