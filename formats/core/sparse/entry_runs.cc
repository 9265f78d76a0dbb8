#include "formats/core/sparse/entry_runs.h"

namespace plainfs {

uint64_t decoded_entry_size(const Lists& lists) {
  return decoded_size(lists.value->dtype()) + decoded_size(lists.index->dtype());
}

uint64_t entries_at_once(uint64_t wanted, const std::vector<ArrayPtr>& parts, const Context& context) {
  uint64_t most = wanted;
  for (const ArrayPtr& part : parts)
    most = std::max(most, run_length(wanted, elements_in_band(part->shape(), part->chunk_shape()),
                                     part->dtype(), context));
  return most;
}

bool stay_in_cache(const Lists& lists, const Context& context) {
  constexpr uint64_t kKeptPart = 2;  // 1 / kKeptPart of the budget
  return lists.entries() <= context.cache.statistics().budget_bytes / kKeptPart / decoded_entry_size(lists);
}

}  // namespace plainfs
