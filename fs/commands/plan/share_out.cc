#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "fs/commands/plan/export_plan.h"

namespace plainfs {
namespace {

constexpr uint64_t kLeastRange = 1 << 20;   // of a file that is cut
constexpr uint64_t kLeastShare = 16 << 20;  // of a file that all tasks share

using Cut = std::function<uint64_t(size_t file, uint64_t offset)>;

uint64_t fraction(uint64_t whole, size_t part, size_t parts) {
  return whole / parts * part + whole % parts * part / parts;
}

class Sharing {
 public:
  Sharing(const std::vector<PlannedFile>& files, size_t tasks, const Cut& cut)
      : files_(files), cut_(cut), shares_(tasks), bytes_(tasks) {}

  std::vector<std::vector<PlannedRange>> make() {
    std::vector<size_t> others, whole;
    for (size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].packed)
        whole.push_back(i);
      else if (shares_.size() > 1 && files_[i].size / shares_.size() >= kLeastShare)
        share_by_all(i);
      else
        others.push_back(i);
    }
    fill_up(others);
    add_whole(whole);
    for (auto& share : shares_)
      std::sort(share.begin(), share.end(),
                [](const PlannedRange& a, const PlannedRange& b) { return a.file < b.file; });
    return std::move(shares_);
  }

 private:
  void give(size_t task, size_t file, uint64_t first, uint64_t end) {
    shares_[task].push_back({file, first, end - first});
    bytes_[task] += end - first + (first == 0 ? kFileCost : 0);
  }

  void share_by_all(size_t file) {
    uint64_t at = 0;
    for (size_t task = 0; task < shares_.size(); ++task) {
      const uint64_t wanted = fraction(files_[file].size, task + 1, shares_.size());
      const uint64_t end = task + 1 == shares_.size() ? wanted : std::max(at, cut_(file, wanted));
      if (end > at) give(task, file, at, end);
      at = end;
    }
  }

  // The target of each task is computed from the beginning, so that early cuts do not accumulate.
  void fill_up(const std::vector<size_t>& files) {
    uint64_t total = std::accumulate(bytes_.begin(), bytes_.end(), uint64_t{0});
    for (const size_t file : files) total += files_[file].size + kFileCost;
    size_t task = 0;
    uint64_t before = 0;  // bytes of the tasks before
    const auto room = [&] {
      const uint64_t limit = fraction(total, task + 1, shares_.size());
      return limit - std::min(limit, before + bytes_[task]);
    };
    const auto next = [&] { before += bytes_[task++]; };
    for (const size_t file : files) {
      for (uint64_t at = 0, size = files_[file].size;;) {
        while (task + 1 < shares_.size() && room() == 0) next();
        uint64_t end = size;
        if (task + 1 < shares_.size() && size - at > room()) {
          end = cut_(file, at + room());
          if (size - std::min(end, size) < kLeastRange) end = size;
        }
        if (end < at + kLeastRange && end < size) {  // too little to start with
          next();
          continue;
        }
        give(task, file, at, end);
        at = end;
        if (at == size) break;
      }
    }
  }

  // Gives each file to the task with the fewest bytes, the largest file first.
  void add_whole(std::vector<size_t>& files) {
    std::stable_sort(files.begin(), files.end(),
                     [this](size_t a, size_t b) { return files_[a].size > files_[b].size; });
    using Load = std::pair<uint64_t, size_t>;  // bytes, task
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (size_t task = 0; task < shares_.size(); ++task) loads.push({bytes_[task], task});
    for (const size_t file : files) {
      const size_t task = loads.top().second;
      loads.pop();
      give(task, file, 0, files_[file].size);
      loads.push({bytes_[task], task});
    }
  }

  const std::vector<PlannedFile>& files_;
  const Cut& cut_;
  std::vector<std::vector<PlannedRange>> shares_;
  std::vector<uint64_t> bytes_;  // bytes and file costs of each task so far
};

}  // namespace

std::vector<std::vector<PlannedRange>> share_out(const std::vector<PlannedFile>& files, size_t tasks,
                                                 const Cut& cut) {
  return Sharing(files, tasks, cut).make();
}

}  // namespace plainfs
