#include "formats/core/remote/block_pool.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <future>
#include <random>
#include <thread>

#include "cache/request.h"
#include "tests/support/answering_server.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

// Objects of a test server. "/keyless" waits until keys arrive.
struct KeyedOrigin : Origin {
  explicit KeyedOrigin(std::string where) : url(std::move(where)) {}

  std::string address(const std::string& location) const override { return url + location; }
  HttpRequest get(const std::string& location, std::vector<std::string> fields) override {
    if (location == "/keyless") {
      ++waiting;
      while (!has_keys()) {
        check_cancelled();
        std::this_thread::yield();
      }
    }
    HttpRequest request;
    request.url = url + location;
    request.fields = std::move(fields);
    return request;
  }
  bool has_keys() override { return keys_exist; }
  bool follows_redirects() const override { return false; }
  bool learn_from(const HttpHead&, const std::string&) override { return false; }

  const std::string url;
  std::atomic<int> waiting{0};
  std::atomic<bool> keys_exist{false};
};

struct Asker : Request {
  std::atomic<bool> is_gone{false};
  bool cancelled() const override { return is_gone; }
};

std::string some_bytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 256);
  return bytes;
}

constexpr auto kLong = std::chrono::seconds(10);

struct Fixture {
  const std::string content = some_bytes(5 * kBlockBytes + 100);
  AnsweringServer server{
      [this](const std::string& request) { return AnsweringServer::part_of(content, request); }};
  RemoteCounters counters;
  ByteCache cache{1 << 20};  // no block stays for long
  std::shared_ptr<KeyedOrigin> origin = std::make_shared<KeyedOrigin>(server.url);
  BlockPool pool{std::make_shared<HttpClient>(counters), cache};
  PooledObject keyless = object_at("/keyless"), other = object_at("/other");

  PooledObject object_at(const std::string& location) {
    const Version version{content.size(), "\"v1\"", ""};
    return {pool.new_object(),
            std::make_shared<RemoteObject>(origin, location, version),
            content.size(),
            nullptr,
            false,
            ReadAhead(pool.max_ahead())};
  }
  bool reads(PooledObject& from, uint64_t offset, size_t size) {
    Bytes out(size);
    pool.read(from, offset, out);
    return std::memcmp(out.data(), content.data() + offset, size) == 0;
  }
  std::future<bool> reading(PooledObject& from, uint64_t offset, size_t size, const Asker& requester) {
    return std::async(std::launch::async, [=, this, &from, &requester] {
      const Request::Scope scope(&requester);
      return reads(from, offset, size);
    });
  }
};

