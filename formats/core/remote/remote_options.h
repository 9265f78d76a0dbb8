// Options for remote stores, and the counters of reading them. The options contain no secret except the query
// of a URL that is its own key. That query is never shown.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace plainfs {

struct RemoteOptions {
  std::string query;                          // of the URL, without the "?"; sent with every request
  bool no_sign = false;                       // -o no_sign: requests to object services carry no signature
  std::string endpoint;                       // -o endpoint=URL: of a service other than the default
  std::string region;                         // -o region=NAME
  bool forbidden_is_absent = false;           // -o missing=403: an object for which the server answers 403
  std::string header_file;                    // -o header_file=FILE: header fields for hosts (host_fields.h)
  std::string cache_folder;                   // -o remote_cache=DIR[:BYTES]; "" = keep nothing on disk
  uint64_t cache_bytes = uint64_t{10} << 30;  // from the same option
  uint64_t patience_seconds = 120;            // -o remote_timeout=SECONDS: how long to retry a request
};

// Counters with relaxed atomics. No decision depends on them.
struct RemoteCounters {
  // Logs a line once when a server stops answering and once when it answers again. Called from any thread.
  // Set it before the first request; null: nothing is logged.
  std::function<void(const std::string& line)> log;
  std::atomic<bool> is_waiting{false};  // requests are being repeated, and none was answered since
  std::atomic<uint64_t> requests{0};    // retries included
  std::atomic<uint64_t> retries{0};
  std::atomic<uint64_t> bytes_fetched{0};
};

}  // namespace plainfs
