// One object of a server: how it is asked for, and what its replies must say. The first reply fixes which
// version of it is read; every later request names that version, and a reply of another one is an error.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "formats/core/base/file.h"
#include "formats/core/remote/origin.h"

namespace plainfs::remote {

struct Version {
  uint64_t size = 0;
  std::string etag;           // with its quotes; "" = none
  std::string last_modified;  // as the server wrote it; "" = none
};

// What is to be done after a reply.
struct Verdict {
  enum Kind { take, again, redirect, refused, fail };
  Kind kind = fail;
  std::optional<Error> error;        // what is wrong, where nothing better comes of it
  std::chrono::milliseconds wait{};  // again: before that, where the server says so
  bool is_refused = false;           // again: no server listens there
};

// No object is larger: sizes and offsets of files are signed.
inline constexpr uint64_t kLargestObject = INT64_MAX;

// Thread-safe.
class RemoteObject {
 public:
  RemoteObject(std::shared_ptr<Origin> origin, std::string location);
  // Of a version that a listing told.
  RemoteObject(std::shared_ptr<Origin> origin, std::string location, Version version);

  const std::string& location() const { return location_; }
  // Whether get() returns at once; else keys are asked for first.
  bool has_keys() const { return origin_->has_keys(); }
  // The version that an earlier session saw: the first request asks whether it is that still, and then for
  // nothing more. Before that request. Requires: its ETag is strong.
  void expect(Version version);
  // What was settled by the first reply, or by a listing.
  std::optional<Version> version() const;
  bool is_absent() const { return is_absent_.load(std::memory_order_relaxed); }
  // Returns whether a folder may have this name: the object cannot be had, by anyone or by these keys, or the
  // reply is without a version, as the page of a folder is.
  bool may_be_folder() const { return may_be_folder_.load(std::memory_order_relaxed); }
  // Returns the size of an object that the server sent whole although a part was asked for; 0 if it did not,
  // or did not state the size.
  uint64_t size_without_ranges() const { return size_without_ranges_.load(std::memory_order_relaxed); }

  // A GET of these bytes; where a redirect was followed, from there.
  HttpRequest get(ByteRange range);
  // Of a reply to that: take where its body is these bytes, from the first of them on, as many of them as the
  // object has. error_body: what came of a body that is not taken.
  Verdict judge(const HttpHead& head, ByteRange range);
  Verdict judge_refusal(const HttpHead& head, const std::string& error_body);
  // After verdicts redirect and refused. False where nothing else is to be tried. url: that was asked for.
  // follow() throws unsupported where a redirect is not to be followed.
  bool follow(const std::string& url, const HttpHead& head);
  bool renew(const std::string& url, const HttpHead& head, const std::string& error_body);

  // Throws changed where a reply has said so.
  void check_unchanged() const;

 private:
  Verdict settle(const HttpHead& head, uint64_t size);
  Verdict has_changed();

  const std::shared_ptr<Origin> origin_;
  const std::string location_;
  std::atomic<bool> is_absent_{false};  // relaxed: each stands alone
  std::atomic<bool> may_be_folder_{false};
  std::atomic<bool> has_changed_{false};
  std::atomic<uint64_t> size_without_ranges_{0};
  mutable Mutex mutex_;
  std::optional<Version> version_ GUARDED_BY(mutex_), expected_ GUARDED_BY(mutex_);
  std::string redirected_to_ GUARDED_BY(mutex_);           // "" = ask the origin
  bool was_redirected_inside_ GUARDED_BY(mutex_) = false;  // by a server of a private network
};

// What is said of an answer that is none. code: of S3, or "". asker: Origin::asker().
Error refused(long status, const std::string& code, const std::string& asker);
// Whether the same request may be answered later: 0 (no reply), 5xx, too many.
bool is_passing(long status);
// What Retry-After asks for, within reason.
std::chrono::milliseconds pause_asked_by(const HttpHead& head);
// "<Code>SlowDown</Code>" → "SlowDown"; "" where the body is no error of S3.
std::string error_code_of(const std::string& body);

}  // namespace plainfs::remote
