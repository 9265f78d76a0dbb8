// One object of a server: its requests, and the checks of their replies. The first reply determines the
// version that is read. Every later request names that version, and a reply with another one is an error.
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

// The action to take after a reply.
struct Verdict {
  enum Kind { take, again, redirect, refused, fail };
  Kind kind = fail;
  std::optional<Error> error;        // the error to report if no later attempt succeeds
  std::chrono::milliseconds wait{};  // for again: the pause that the server asks for
  bool is_refused = false;           // for again: no server accepts connections there
};

// The size limit of an object: sizes and offsets of files are signed.
inline constexpr uint64_t kLargestObject = INT64_MAX;

// An object of a server. Thread-safe.
class RemoteObject {
 public:
  RemoteObject(std::shared_ptr<Origin> origin, std::string location);
  // Creates an object with the version from a listing.
  RemoteObject(std::shared_ptr<Origin> origin, std::string location, Version version);

  const std::string& location() const { return location_; }
  // Returns whether get() returns at once. Otherwise it first asks a service for keys.
  bool has_keys() const { return origin_->has_keys(); }
  // Sets the version that an earlier session saw. The first request then only asks whether it is still
  // current. Call it before that request. Requires: its ETag is strong.
  void expect(Version version);
  // Returns the version from the first reply or a listing, or nullopt before that.
  std::optional<Version> version() const;
  bool is_absent() const { return is_absent_.load(std::memory_order_relaxed); }
  // Returns whether the server answered 403, which some servers do for whatever does not exist.
  bool is_forbidden() const { return is_forbidden_.load(std::memory_order_relaxed); }
  // Returns whether the server sent a page of HTML, by its Content-Type.
  bool is_page() const { return is_page_.load(std::memory_order_relaxed); }
  // Returns whether a folder may have this name: the object is absent or refused (for all users or for these
  // keys), or the reply has no version, like the page of a folder.
  bool may_be_folder() const { return may_be_folder_.load(std::memory_order_relaxed); }
  // Returns the size of an object that the server sent whole in reply to a request for a part; 0 if it did
  // not, or did not state the size.
  uint64_t size_without_ranges() const { return size_without_ranges_.load(std::memory_order_relaxed); }

  // Returns a GET request for these bytes. After a redirect it goes to the new location.
  HttpRequest get(ByteRange range);
  // Examines the reply to such a request. Returns take if its body has these bytes from the first on, as many
  // as the object has. error_body: the received part of a body that is not taken.
  Verdict judge(const HttpHead& head, ByteRange range);
  Verdict judge_refusal(const HttpHead& head, const std::string& error_body);
  // Handle the verdicts redirect and refused. Return false if nothing else can be tried. url: the URL of the
  // request. follow() throws unsupported if the redirect must not be followed.
  bool follow(const std::string& url, const HttpHead& head);
  bool renew(const std::string& url, const HttpHead& head, const std::string& error_body);

  // Throws changed if a reply has reported another version.
  void check_unchanged() const;

 private:
  Verdict settle(const HttpHead& head, uint64_t size);
  Verdict has_changed();
  Error wants_login() const;

  const std::shared_ptr<Origin> origin_;
  const std::string location_;
  std::atomic<bool> is_absent_{false};  // relaxed: each is independent
  std::atomic<bool> is_forbidden_{false}, is_page_{false};
  std::atomic<bool> may_be_folder_{false};
  std::atomic<bool> has_changed_{false};
  std::atomic<uint64_t> size_without_ranges_{0};
  mutable Mutex mutex_;
  std::optional<Version> version_ GUARDED_BY(mutex_), expected_ GUARDED_BY(mutex_);
  std::string redirected_to_ GUARDED_BY(mutex_);           // "" = use the origin
  bool was_redirected_inside_ GUARDED_BY(mutex_) = false;  // by a server in a private network
};

// Returns the error for a request that was refused. code: from S3, or "". credential_source: see
// Origin::credential_source().
Error refused(long status, const std::string& code, const std::string& credential_source);
// Returns whether a repeated request may be answered: 0 (no reply), 5xx, or too many requests.
bool is_passing(long status);
// Returns the pause in Retry-After, within reason.
std::chrono::milliseconds pause_asked_by(const HttpHead& head);
// Returns the error code of a reply: "SlowDown" for "<Code>SlowDown</Code>"; "" if the body is not an S3
// error.
std::string error_code_of(const std::string& body);

}  // namespace plainfs::remote
