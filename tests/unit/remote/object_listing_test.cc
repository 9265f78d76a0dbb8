#include "formats/core/remote/object_listing.h"
#include "formats/core/remote/s3_origin.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <future>
#include <thread>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "tests/support/answering_server.h"
#include "tests/support/mentions.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

struct ListServer : AnsweringServer {
  // Answers every request with the same list, and not at all if `body` is empty.
  explicit ListServer(const std::string& body)
      : AnsweringServer(
            [body](const std::string&) { return body.empty() ? "" : reply("200 OK", "", body); }) {}
};

struct Asker : Request {
  std::atomic<bool> is_gone{false};
  bool cancelled() const override { return is_gone; }
};

struct Fixture {
  RemoteCounters counters;
  HttpClient client{counters};
  std::unique_ptr<RemoteListing> listing(const ListServer& server) {
    RemoteOptions options;
    options.no_sign = true;
    options.endpoint = server.url;
    const auto nothing = [](const std::string&) { return std::string(); };
    return object_listing("s3://bucket/x",
                          std::make_shared<S3Origin>("s3://bucket/x", options, nothing, client), client);
  }
};

constexpr auto kLong = std::chrono::seconds(20);

}  // namespace

BOOST_FIXTURE_TEST_SUITE(s3_lists, Fixture)

BOOST_AUTO_TEST_CASE(restarted_list_is_an_error) {
  const ListServer server(
      "<ListBucketResult><IsTruncated>true</IsTruncated>"
      "<NextContinuationToken>t</NextContinuationToken></ListBucketResult>");
  Asker requester;
  auto listed = std::async(std::launch::async, [&] {
    const Request::Scope scope(&requester);
    listing(server)->list("s3://bucket/x");
  });
  const bool is_ended = listed.wait_for(kLong) == std::future_status::ready;
  requester.is_gone = true;
  BOOST_REQUIRE(is_ended);
  BOOST_CHECK_EXCEPTION(listed.get(), Error, mentions("repeats a page"));
}

BOOST_AUTO_TEST_CASE(list_with_unrequested_entries_is_an_error) {
  const auto contents = [](const std::string& key) {
    return "<Contents><Key>" + key + "</Key><Size>1</Size></Contents>";
  };
  const auto folder = [](const std::string& prefix) {
    return "<CommonPrefixes><Prefix>" + prefix + "</Prefix></CommonPrefixes>";
  };
  const std::string more = "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>";
  const auto list_of = [&](const std::string& body) {
    const ListServer server("<ListBucketResult>" + body + "</ListBucketResult>");
    return listing(server)->list("s3://bucket/x");
  };
  BOOST_TEST(list_of(contents("x/a") + contents("x/b/c")).size() == 2U);
  for (const std::string key : {"y/secret", "xy", "x", ""}) {
    BOOST_CHECK_EXCEPTION(list_of(contents("x/a") + contents(key)), Error,
                          mentions("expected objects in x/"));
    BOOST_CHECK_EXCEPTION(list_of(contents(key) + more), Error, mentions("expected objects in x/"));
  }
  // The whole store does not fit into one page here, so each folder is requested.
  BOOST_CHECK_EXCEPTION(list_of(contents("x/a/b") + more), Error,
                        mentions("has x/a/b, expected objects directly in x/"));
  for (const std::string prefix : {"x/a", "x/a/b/", "x/"})
    BOOST_CHECK_EXCEPTION(list_of(folder(prefix)), Error, mentions("as a folder in x/"));
  BOOST_CHECK_EXCEPTION(list_of(folder("y/z/")), Error, mentions("has y/z/, expected objects in x/"));
}

BOOST_AUTO_TEST_CASE(too_large_folder_page_is_an_error) {
  const ListServer server("<ListBucketResult>" + std::string(17 << 20, ' ') + "</ListBucketResult>");
  BOOST_CHECK_EXCEPTION(listing(server)->list("s3://bucket/x"), Error,
                        mentions("longer than 16777216 bytes"));
}

BOOST_AUTO_TEST_CASE(unneeded_or_interrupted_list_is_not_waited_for) {
  const ListServer server("");
  const auto some = listing(server);
  Asker first, second;
  const auto list_for = [&some](const Asker& requester) {
    return std::async(std::launch::async, [&] {
      const Request::Scope scope(&requester);
      some->list("s3://bucket/x");
    });
  };
  auto slow = list_for(first);
  while (counters.requests.load() == 0) std::this_thread::yield();
  auto other = std::async(std::launch::async, [&] { return some->known("s3://bucket/x/y").has_value(); });
  auto waiting = list_for(second);
  second.is_gone = true;
  const bool is_answered = other.wait_for(kLong) == std::future_status::ready;
  const bool is_ended = waiting.wait_for(kLong) == std::future_status::ready;
  first.is_gone = true;
  BOOST_TEST(is_answered);
  BOOST_TEST(is_ended);
  BOOST_CHECK_THROW(slow.get(), Cancelled);
  BOOST_CHECK_THROW(waiting.get(), Cancelled);
  BOOST_TEST(!other.get());
}

BOOST_AUTO_TEST_SUITE_END()
