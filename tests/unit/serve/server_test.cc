#include "fs/serve/http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <numeric>

#include "fs/serve/http/listening.h"
#include "tests/unit/serve/served.h"

namespace plainfs::serve {
namespace {

const std::string kSmall = "GET /token/a.csv HTTP/1.1\r\nHost: h.localhost\r\n\r\n";

class Socket {
 public:
  explicit Socket(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    const timeval patience{20, 0};
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  void send(std::string_view text) const {
    BOOST_REQUIRE(::send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL) ==
                  static_cast<ssize_t>(text.size()));
  }
  // Returns one reply with its length.
  Answer answer() const {
    std::string text;
    while (text.find("\r\n\r\n") == std::string::npos) more(text);
    const size_t head = text.find("\r\n\r\n") + 4;
    const std::string length = parse_answer(text).field("Content-Length");
    BOOST_REQUIRE(!length.empty());
    while (text.size() < head + std::stoul(length)) more(text);
    return parse_answer(text);
  }
  // Reads to the end. Returns whether the connection was broken.
  bool ends_broken(std::string& text) const {
    char bytes[65536];
    for (;;) {
      const ssize_t got = ::recv(socket_.number(), bytes, sizeof bytes, 0);
      if (got <= 0) return got < 0;
      text.append(bytes, static_cast<size_t>(got));
    }
  }
  // Returns whether there are bytes, or the end.
  bool has_something() const {
    pollfd reading{socket_.number(), POLLIN, 0};
    return ::poll(&reading, 1, 0) == 1;
  }

 private:
  void more(std::string& text) const {
    char bytes[65536];
    const ssize_t got = ::recv(socket_.number(), bytes, sizeof bytes, 0);
    BOOST_REQUIRE_MESSAGE(got > 0, "the connection ended: " + text);
    text.append(bytes, static_cast<size_t>(got));
  }

