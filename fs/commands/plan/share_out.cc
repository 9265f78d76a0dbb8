#include <algorithm>

#include "fs/commands/plan/export_plan.h"

namespace plainfs {
namespace {

constexpr uint64_t kLeastRange = 1 << 20;  // of a file that is cut

}  // namespace

std::vector<std::vector<PlannedRange>> share_out(
    const std::vector<PlannedFile>& files, size_t tasks,
    const std::function<uint64_t(size_t file, uint64_t offset)>& cut) {
  std::vector<std::vector<PlannedRange>> shares(tasks);
  uint64_t total = 0, done = 0;
  for (const PlannedFile& file : files) total += file.size + kFileCost;
  size_t task = 0;
  // What tasks up to this one are to have done. Counted from the beginning, so that cuts which come early do
  // not add up.
  const auto limit = [&] { return total / tasks * (task + 1) + total % tasks * (task + 1) / tasks; };
  for (size_t i = 0; i < files.size(); ++i) {
    for (uint64_t at = 0;;) {
      while (task + 1 < tasks && done >= limit()) ++task;
      const uint64_t left = files[i].size - at;
      const uint64_t room = limit() - std::min(limit(), done);
      uint64_t end = files[i].size;
      if (task + 1 < tasks && left > room) {
        end = cut(i, at + room);
        if (files[i].size - std::min(end, files[i].size) < kLeastRange) end = files[i].size;
      }
      if (end < at + kLeastRange && end < files[i].size) {  // too little to begin with
        ++task;
        continue;
      }
      shares[task].push_back({i, at, end - at});
      done += end - at + (at == 0 ? kFileCost : 0);
      at = end;
      if (at == files[i].size) break;
    }
  }
  return shares;
}

}  // namespace plainfs
