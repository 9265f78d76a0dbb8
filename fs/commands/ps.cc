// `plainfs ps`: the mounts of this machine.
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <libproc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>

#include "formats/core/base/process_stat.h"
#include "formats/core/text/printable.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/options.h"
#include "fs/commands/commands.h"
#include "fs/commands/mounted_store.h"
#include "fs/mounts/mount_note.h"
#include "fs/mounts/mount_table.h"
#include "fs/report/progress.h"

namespace plainfs {
namespace {

const char* state_of(const AskedMount& asked) {
  if (!asked.is_here) return "apart";
  if (!asked.answers) return "silent";
  if (count_in(asked.counters, "store_changed") == 1) return "changed";
  return count_in(asked.counters, "remote_waiting") == 1 ? "waiting" : "ready";
}

struct ShownMount {
  pid_t process = 0;  // 0: gone, or not visible because it is another user's
  std::string store;
  std::string mountpoint;
  uint64_t memory_bytes = 0;
  double seconds = 0;
  AskedMount asked{};  // of a mount that this user may read
};

#ifdef __APPLE__
proc_taskallinfo described(pid_t process) {
  proc_taskallinfo info{};
  ::proc_pidinfo(process, PROC_PIDTASKALLINFO, 0, &info, sizeof info);
  return info;
}

uint64_t memory_of(pid_t process) {
  return described(process).ptinfo.pti_resident_size;
}

double seconds_of(pid_t process) {
  return std::max(0.0, static_cast<double>(::time(nullptr)) -
                           static_cast<double>(described(process).pbsd.pbi_start_tvsec));
}
#else
// Returns the resident memory: the second number of statm, in pages.
uint64_t memory_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  uint64_t all = 0, resident = 0;
  return file >> all >> resident ? resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

// Returns the seconds since the process started.
double seconds_of(pid_t process) {
  const std::optional<ProcessStat> stat = process_stat(process);
  if (!stat) return 0;
  timespec now{};
#ifdef __linux__
  ::clock_gettime(CLOCK_BOOTTIME, &now);
#endif
  const double begun = std::chrono::duration<double>(stat->begun).count();
  return std::max(0.0, static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - begun);
}

#endif

std::vector<ShownMount> rows() {
  std::vector<ShownMount> all;
  for (const FoundMount& mount : found_mounts())
    all.push_back({mount.process, mount.store, mount.mountpoint, memory_of(mount.process),
                   seconds_of(mount.process), ask_mount(mount.mountpoint)});
  for (const Mounted& mounted : mount_table()) {
    const bool is_known = std::any_of(all.begin(), all.end(),
                                      [&](const ShownMount& row) { return row.mountpoint == mounted.path; });
    if (mounted.type == "fuse.plainfs" && !is_known) all.push_back({0, mounted.source, mounted.path});
  }
  return all;
}

// Escapes a label value for Prometheus's text format.
std::string label_text(const std::string& value) {
  std::string text;
  for (const char letter : value) {
    if (letter == '\\' || letter == '"') text += '\\';
    text += letter == '\n' ? std::string("\\n") : std::string(1, letter);
  }
  return text;
}

// Returns whether the counter can go down. All others count since the mount.
bool is_gauge(const std::string& counter) {
  static constexpr std::string_view kGauges[] = {
      "cache_held_bytes", "cache_budget_bytes", "libhdf5_processes", "libhdf5_held_bytes",
      "inodes",           "part_inodes",        "remote_waiting",    "store_changed"};
  return std::find(std::begin(kGauges), std::end(kGauges), counter) != std::end(kGauges);
}

// Returns the counters of all mounts that answer, grouped by metric.
std::string metrics_text(const std::vector<ShownMount>& all) {
  std::map<std::string, std::string> metrics;  // name to its lines
  const auto add = [&](const std::string& name, const ShownMount& row, const std::string& value) {
    metrics[name] += fmt::format("{}{{mountpoint=\"{}\",store=\"{}\"}} {}\n", name,
                                 label_text(row.mountpoint), label_text(row.store), value);
  };
  for (const ShownMount& row : all) {
    if (row.process == 0 || !row.asked.is_here) continue;
    add("plainfs_up", row, row.asked.answers ? "1" : "0");
    add("plainfs_memory_bytes", row, std::to_string(row.memory_bytes));
    for (const auto& [counter, value] : *row.asked.counters.object())
      if (const std::optional<uint64_t> count = value.as_uint64())
        add(fmt::format("plainfs_{}{}", counter, is_gauge(counter) ? "" : "_total"), row,
            std::to_string(*count));
  }
  std::string text;
  for (const auto& [name, lines] : metrics)
    text += fmt::format("# TYPE {} {}\n{}", name, name.ends_with("_total") ? "counter" : "gauge", lines);
  return text;
}

Json json_of(const ShownMount& row) {
  const bool is_known = row.process != 0;
  Json::Object one{{"pid", is_known ? Json::of(int64_t{row.process}) : Json()},
                   {"store", row.store},
                   {"mountpoint", row.mountpoint}};
  if (!is_known) return one;
  one.emplace_back("memory_bytes", Json::of(row.memory_bytes));
  one.emplace_back("uptime_seconds", Json::of(row.seconds));
  one.emplace_back("version", row.asked.version);
  one.emplace_back("state", state_of(row.asked));
  one.emplace_back("counters", row.asked.counters);
  return one;
}

// Prints one line per mount. is_long: with its version.
void print_rows(const std::vector<ShownMount>& all, bool is_long) {
  const auto version_text = [&](const std::string& version) {
    return is_long ? fmt::format("{:<30} ", version) : std::string();
  };
  std::printf("%7s %9s %9s  %-8s %s%s\n", "PID", "UPTIME", "MEMORY", "STATE", version_text("VERSION").c_str(),
              "STORE -> MOUNTPOINT");
  for (const ShownMount& row : all) {
    const bool is_known = row.process != 0;
    const std::string version = is_known && !row.asked.version.empty() ? printable(row.asked.version) : "-";
    std::printf("%7s %9s %9s  %-8s %s%s -> %s\n", is_known ? std::to_string(row.process).c_str() : "-",
                is_known ? duration_text(row.seconds).c_str() : "-",
                is_known ? byte_text(static_cast<double>(row.memory_bytes)).c_str() : "-",
                is_known ? state_of(row.asked) : "-", version_text(version).c_str(),
                printable(row.store).c_str(), printable(row.mountpoint).c_str());
  }
}

}  // namespace

int ps_command(Arguments arguments) {
  const bool is_json = take_flag(arguments, "--json");
  const bool is_for_prometheus = take_flag(arguments, "--prometheus");
  const bool is_long = take_letters(arguments, "l") == "l";
  parse_options(arguments, 0);
  const std::vector<ShownMount> all = rows();
  if (is_for_prometheus) {
    std::fputs(metrics_text(all).c_str(), stdout);
    return kSuccess;
  }
  if (is_json) {
    Json::List list;
    for (const ShownMount& row : all) list.push_back(json_of(row));
    print_json(std::move(list));
    return kSuccess;
  }
  if (all.empty()) return kSuccess;
  print_rows(all, is_long);
  return kSuccess;
}

}  // namespace plainfs
