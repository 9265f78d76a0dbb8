// The log of warnings and errors. It writes to the ring buffer that .plainfs/log shows, and to standard
// error, a file or syslog. Each entry is one line without terminal control characters (printable.h). Each
// distinct line is written once, so that a damaged file that is read a thousand times adds one line.
#pragma once

#include <spdlog/logger.h>
#include <spdlog/sinks/ringbuffer_sink.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "cache/mutex.h"
#include "formats/core/base/descriptor.h"

namespace plainfs {

// Opens a log file for appending. Throws Error(unreadable) if that fails.
Descriptor open_log_file(const std::string& path);

// A log with any number of destinations. Thread-safe.
class Log {
 public:
  Log();

  // Adds a destination. Lines logged so far are sent to it first. level: spdlog's names ("debug", "info",
  // "warning", "error", "off"). Throws Error(unreadable) if the file cannot be opened for writing.
  void to_standard_error(spdlog::level::level_enum level);
  void to_system_log(spdlog::level::level_enum level);
  // priority: as for syslog().
  using Line = std::function<void(int priority, const std::string& line)>;
  void to(Line line, spdlog::level::level_enum level);
  void to_file(const std::string& path, spdlog::level::level_enum level);
  // Writes to `file` from now on instead of the file that to_file() opened, which was moved away. Requires:
  // to_file() was called, and `file` is open for appending.
  void go_on_in(Descriptor file);

  void warn(const std::string& line) { write(spdlog::level::warn, line); }
  void error(const std::string& line) { write(spdlog::level::err, line); }
  // Logs an event that happens once and is not an error: a store was reopened, an idle mount ended.
  void info(const std::string& line);

  // Returns the lines so far, the oldest first. If there were very many, the first ones are missing.
  std::string text() const;

 private:
  void write(spdlog::level::level_enum level, const std::string& line);
  class FileSink;

  void add(spdlog::sink_ptr sink, spdlog::level::level_enum level);

  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> ring_;
  Mutex mutex_;
  std::shared_ptr<FileSink> file_ GUARDED_BY(mutex_);  // null: none
  spdlog::logger logger_ GUARDED_BY(mutex_);
  std::unordered_set<std::string> known_ GUARDED_BY(mutex_);
};

}  // namespace plainfs
