#include "fs/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/syslog_sink.h>

#include "cache/mutex.h"
#include "formats/core/base/error.h"
#include "formats/core/text/printable.h"

namespace plainfs {
namespace {

constexpr size_t kMaxLines = 4096;
constexpr char kPattern[] = "%Y-%m-%d %H:%M:%S %l: %v";

class FunctionSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FunctionSink(Log::Line line) : line_(std::move(line)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const int priority = message.level >= spdlog::level::err    ? LOG_ERR
                         : message.level == spdlog::level::warn ? LOG_WARNING
                                                                : LOG_INFO;
    line_(priority, std::string(message.payload.data(), message.payload.size()));
  }
  void flush_() override {}

  Log::Line line_;
};

}  // namespace

Descriptor open_log_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (file.number() < 0) throw unreadable("log file {}: {}", path, std::strerror(errno));
  return file;
}

// Writes to a descriptor, as a confined process may not open the file again by its name.
class Log::FileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(Descriptor file) : file_(std::move(file)) {}
  void go_on_in(Descriptor file) {
    const std::lock_guard lock(mutex_);
    file_ = std::move(file);
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const ssize_t written = ::write(file_.number(), line.data(), line.size());
    static_cast<void>(written);  // a full disk loses lines, not the mount
  }
  void flush_() override {}

  Descriptor file_;
};

Log::Log()
    : ring_(std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(kMaxLines)),
      logger_("plainfs", spdlog::sink_ptr(ring_)) {
  ring_->set_pattern(kPattern);
  logger_.set_level(spdlog::level::trace);
}

// A line is dropped if there is no memory for it. It usually is about an error already.
void Log::write(spdlog::level::level_enum level, const std::string& text) try {
  const MutexLock lock(mutex_);
  const std::string line = printable(text);
  if (known_.size() >= kMaxLines) known_.clear();
  if (known_.insert(line).second) logger_.log(level, line);
} catch (const std::bad_alloc&) {
  return;
}

void Log::info(const std::string& line) try {
  const MutexLock lock(mutex_);
  logger_.info(printable(line));
} catch (const std::bad_alloc&) {
  return;
}

void Log::add(spdlog::sink_ptr sink, spdlog::level::level_enum level) {
  const MutexLock lock(mutex_);
  sink->set_level(level);
  for (const spdlog::details::log_msg_buffer& line : ring_->last_raw()) {
    if (sink->should_log(line.level)) sink->log(line);
  }
  logger_.sinks().push_back(std::move(sink));
  logger_.flush_on(spdlog::level::info);
}

void Log::to_standard_error(spdlog::level::level_enum level) {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  sink->set_pattern("plainfs: %l: %v");
  add(std::move(sink), level);
}

void Log::to_system_log(spdlog::level::level_enum level) {
  auto sink = std::make_shared<spdlog::sinks::syslog_sink_mt>("plainfs", LOG_PID, LOG_USER, false);
  add(std::move(sink), level);
}

void Log::to(Line line, spdlog::level::level_enum level) {
  add(std::make_shared<FunctionSink>(std::move(line)), level);
}

void Log::to_file(const std::string& path, spdlog::level::level_enum level) {
  auto sink = std::make_shared<FileSink>(open_log_file(path));
  sink->set_pattern(kPattern);
  {
    const MutexLock lock(mutex_);
    file_ = sink;
  }
  add(std::move(sink), level);
}

void Log::go_on_in(Descriptor file) {
  const MutexLock lock(mutex_);
  file_->go_on_in(std::move(file));
}

std::string Log::text() const {
  std::string text;
  for (const std::string& line : ring_->last_formatted()) text += line;
  return text;
}

}  // namespace plainfs