  Descriptor socket_;
};

struct Running : Served {
  Running() { settings.hosts = HostNames({"h.localhost"}); }
  void start(ServerSettings how = {}) {
    std::vector<Descriptor> listening;
    listening.push_back(listen_at(address));
    server.emplace(std::move(listening), answers().handler(), how);
  }
  Socket connect() const { return Socket(address.port); }
  template <class Condition>
  static bool wait_until(const Condition& condition) {
    for (int i = 0; i < 2000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  ListenAddress address;
  std::optional<Server> server;
};

BOOST_FIXTURE_TEST_SUITE(server, Running)

BOOST_AUTO_TEST_CASE(one_connection_takes_many_requests) {
  root->add_array("a", {1, 2});
  start();
  const Socket client = connect();
  for (int i = 0; i < 100; ++i) {
    client.send(kSmall);
    BOOST_TEST(client.answer().body == "1\n2\n");
  }
  BOOST_TEST(wait_until([&] { return server->answered() == 100U; }));
  BOOST_TEST(server->connections() == 1U);
}

BOOST_AUTO_TEST_CASE(pipelined_requests_are_answered_in_order) {
  root->add_array("a", {1, 2});
  start();
  const Socket client = connect();
  client.send(kSmall + "GET /token/none HTTP/1.0\r\nHost: h.localhost\r\n\r\n");
  std::string text;
  BOOST_TEST(!client.ends_broken(text));
  BOOST_TEST(text.find("200 OK") < text.find("1\n2\n"));
  BOOST_TEST(text.find("1\n2\n") < text.find("404 Not Found"));
}

BOOST_AUTO_TEST_CASE(invalid_request_is_answered_and_ends_the_connection) {
  root->add_array("a", {1});
  start();
  const Socket client = connect();
  client.send("nonsense\r\n\r\n" + std::string(100'000, 'x'));
  std::string text;
  BOOST_TEST(!client.ends_broken(text));
  BOOST_TEST(text.find("HTTP/1.1 400 ") == 0U);
  BOOST_TEST(text.find("Connection: close") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(slow_sender_is_not_waited_for) {
  root->add_array("a", {1});
  ServerSettings how;
  how.patience.request = 100;
  start(how);
  const Socket client = connect();
  client.send("GET /token/a.csv HT");
  std::string text;
  client.ends_broken(text);
  BOOST_TEST(text.find("HTTP/1.1 408 ") == 0U);
}

BOOST_AUTO_TEST_CASE(idle_connection_is_closed) {
  root->add_array("a", {1});
  ServerSettings how;
  how.patience.between_requests = 100;
  start(how);
  const Socket client = connect();
  client.send(kSmall);
  client.answer();
  std::string text;
  BOOST_TEST(!client.ends_broken(text));
  BOOST_TEST(text == "");
  BOOST_TEST(wait_until([&] { return server->connections() == 0; }));
}

BOOST_AUTO_TEST_CASE(connection_of_a_stuck_reader_is_closed) {
  root->add_array("a", std::vector<int32_t>(20'000'000));
  ServerSettings how;
  how.patience.reading = 200;
  start(how);
  const Socket client = connect();
  client.send("GET /token/a.npy HTTP/1.1\r\nHost: h.localhost\r\n\r\n");
  BOOST_TEST(wait_until([&] { return client.has_something(); }));
  BOOST_TEST(wait_until([&] { return server->connections() == 0; }));
}

// Each is stuck in its own request, and another one is answered meanwhile.
BOOST_AUTO_TEST_CASE(stuck_clients_do_not_block_others) {
  root->add_array("a", {1}).add_array("large", std::vector<int32_t>(20'000'000));
  start();
  std::vector<Socket> stuck;
  for (int i = 0; i < 40; ++i) {
    stuck.push_back(connect());
    stuck.back().send(i % 2 == 0 ? "GET /token/large.npy HTTP/1.1\r\nHost: h.localhost\r\n\r\n"
                                 : "GET /token/a.cs");
  }
  BOOST_TEST(wait_until([&] { return server->connections() == 40; }));
  const Socket client = connect();
  client.send(kSmall);
  BOOST_TEST(client.answer().body == "1\n");
}

BOOST_AUTO_TEST_CASE(too_many_connections_give_503) {
  root->add_array("a", {1});
  ServerSettings how;
  how.max_connections = 3;
  how.waiting = 0;
  how.stuck_asking = 60'000;
  start(how);
  std::vector<Socket> busy;
  for (int i = 0; i < 3; ++i) {
    busy.push_back(connect());
    busy.back().send("GET /token/a.cs");
  }
  BOOST_TEST(wait_until([&] { return server->connections() == 3; }));
  const Socket late = connect();
  late.send(kSmall);
  const Answer refused = late.answer();
  BOOST_TEST(refused.status == 503);
  BOOST_TEST(refused.field("Retry-After") == "5");
  std::string text;
  BOOST_TEST(!late.ends_broken(text));  // it was read, not lost
  busy[0].send("v HTTP/1.1\r\nHost: h.localhost\r\n\r\n");
  BOOST_TEST(busy[0].answer().status == 200);
}

BOOST_AUTO_TEST_CASE(client_waits_for_a_connection) {
  root->add_array("a", {1});
  ServerSettings how;
  how.max_connections = 2;
  how.stuck_asking = 60'000;
  start(how);
  std::vector<Socket> busy, late;
  for (int i = 0; i < 2; ++i) {
    busy.push_back(connect());
    busy.back().send("GET /token/a.cs");
  }
  BOOST_TEST(wait_until([&] { return server->connections() == 2; }));
  for (int i = 0; i < 5; ++i) {
    late.push_back(connect());
    late.back().send(kSmall);
  }
  busy.clear();
  for (const Socket& client : late) BOOST_TEST(client.answer().body == "1\n");
}

BOOST_AUTO_TEST_CASE(long_wait_for_a_connection_ends_with_503) {
  root->add_array("a", {1});
  ServerSettings how;
  how.max_connections = 1;
  how.waiting = 100;
  how.stuck_asking = 60'000;
  start(how);
  const Socket busy = connect(), late = connect();
  busy.send("GET /token/a.cs");
  late.send(kSmall);
  BOOST_TEST(late.answer().status == 503);
}

BOOST_AUTO_TEST_CASE(idle_client_makes_room) {
  root->add_array("a", {1});
  ServerSettings how;
  how.max_connections = 2;
  start(how);
  std::vector<Socket> idle;
  for (int i = 0; i < 2; ++i) {
    idle.push_back(connect());
    idle.back().send(kSmall);
    idle.back().answer();
  }
  const auto is_answered = [&] {
    const Socket late = connect();
    late.send(kSmall);
    return late.answer().status == 200;
  };
  BOOST_TEST(wait_until(is_answered));
  // The one that has waited longest. Only the server knows which one, because its threads take turns.
  const auto has_ended = [](const Socket& socket) { return socket.has_something(); };
  const auto ended = std::find_if(idle.begin(), idle.end(), has_ended);
  BOOST_REQUIRE((ended != idle.end()));
  std::string text;
  BOOST_TEST(!ended->ends_broken(text));
  BOOST_TEST(text == "");
}

BOOST_AUTO_TEST_CASE(stuck_client_makes_room) {
  root->add_array("a", {1}).add_array("large", std::vector<int32_t>(20'000'000));
  for (const char* asked : {"GET /tok", "GET /token/large.npy HTTP/1.1\r\nHost: h.localhost\r\n\r\n"}) {
    ServerSettings how;
    how.max_connections = 2;
    how.waiting = 0;
    server.reset();
    start(how);
    std::vector<Socket> stuck;
    for (int i = 0; i < 200; ++i) {
      stuck.push_back(connect());
      stuck.back().send(asked);
    }
    const auto is_answered = [&] {
      const Socket late = connect();
      late.send(kSmall);
      return late.answer().status == 200;
    };
    BOOST_TEST(wait_until(is_answered));
  }
}

// It ends within the time of one request although one client reads nothing and others are in the middle of a
// request.
BOOST_AUTO_TEST_CASE(shutdown_waits_for_no_client) {
  root->add_array("a", {1}).add_array("large", std::vector<int32_t>(20'000'000));
  start();
  const Socket slow = connect(), half = connect(), idle = connect();
  slow.send("GET /token/large.npy HTTP/1.1\r\nHost: h.localhost\r\n\r\n");
  half.send("GET ");
  idle.send(kSmall);
  idle.answer();
  BOOST_TEST(wait_until([&] { return server->connections() == 3; }));
  const auto start = std::chrono::steady_clock::now();
  server.reset();
  BOOST_TEST((std::chrono::steady_clock::now() - start < std::chrono::seconds(5)));
  std::string text;
  slow.ends_broken(text);
  BOOST_TEST(text.size() < 80'000'000U);
}

// Returns nothing until the caller is known to have left.
class SilentArray : public Array {
 public:
  SilentArray() : Array(number_type(Kind::integer, 4), Shape{3}) {}
  Elements read(const Box&) const override {
    asked = true;
    try {
      for (;;) {
        check_cancelled();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    } catch (const Cancelled&) {
      left = true;
      throw;
    }
  }
  mutable std::atomic<bool> asked{false}, left{false};
};

BOOST_AUTO_TEST_CASE(reply_for_a_client_that_left_is_cancelled) {
  for (const char* const request :
       {"GET /token/a.npy HTTP/1.1", "GET /token/a.csv HTTP/1.1", "PROPFIND /token/ HTTP/1.1\r\nDepth: 1"}) {
    const auto array = std::make_shared<SilentArray>();
    Running running;
    running.root->add("a", {LabelledArray{array, nullptr, nullptr}, nullptr, {}, {}});
    running.start();
    {
      const Socket client = running.connect();
      client.send(request + std::string("\r\nHost: h.localhost\r\n\r\n"));
      BOOST_TEST(wait_until([&] { return array->asked.load(); }));
      BOOST_TEST(!array->left);
    }
    BOOST_TEST(wait_until([&] { return array->left.load() && running.server->connections() == 0; }), request);
  }
}

BOOST_AUTO_TEST_CASE(shutdown_cancels_replies) {
  const auto array = std::make_shared<SilentArray>();
  root->add("a", {LabelledArray{array, nullptr, nullptr}, nullptr, {}, {}});
  start();
  const Socket client = connect();
  client.send("GET /token/a.npy HTTP/1.1\r\nHost: h.localhost\r\n\r\n");
  BOOST_TEST(wait_until([&] { return array->asked.load(); }));
  server.reset();
  BOOST_TEST(array->left);
}

BOOST_AUTO_TEST_CASE(error_after_the_header_breaks_the_connection) {
  root->add("a", {LabelledArray{std::make_shared<HalfArray>(1'000'000), nullptr, nullptr}, nullptr, {}, {}});
  start();
  for (const char* const name : {"a.npy", "a.csv"}) {
    const Socket client = connect();
    client.send(std::string("GET /token/") + name + " HTTP/1.1\r\nHost: h.localhost\r\n\r\n");
    std::string text;
    BOOST_TEST(client.ends_broken(text), name);
    BOOST_TEST(text.find("HTTP/1.1 200 OK") == 0U, name);
    BOOST_TEST(text.find("\r\n0\r\n\r\n") == std::string::npos, name);
  }
  BOOST_TEST(filesystem->requests().errors.load() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
