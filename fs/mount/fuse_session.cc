#include "fs/mount/fuse_session.h"

#define FUSE_USE_VERSION 312
#include <fmt/format.h>
#include <fuse_lowlevel.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "fs/exit_code.h"
#include "fs/mount/fuse_refused.h"

namespace plainfs {
namespace {

// libfuse's last complaint, for the one line that the user gets.
std::string& last_complaint() {
  static thread_local std::string line;
  return line;
}

void keep_complaint(fuse_log_level, const char* format, va_list arguments) {
  char line[512];
  std::vsnprintf(line, sizeof line, format, arguments);
  std::string text = line;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.rfind("fuse: ", 0) == 0) text.erase(0, 6);
  last_complaint() = text;
}

// why: where libfuse has said nothing.
Failure failure(ExitCode code, const std::string& mountpoint, const std::string& why,
                const std::string& and_more = {}) {
  const std::string reason = last_complaint().empty() ? why : last_complaint();
  return Failure(code, fmt::format("{}: {}{}", mountpoint, reason, and_more));
}

}  // namespace

fuse_session* new_fuse_session(const std::string& mountpoint, const std::vector<std::string>& options,
                               bool debug, const fuse_lowlevel_ops& operations, void* user) {
  std::vector<std::string> words{"plainfs"};
  for (const std::string& option : options) {
    std::string escaped;
    for (const char c : option) {
      if (c == ',' || c == '\\') escaped += '\\';
      escaped += c;
    }
    words.push_back("-o" + escaped);
  }
  if (debug) words.emplace_back("-odebug");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(pointers.size()), pointers.data());
  if (!debug) fuse_set_log_func(keep_complaint);
  last_complaint().clear();
  fuse_session* const session = fuse_session_new(&arguments, &operations, sizeof operations, user);
  fuse_opt_free_args(&arguments);
  if (!session) throw failure(kNoSession, mountpoint, "cannot set up FUSE");
  return session;
}

void mount_fuse_session(fuse_session* session, const std::string& mountpoint,
                        const std::vector<std::string>& options) {
  if (fuse_session_mount(session, mountpoint.c_str()) != 0) {
    const std::string reason =
        why_fuse_is_refused(std::ranges::find(options, "allow_other") != options.end());
    throw failure(kMountFailed, mountpoint, "cannot mount",
                  fmt::format("{}{}; {}", reason.empty() ? "" : ": ", reason, kWithoutFuse));
  }
  fuse_set_log_func(nullptr);
}

}  // namespace plainfs
