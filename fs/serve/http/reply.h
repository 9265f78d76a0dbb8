// A reply to a client: its header, followed by a body of a declared length or in chunks. An error after the
// header breaks the connection before the end, so that the client does not take a part for the whole.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "formats/core/text/http_date.h"
#include "fs/serve/http/request.h"
#include "fs/text/view_file.h"

namespace plainfs::serve {

// The receiver of replies: a connection, or a test.
class Client {
 public:
  virtual ~Client() = default;
  // Sends all bytes. Throws Lost if the client cannot receive them any more.
  virtual void send(const Slices& bytes) = 0;
};

// Thrown if the client has left or stopped reading.
struct Lost {};
// Thrown if the reply cannot be completed. The connection must be broken off.
struct Broken {};

class Reply {
 public:
  Reply(const HttpRequest& request, Client& client) : request_(request), client_(client) {}
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  // Adds a field to the header. Requires: the header is not written yet. The value is not checked and must
  // not contain a client's text.
  void add(std::string_view name, std::string_view value);
  // Discards the reply that was prepared. Requires: !has_begun().
  void start_again();

  // Sends a whole reply, or only its header for HEAD. Text is compressed with gzip if the client accepts it.
  void whole(int status, std::string_view type, std::string_view body);
  // Writes the header. Then write() all `length` bytes and call finish().
  void begin(int status, uint64_t length);
  // Writes the header of a reply of unknown length. Requires: can_be_chunked().
  void begin_chunked(int status);
  void write(const Slices& bytes);
  void write(std::string_view text);
  void finish();

  // Returns whether the reply may be sent in chunks. HTTP/1.0 has no chunks, and its clients take a truncated
  // reply for a whole one.
  bool can_be_chunked() const { return request_.is_1_1; }
  // Returns whether a part of the reply was sent.
  bool has_begun() const { return has_begun_; }
  bool is_head() const { return request_.is_head(); }
  const std::string& target() const { return request_.target; }
  // Ends the connection after this reply.
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
  std::string held_;  // not sent yet: goes out with the next bytes
  bool has_header_ = false;
  bool has_begun_ = false;
  bool is_chunked_ = false;
  bool closes_ = false;
  int status_ = 0;
  uint64_t left_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace plainfs::serve
