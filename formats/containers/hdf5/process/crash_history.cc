#include "formats/containers/hdf5/process/crash_history.h"

namespace plainfs::hdf5 {
namespace {

template <class Times>
void drop_before(Times& all, CrashHistory::Time oldest) {
  for (auto each = all.begin(); each != all.end();) {
    std::erase_if(each->second, [&](CrashHistory::Time time) { return time < oldest; });
    each = each->second.empty() ? all.erase(each) : std::next(each);
  }
}

}  // namespace

void CrashHistory::note(uint64_t file, uint64_t question, Time now, size_t weight) {
  drop_old(now);
  questions_[{file, question}].push_back(now);
  files_[file].insert(files_[file].end(), weight, now);
}

bool CrashHistory::is_refused(uint64_t file, uint64_t question, Time now) {
  if (files_.empty()) return false;
  drop_old(now);
  const auto of_file = files_.find(file);
  if (of_file == files_.end()) return false;
  if (of_file->second.size() >= kMaxOfFile) return true;
  const auto found = questions_.find({file, question});
  return found != questions_.end() && found->second.size() >= kMaxOfQuestion &&
         now - found->second.back() < kRefused;
}

void CrashHistory::forget(uint64_t file, uint64_t question) {
  if (!questions_.empty()) questions_.erase({file, question});
}

void CrashHistory::drop_old(Time now) {
  drop_before(questions_, now - kRemembered);
  drop_before(files_, now - kRemembered);
}

}  // namespace plainfs::hdf5
