#include "formats/core/remote/range_fetch.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

#include "cache/request.h"
#include "formats/core/remote/origin.h"

namespace plainfs::remote {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kProgress = 64 << 10;  // bytes in one attempt that reset the count of attempts
constexpr unsigned kMaxKnocks = 4;
constexpr unsigned kMaxRedirects = 5;
constexpr size_t kMaxErrorBytes = 16 << 10;

}  // namespace

// One request and its reply. The client's thread fills it in.
class RangeFetch::Attempt : public HttpSink {
 public:
  Attempt(std::weak_ptr<RangeFetch> fetch, ByteRange asked) : range(asked), fetch_(std::move(fetch)) {}

  bool is_wanted() const override { return !fetch_.expired(); }
  void begin(const HttpHead& reply) override;
  bool take(ByteSpan bytes) override;
  void end(const HttpFailure& failure) override;

  const ByteRange range;  // the requested range
  std::string url;
  HttpHead head;
  bool has_bytes = false;                  // of the range; a header alone is not an answer yet
  Clock::time_point moved = Clock::now();  // time of its start, or of the latest part of the reply
  Verdict verdict;
  std::string error_body;

 private:
  std::weak_ptr<RangeFetch> fetch_;
};

void RangeFetch::Attempt::begin(const HttpHead& reply) {
  head = reply;
  moved = Clock::now();
  const auto fetch = fetch_.lock();
  const bool has_range = head.status == 200 || head.status == 206;
  if (fetch && !has_range && (head.status < 400 || !is_passing(head.status))) fetch->client_.note_answer(url);
  if (!fetch || !has_range) return;
  verdict = fetch->object_->judge(head, range);
  if (verdict.kind != Verdict::take) return;
  const MutexLock lock(fetch->mutex_);
  const uint64_t object_size = fetch->object_->version()->size;
  fetch->size_ = std::min(fetch->range_.size, object_size - std::min(object_size, fetch->range_.offset));
}

bool RangeFetch::Attempt::take(ByteSpan bytes) {
  if (head.status != 200 && head.status != 206) {
    error_body.append(as_text(bytes).substr(0, kMaxErrorBytes - std::min(kMaxErrorBytes, error_body.size())));
    return error_body.size() < kMaxErrorBytes;
  }
  const auto fetch = fetch_.lock();
  if (fetch && !has_bytes) fetch->client_.note_answer(url);
  has_bytes = true;
  moved = Clock::now();
  if (!fetch || verdict.kind != Verdict::take) return false;
  const MutexLock lock(fetch->mutex_);
  if (bytes.size() > fetch->size_ - fetch->received_) return false;  // more than announced
  std::memcpy(fetch->bytes_.data() + fetch->received_, bytes.data(), bytes.size());
  fetch->received_ += bytes.size();
  fetch->client_.counters().bytes_fetched.fetch_add(bytes.size(), std::memory_order_relaxed);
  fetch->moved_.notify_all();
  return true;
}

void RangeFetch::Attempt::end(const HttpFailure& failure) {
  if (const auto fetch = fetch_.lock()) fetch->end_attempt(*this, failure);
}

RangeFetch::RangeFetch(std::shared_ptr<RemoteObject> object, ByteRange range, HttpClient& client)
    : object_(std::move(object)), range_(range), client_(client), bytes_(range.size), size_(range.size) {}

RangeFetch::~RangeFetch() = default;

void RangeFetch::start() {
  if (!object_->has_keys()) return;
  const MutexLock lock(mutex_);
  if (phase_ != Phase::not_begun || is_driven_) return;
  try {
    drive();
  } catch (const Cancelled&) {
    // a waiting reader tries again
  }
}

bool RangeFetch::is_done() const {
  const MutexLock lock(mutex_);
  return phase_ != Phase::running;
}

void RangeFetch::begin_attempt() {
  if (!failing_since_) failing_since_ = Clock::now();
  const ByteRange rest{range_.offset + received_, size_ - received_};
  auto attempt = std::make_shared<Attempt>(weak_from_this(), rest);
  attempt_ = attempt;
  phase_ = Phase::running;
  try {
    const MutexUnlocked others_go_on(mutex_);  // signing may require a request for credentials
    HttpRequest request = object_->get(rest);
    attempt->url = request.url;
    client_.start(std::move(request), attempt);
  } catch (const Error& error) {
    phase_ = Phase::failed;
    error_ = error;
    moved_.notify_all();
  } catch (...) {
    phase_ = Phase::not_begun;
    throw;
  }
}

