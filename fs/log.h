// Where warnings and errors go: to the ring that .plainfs/log shows, and to standard error, a file or syslog.
// Each is one line that controls no terminal (printable.h), and each distinct line is written once, so that a
// damaged file that is read a thousand times is one line.
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

// A file for the log, open for writing at its end. Throws Error(unreadable) where it cannot be.
Descriptor open_log_file(const std::string& path);

// Thread-safe.
class Log {
 public:
  Log();

  // Lines from now on also go there; those so far are sent on first. level: spdlog's names ("debug", "info",
  // "warning", "error", "off"). Throws Error(unreadable) where the file cannot be written.
  void to_standard_error(spdlog::level::level_enum level);
  void to_system_log(spdlog::level::level_enum level);
  // priority: of syslog().
  using Line = std::function<void(int priority, const std::string& line)>;
  void to(Line line, spdlog::level::level_enum level);
  void to_file(const std::string& path, spdlog::level::level_enum level);
  // Lines from now on go there, and no longer to the file that to_file() opened: it was moved away. Requires:
  // that was called. file: open for writing at its end.
  void go_on_in(Descriptor file);

  void warn(const std::string& line) { write(spdlog::level::warn, line); }
  void error(const std::string& line) { write(spdlog::level::err, line); }
  // For what happens once and is no fault: a store reopened, an idle mount ended.
  void info(const std::string& line);

  // The lines so far, the oldest first; the first ones are gone where there were very many.
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
