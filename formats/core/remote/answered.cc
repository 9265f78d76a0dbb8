#include "formats/core/remote/answered.h"

#include <thread>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "formats/core/remote/remote_object.h"
#include "formats/core/remote/retries.h"

namespace plainfs::remote {
namespace {

using Clock = std::chrono::steady_clock;

void sleep_unless_cancelled(std::chrono::milliseconds pause) {
  for (const auto until = Clock::now() + pause; Clock::now() < until;) {
    check_cancelled();
    std::this_thread::sleep_for(std::min<Clock::duration>(kBetweenLooks, until - Clock::now()));
  }
}

}  // namespace

std::string answered(const std::function<HttpRequest()>& make, Origin& origin, HttpClient& client,
                     size_t most_bytes) {
  const auto give_up = Clock::now() + kPatience;
  unsigned tries = 0, renewals = 0;
  for (;;) {
    HttpReply reply = client.ask(make(), most_bytes);
    if (reply.is_too_long) throw unreadable("the server's answer is longer than {} bytes", most_bytes);
    if (reply.head.status == 200 && reply.failure.empty()) return std::move(reply.body);
    const std::string code = error_code_of(reply.body);
    const Error error = reply.head.status == 0 || reply.head.status == 200 ? unreadable("{}", reply.failure)
                                                                           : refused(reply.head.status, code);
    const bool is_refusal = reply.head.status >= 300 && reply.head.status < 404;
    if (is_refusal && renewals++ < kMostRenewals && origin.learn_from(reply.head, code)) continue;
    const auto pause = std::max(pause_asked_by(reply.head), pause_after(++tries));
    if (is_refusal || !is_passing(reply.head.status) || tries >= most_attempts() ||
        Clock::now() + pause > give_up)
      throw error;
    client.counters().retries.fetch_add(1, std::memory_order_relaxed);
    sleep_unless_cancelled(pause);
  }
}

}  // namespace plainfs::remote
