// A reply as it goes out: its header, and then so many bytes as were told, or pieces until there are no more.
// What goes wrong after the header is shown by a connection that breaks before the end, so that a part is
// not taken for the whole.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "fs/serve/request.h"
#include "fs/text/view_file.h"

namespace plainfs::serve {

// Where replies go: a connection, or a test.
class Client {
 public:
  virtual ~Client() = default;
  // All of it. Throws Lost where it cannot be sent any more.
  virtual void send(const Slices& bytes) = 0;
};

// The client left, or reads nothing.
struct Lost {};
// The reply cannot be ended as it was begun: the connection is to be broken.
struct Broken {};

class Reply {
 public:
  Reply(const HttpRequest& request, Client& client) : request_(request), client_(client) {}
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  // Fields of the header, before it begins. The value is not looked at: no line of a client's goes here.
  void add(std::string_view name, std::string_view value);
  // Another reply than the one that was prepared. Requires: !has_begun().
  void start_again();

  // A whole reply; of HEAD its header alone. A text goes out as gzip to a client that accepts it.
  void whole(int status, std::string_view type, std::string_view body);
  // The header. Then write() in all length bytes, and finish().
  void begin(int status, uint64_t length);
  // The same where the length is not known. Requires: can_be_chunked().
  void begin_chunked(int status);
  void write(const Slices& bytes);
  void write(std::string_view text);
  void finish();

  // HTTP/1.0 has no pieces, and takes what was cut for what is whole.
  bool can_be_chunked() const { return request_.is_1_1; }
  // Whether a part of the reply was sent.
  bool has_begun() const { return has_begun_; }
  bool is_head() const { return request_.is_head(); }
  const std::string& target() const { return request_.target; }
  // The connection ends with this reply.
  void close() { closes_ = true; }
  bool closes() const { return closes_ || !request_.keep_alive; }
  // For the log.
  int status() const { return status_; }
  uint64_t bytes() const { return bytes_; }

 private:
  void begin_header(int status);
  void flush();

  const HttpRequest& request_;
  Client& client_;
  std::string fields_;
  std::string held_;  // not sent yet: goes out with what comes next
  bool has_header_ = false;
  bool has_begun_ = false;
  bool is_chunked_ = false;
  bool closes_ = false;
  int status_ = 0;
  uint64_t left_ = 0;
  uint64_t bytes_ = 0;
};

// "Wed, 25 Nov 2026 10:00:00 GMT"
std::string http_date(time_t seconds);

}  // namespace plainfs::serve
