// What is answered to each request: files with their ranges, folders as pages or JSON, and the part of WebDAV
// that reading takes. Knows no sockets.
#pragma once

#include <optional>

#include "fs/serve/asked.h"

namespace plainfs::serve {

// Thread-safe. What takes long ends with Cancelled where the calling thread's Request is cancelled.
class Answering {
 public:
  // site outlives this.
  Answering(const Site& site, AnswerSettings settings);

  // Whether the connection may be used again. Throws Lost, and Broken where it is to be broken.
  bool answer(const HttpRequest& request, Client& client) const;
  // The reply to what could not be read as a request, after which the connection ends.
  void refuse(int status, Client& client) const;

 private:
  void answer_guarded(const HttpRequest& request, Reply& reply) const;
  void dispatch(const HttpRequest& request, Reply& reply) const;
  void answer_place(const Asked& asked) const;
  void answer_nothing(const Asked& asked) const;
  void answer_found(const Asked& asked, const Site::Place& place) const;
  void add_common(const HttpRequest& request, Reply& reply) const;
  void log(const HttpRequest& request, const Reply& reply) const;

  const Site& site_;
  const AnswerSettings settings_;
  const EntityTags tags_;
  mutable KeptCells cells_;  // thread-safe
};

}  // namespace plainfs::serve
