#include "formats/core/base/process_stat.h"

#ifdef __linux__
#include <fmt/format.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "formats/core/base/descriptor.h"
#endif

namespace plainfs {

#ifdef __linux__
// Reads the 3rd field, the 14th and 15th, and the 22nd, in ticks. The second field is a name in brackets,
// which may contain any characters.
std::optional<ProcessStat> process_stat(pid_t process) {
  const std::string text = file_content(fmt::format("/proc/{}/stat", process)).value_or("");
  const size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(bracket + 1));
  const auto skip = [&](int count) {
    std::string field;
    while (count-- > 0) fields >> field;
  };
  ProcessStat stat;
  uint64_t user = 0, system = 0, begun = 0;
  fields >> stat.state;
  skip(10);
  fields >> user >> system;
  skip(6);
  if (!(fields >> begun)) return std::nullopt;
  const auto time_of = [](uint64_t ticks) {
    const std::chrono::duration<double> seconds(static_cast<double>(ticks) /
                                                static_cast<double>(::sysconf(_SC_CLK_TCK)));
    return std::chrono::duration_cast<std::chrono::nanoseconds>(seconds);
  };
  stat.processor_time = time_of(user + system);
  stat.begun = time_of(begun);
  return stat;
}
#else
std::optional<ProcessStat> process_stat(pid_t) {
  return std::nullopt;
}
#endif

}  // namespace plainfs
