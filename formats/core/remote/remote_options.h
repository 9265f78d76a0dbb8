// What is said on the command line of stores elsewhere, and what is counted of reading them. No secret is
// among the options but the query of a URL that is its own key, and that is shown nowhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace plainfs {

struct RemoteOptions {
  std::string query;                          // of the URL, without the "?"; goes with every request
  bool no_sign = false;                       // -o no_sign: requests to S3 carry no signature
  std::string endpoint;                       // -o endpoint=URL: of an S3 service that is not AWS's
  std::string region;                         // -o region=NAME
  std::string cache_folder;                   // -o remote_cache=DIR[:BYTES]; "" = nothing is kept on a disk
  uint64_t cache_bytes = uint64_t{10} << 30;  // of the same option
  uint64_t patience_seconds = 120;            // -o remote_timeout=SECONDS: how long a request is made again
};

// Sums, with relaxed atomics: nothing is decided by them.
struct RemoteCounters {
  // Told once when a server stops to answer and once when it answers again, for the log; from any thread. Set
  // before anything is asked; null: it is not told.
  std::function<void(const std::string& line)> tell;
  std::atomic<bool> is_waiting{false};  // requests are made again, and none was answered since
  std::atomic<uint64_t> requests{0};    // retries included
  std::atomic<uint64_t> retries{0};
  std::atomic<uint64_t> bytes_fetched{0};
};

}  // namespace plainfs