// Called on the client's thread.
void RangeFetch::end_attempt(const Attempt& attempt, const HttpFailure& failure) {
  const bool is_body = attempt.head.status == 200 || attempt.head.status == 206;
  Verdict verdict = attempt.verdict;
  if (failure.is_final)
    verdict = {Verdict::fail, failure.is_final, {}};
  else if (attempt.head.status == 0)
    verdict = {Verdict::again, unreadable("{}", failure.text), {}, failure.is_refused};
  else if (!is_body)
    verdict = object_->judge_refusal(attempt.head, attempt.error_body);
  const MutexLock lock(mutex_);
  if (attempt_.get() != &attempt) return;
  silence_ += Clock::now() - attempt.moved;
  if (!is_body && verdict.kind == Verdict::take) size_ = 0;  // an empty object, or one that is already known
  if (verdict.kind == Verdict::take && received_ < size_)
    verdict = {Verdict::again,
               unreadable("{}", failure.text.empty() ? "the reply was cut short" : failure.text),
               {},
               false};
  if (verdict.kind == Verdict::take) {
    phase_ = Phase::whole;
  } else if (verdict.kind == Verdict::fail) {
    phase_ = Phase::failed;
    error_ = verdict.error;
  } else {
    phase_ = Phase::paused;
    verdict_ = std::move(verdict);
  }
  moved_.notify_all();
}

// Returns false if the calling thread's request was cancelled.
bool RangeFetch::sleep(Clock::time_point until) {
  while (Clock::now() < until) {
    moved_.wait_until(mutex_, std::min(until, Clock::now() + kBetweenLooks));
    if (Request::current() && Request::current()->cancelled()) return false;
  }
  return true;
}

// Takes the action of a verdict. Requires: phase_ is paused, and no other thread drives.
void RangeFetch::go_on_after(Verdict verdict) {
  const auto fail = [&]() REQUIRES(mutex_) {
    phase_ = Phase::failed;
    error_ = verdict.error;
  };
  // May read files to find other keys.
  const auto is_worth_it = [&](const auto& learn) REQUIRES(mutex_) {
    const MutexUnlocked others_go_on(mutex_);
    return learn();
  };
  const std::shared_ptr<Attempt> last = attempt_;
  if (verdict.kind == Verdict::redirect) {
    if (redirects_++ == kMaxRedirects) return fail();
    if (!is_worth_it([&] { return object_->follow(last->url, last->head); })) return fail();
  } else if (verdict.kind == Verdict::refused) {
    if (renewals_++ == kMaxRenewals) return fail();
    if (!is_worth_it([&] { return object_->renew(last->url, last->head, last->error_body); })) return fail();
  } else {
    const auto now = Clock::now();
    const bool is_answered = last->head.status != 0;
    if (received_ >= received_before_ + kProgress) {
      tries_ = 0;
      failing_since_ = now;
    }
    received_before_ = received_;
    // A server that never answered may not exist.
    const bool is_nobody = !is_answered && !object_->version();
    const bool is_silent = !is_answered || (last->head.status / 100 == 2 && !last->has_bytes);
    const auto give_up = [&]() REQUIRES(mutex_) {
      if (is_silent) client_.note_given_up();
      fail();
    };
    if (is_silent && client_.has_given_up()) return fail();
    if (++tries_ >= std::min(max_attempts(), is_nobody ? kMaxKnocks : UINT_MAX)) return give_up();
    if (silence_ >= client_.patience(verdict.is_refused)) return give_up();
    const auto pause = std::max(verdict.wait, pause_after(tries_));
    if (now + pause > *failing_since_ + client_.patience(verdict.is_refused)) return give_up();
    client_.note_retry(last->url, verdict.error->what(), tries_);
    if (!sleep(now + pause)) throw Cancelled();
  }
  begin_attempt();
}

// Starts the next attempt. One thread at a time does that. Requires: phase_ is not_begun or paused, and no
// other thread drives.
void RangeFetch::drive() {
  is_driven_ = true;
  try {
    if (phase_ == Phase::paused)
      go_on_after(*verdict_);
    else
      begin_attempt();
  } catch (const Error& error) {
    phase_ = Phase::failed;
    error_ = error;
  } catch (...) {
    is_driven_ = false;
    moved_.notify_all();
    throw;
  }
  is_driven_ = false;
  moved_.notify_all();
}

void RangeFetch::wait_until(uint64_t size) {
  const MutexLock lock(mutex_);
  for (;;) {
    if (received_ >= std::min(size, size_) && (received_ >= size || phase_ == Phase::whole)) return;
    if (phase_ == Phase::failed) throw error_->at(object_->location());
    if ((phase_ == Phase::not_begun || phase_ == Phase::paused) && !is_driven_) {
      drive();
      continue;
    }
    moved_.wait_for(mutex_, kBetweenLooks);
    if (Request::current() && Request::current()->cancelled()) throw Cancelled();
  }
}

void RangeFetch::wait(uint64_t size) {
  wait_until(size);
  const MutexLock lock(mutex_);
  if (received_ < size)
    throw unreadable("{}: ends before byte {}", object_->location(), range_.offset + size);
}

uint64_t RangeFetch::wait_for_all() {
  wait_until(range_.size);
  const MutexLock lock(mutex_);
  return received_;
}

}  // namespace plainfs::remote