template <class T>
bool ends(const std::future<T>& what) {
  return what.wait_for(kLong) == std::future_status::ready;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(block_pool, Fixture)

BOOST_AUTO_TEST_CASE(bytes_match_the_object_across_block_ends) {
  origin->keys_exist = true;
  BOOST_TEST(reads(other, 0, 10));
  BOOST_TEST(reads(other, kBlockBytes - 5, 10));
  BOOST_TEST(reads(other, content.size() - 7, 7));
  BOOST_TEST(reads(other, 0, content.size()));
}

BOOST_AUTO_TEST_CASE(missing_keys_do_not_block_anonymous_reads) {
  BOOST_TEST(reads(other, 0, 10));
  Asker waits, asks;
  auto waiting = reading(keyless, 0, 10, waits);
  while (origin->waiting == 0) std::this_thread::yield();
  auto of_memory = reading(other, 5, 10, asks);
  const bool is_of_memory = ends(of_memory);
  auto of_server = reading(other, 3 * kBlockBytes, 10, asks);
  const bool is_of_server = ends(of_server);
  // Read-ahead waits until there are keys.
  auto ahead = std::async(std::launch::async, [this, &asks] {
    const Request::Scope scope(&asks);
    pool.fetch(keyless, {{4, 5}});
  });
  const bool is_returned = ends(ahead);
  waits.is_gone = asks.is_gone = true;
  BOOST_REQUIRE(is_of_memory);
  BOOST_REQUIRE(is_of_server);
  BOOST_REQUIRE(is_returned);
  BOOST_TEST(of_memory.get());
  BOOST_TEST(of_server.get());
  BOOST_CHECK_THROW(waiting.get(), Cancelled);
  BOOST_TEST(origin->waiting == 1);
}

BOOST_AUTO_TEST_CASE(interrupted_key_request_leaves_the_next_one_going) {
  Asker first, second, third;
  auto asking = reading(keyless, 0, 10, first);
  while (origin->waiting == 0) std::this_thread::yield();
  auto waiting = reading(keyless, 0, 10, second);
  second.is_gone = true;
  const bool is_ended = ends(waiting);
  auto next = reading(keyless, 20, 10, third);
  first.is_gone = true;
  BOOST_CHECK_THROW(asking.get(), Cancelled);
  while (is_ended && origin->waiting < 2) std::this_thread::yield();
  origin->keys_exist = true;
  BOOST_REQUIRE(is_ended);
  BOOST_CHECK_THROW(waiting.get(), Cancelled);
  BOOST_REQUIRE(ends(next));
  BOOST_TEST(next.get());
}

// Like threads that read a large array, a part each, at places inside of blocks. The cache has room for a
// fraction of their read-ahead. Nothing is fetched twice, neither blocks read by another thread nor blocks
// still to be read.
BOOST_AUTO_TEST_CASE(readers_of_parts_fetch_each_block_once) {
  constexpr uint64_t kReaders = 6, kStep = 20'000, kPart = 120 * kStep;
  const std::string large = some_bytes(kReaders * kPart);
  AnsweringServer of_large{
      [&](const std::string& request) { return AnsweringServer::part_of(large, request); }};
  auto its_origin = std::make_shared<KeyedOrigin>(of_large.url);
  its_origin->keys_exist = true;
  const Version version{large.size(), "\"v1\"", ""};
  PooledObject object{pool.new_object(),
                      std::make_shared<RemoteObject>(its_origin, "/large", version),
                      large.size(),
                      nullptr,
                      false,
                      ReadAhead(pool.max_ahead())};
  Bytes out(kStep);
  for (uint64_t at = 0; at < kPart; at += kStep) {
    for (uint64_t reader = 0; reader < kReaders; ++reader) {
      const uint64_t offset = reader * kPart + at;
      pool.read(object, offset, out);
      BOOST_TEST_REQUIRE(std::memcmp(out.data(), large.data() + offset, kStep) == 0);
    }
  }
  // Except for a block that two parts share, if the second reader comes late.
  BOOST_TEST(counters.bytes_fetched <= large.size() + kReaders * kBlockBytes);
}

// For the thread sanitizer: keys appear and expire, readers are interrupted, objects are forgotten.
BOOST_AUTO_TEST_CASE(many_readers_of_a_few_objects_get_their_bytes) {
  constexpr int kReaders = 6, kReads = 150;
  origin->keys_exist = true;
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0};
  const auto read_for = [&](unsigned seed) {
    std::minstd_rand random(seed);
    PooledObject own = object_at("/own");
    for (int i = 0; i < kReads; ++i) {
      const uint64_t offset = random() % content.size();
      const size_t size = 1 + random() % std::min<size_t>(content.size() - offset, 3 * kBlockBytes);
      PooledObject* const objects[] = {&keyless, &other, &own};
      Asker requester;
      requester.is_gone = random() % 16 == 0;
      const Request::Scope scope(&requester);
      try {
        if (!reads(*objects[random() % 3], offset, size)) ++wrong;
        if (i % 8 == 0) pool.fetch(own, {{0, 2}});
      } catch (const Cancelled&) {
        if (!requester.is_gone) ++wrong;
      }
    }
    pool.forget(own);
  };
  std::vector<std::future<void>> readers;
  for (unsigned seed = 1; seed <= kReaders; ++seed)
    readers.push_back(std::async(std::launch::async, read_for, seed));
  auto keys = std::async(std::launch::async, [&] {
    for (; !is_over; std::this_thread::yield()) origin->keys_exist = !origin->keys_exist;
  });
  for (auto& reader : readers) reader.wait();
  is_over = true;
  for (auto& reader : readers) BOOST_CHECK_NO_THROW(reader.get());
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
