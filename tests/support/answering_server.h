// A server of HTTP on this machine that answers as a test says.
#pragma once

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <charconv>
#include <functional>
#include <future>
#include <string>
#include <vector>

namespace plainfs {

class AnsweringServer {
 public:
  // Of the head of a request the whole reply, from the server's thread; "" = none ever comes.
  using Answer = std::function<std::string(const std::string& request)>;

  explicit AnsweringServer(Answer answer) : answer_(std::move(answer)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    BOOST_REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    BOOST_REQUIRE(::listen(socket_, 16) == 0);
    BOOST_REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    url = fmt::format("http://127.0.0.1:{}", ntohs(address.sin_port));
    thread_ = std::async(std::launch::async, [this] { serve(); });
  }
  ~AnsweringServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.wait();
    ::close(socket_);
    for (const int peer : unanswered_) ::close(peer);
  }
  AnsweringServer(const AnsweringServer&) = delete;
  AnsweringServer& operator=(const AnsweringServer&) = delete;

  static std::string reply(const std::string& status, const std::string& fields, const std::string& body) {
    return fmt::format("HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n{}", status,
                       body.size(), fields, body);
  }
  // What a range of content is, for a request that asks for one.
  static std::string part_of(const std::string& content, const std::string& request) {
    const size_t at = request.find("bytes=") + 6, dash = request.find('-', at);
    const auto number = [&](size_t from) {
      size_t value = 0;
      std::from_chars(request.data() + from, request.data() + request.size(), value);
      return value;
    };
    const size_t first = number(at), end = std::min(content.size(), number(dash + 1) + 1);
    return reply(
        "206 Partial Content",
        fmt::format("ETag: \"v1\"\r\nContent-Range: bytes {}-{}/{}\r\n", first, end - 1, content.size()),
        content.substr(first, end - first));
  }

  std::string url;
  std::atomic<int> requests{0};

 private:
  void serve() {
    for (int peer = -1; (peer = ::accept(socket_, nullptr, nullptr)) >= 0;) {
      std::string request;
      char bytes[4096];
      ssize_t got = 0;
      while (request.find("\r\n\r\n") == request.npos && (got = ::recv(peer, bytes, sizeof bytes, 0)) > 0)
        request.append(bytes, static_cast<size_t>(got));
      ++requests;
      const std::string answered = answer_(request);
      if (answered.empty()) {
        unanswered_.push_back(peer);
        continue;
      }
      ::send(peer, answered.data(), answered.size(), MSG_NOSIGNAL);
      ::shutdown(peer, SHUT_RDWR);
      ::close(peer);
    }
  }

  const Answer answer_;
  const int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::vector<int> unanswered_;  // the thread's until it ends
  std::future<void> thread_;
};

}  // namespace plainfs
