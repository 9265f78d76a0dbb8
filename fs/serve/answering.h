// The answers to requests: files with their ranges, folders as pages or JSON, and the part of WebDAV that
// reading requires. Knows nothing of sockets.
#pragma once

#include <memory>
#include <optional>

#include "fs/serve/http/handler.h"
#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

// Answers requests for a site. Thread-safe. Long operations throw Cancelled if the calling thread's Request
// is cancelled.
class Answering {
 public:
  // site must outlive this.
  Answering(const Site& site, AnswerSettings settings);
  ~Answering();

  // Answers `request`. Returns whether the connection may be reused. Throws Lost if the client has left, and
  // Broken if the connection must be broken off.
  bool answer(const HttpRequest& request, Client& client) const;
  // Replies to input that is not a valid request. The connection ends afterwards.
  void refuse(int status, Client& client) const;
  // Returns both functions for a server. Must not outlive this.
  Handler handler() const;

 private:
  void answer_guarded(const HttpRequest& request, Reply& reply) const;
  void dispatch(const HttpRequest& request, Reply& reply) const;
  void answer_place(const Exchange& exchange) const;
  void answer_nothing(const Exchange& exchange) const;
  void answer_found(const Exchange& exchange, const Site::Place& place) const;
  void add_common(const HttpRequest& request, Reply& reply) const;
  void log(const HttpRequest& request, const Reply& reply) const;

  const Site& site_;
  const AnswerSettings settings_;
  const EntityTags tags_;
  const std::unique_ptr<PageState> pages_;  // thread-safe
};

}  // namespace plainfs::serve
