// A pass over the entries of a matrix in stored order, some at a time, by several threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/context.h"
#include "formats/core/sparse/lists.h"

namespace plainfs {

// The number of entries that one thread should read at a time if memory allows.
inline constexpr uint64_t kEntriesAtOnce = 128 * 1024;

// The arrays that a pass reads, and the range of entries.
struct EntryPass {
  std::vector<ArrayPtr> parts;  // the indices, the values
  uint64_t first = 0, end = 0;
  uint64_t at_once = 1;   // entries that one thread reads at a time
  bool releases = false;  // drops from the cache the chunks that it has passed
};

// Returns the bytes of a decoded entry.
uint64_t decoded_entry_size(const Lists& lists);

// Returns how many entries one thread should read at a time if it would like `wanted`: more if a band of
// chunks of a part does not fit in the cache (run_length).
uint64_t entries_at_once(uint64_t wanted, const std::vector<ArrayPtr>& parts, const Context& context);

// Returns whether the decoded entries of a matrix stay in the cache between two passes. Those of a larger
// matrix are dropped before the next pass needs them.
bool stay_in_cache(const Lists& lists, const Context& context);

// Calls read(run, first, last) for runs of the entries of a pass, in several threads, and then visit(run) for
// each of these runs in stored order, in this thread. As many runs are in memory as there are threads. A run
// is used again, so that read() can reuse its memory. Cancellable.
template <class Run, class Read, class Visit>
void for_entry_runs(const EntryPass& pass, Context& context, Read&& read, Visit&& visit) {
  std::vector<Run> runs(context.workers.threads() + 1);
  for (uint64_t first = pass.first, last = first; first < pass.end; first = last) {
    check_cancelled();
    last = std::min(pass.end, first + runs.size() * pass.at_once);
    const uint64_t count = divide_up(last - first, pass.at_once);
    context.workers.parallel_for(count, [&](size_t i) {
      const uint64_t begin = first + i * pass.at_once;
      read(runs[i], begin, std::min(last, begin + pass.at_once));
    });
    for (uint64_t i = 0; i < count; ++i) visit(std::as_const(runs[i]));
    if (!pass.releases) continue;
    for (const ArrayPtr& part : pass.parts) passed_run(*part, first, last - first);
  }
}

// Calls work(first, last) for runs of the entries of a pass, in several threads.
template <class Work>
void for_entry_runs(const EntryPass& pass, Context& context, Work&& work) {
  struct None {};
  for_entry_runs<None>(
      pass, context, [&](None&, uint64_t first, uint64_t last) { work(first, last); }, [](const None&) {});
}

}  // namespace plainfs
