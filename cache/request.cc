#include "cache/request.h"

namespace plainfs {
namespace {

// One for each thread. Set by Scope alone, and restored when it ends.
thread_local const Request* current_request = nullptr;

}  // namespace

const Request* Request::current() {
  return current_request;
}

Request::Scope::Scope(const Request* request) : before_(current_request) {
  current_request = request;
}

Request::Scope::~Scope() {
  current_request = before_;
}

void check_cancelled() {
  if (current_request && current_request->cancelled()) throw Cancelled();
}

}  // namespace plainfs
