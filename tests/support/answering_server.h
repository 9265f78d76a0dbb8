// An HTTP server on this machine with replies chosen by the test.
#pragma once

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <charconv>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace plainfs {

class AnsweringServer {
 public:
  // Returns the whole reply to the head of a request. Called on the server's thread. "" = never reply.
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
    for (const pollfd& peer : peers_)
      if (peer.fd >= 0) ::close(peer.fd);
  }
  AnsweringServer(const AnsweringServer&) = delete;
  AnsweringServer& operator=(const AnsweringServer&) = delete;

  static std::string reply(const std::string& status, const std::string& fields, const std::string& body) {
    return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n{}\r\n{}", status, body.size(), fields, body);
  }
  // Returns the part of `content` that a range request asks for.
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
  // Connections stay open, for any number of requests.
  void serve() {
    for (;;) {
      ::poll(peers_.data(), peers_.size(), -1);
      for (size_t i = peers_.size(); i-- > 1;)
        if (peers_[i].revents != 0) hear(i);
      if (peers_.front().revents == 0) continue;
      const int peer = ::accept(socket_, nullptr, nullptr);
      if (peer < 0) return;
      peers_.push_back({peer, POLLIN, 0});
      heard_.emplace_back();
    }
  }
  void hear(size_t i) {
    char bytes[4096];
    const ssize_t got = ::recv(peers_[i].fd, bytes, sizeof bytes, 0);
    if (got <= 0) {
      ::close(peers_[i].fd);
      peers_[i].fd = -1;  // poll() ignores it
      return;
    }
    heard_[i].append(bytes, static_cast<size_t>(got));
    if (heard_[i].find("\r\n\r\n") == std::string::npos) return;
    ++requests;
    const std::string answered = answer_(std::exchange(heard_[i], ""));
    for (size_t sent = 0; sent < answered.size();) {
      const ssize_t put = ::send(peers_[i].fd, answered.data() + sent, answered.size() - sent, MSG_NOSIGNAL);
      if (put <= 0) return;
      sent += static_cast<size_t>(put);
    }
  }

  const Answer answer_;
  const int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // Owned by the thread until it ends. The first is the server's own socket.
  std::vector<pollfd> peers_{{socket_, POLLIN, 0}};
  std::vector<std::string> heard_{""};  // input of each peer since its last reply
  std::future<void> thread_;
};

}  // namespace plainfs
