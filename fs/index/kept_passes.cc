#include "fs/index/kept_passes.h"

#include <utility>

#include "fs/index/housekeeping.h"

namespace plainfs {
StoreIndex KeptPasses::index_of(const std::string& location, Sources& files) const {
  return {folder_, location, "plainfs " PLAINFS_VERSION " passes", files, notice_};
}

std::shared_ptr<const std::vector<uint64_t>> KeptPasses::known(const std::string& location,
                                                               const std::string& name, Sources& files) {
  MeasuredPtr measured;
  keep_house("a pass over the store is not looked up", notice_,
             [&] { measured = index_of(location, files).measured(name); });
  if (!measured || measured->version != name) return nullptr;
  return {measured, &measured->numbers};
}

void KeptPasses::keep(const std::string& location, const std::string& name, std::vector<uint64_t> numbers,
                      std::chrono::steady_clock::duration took, Sources& files) {
  keep_house("a pass over the store is not kept", notice_, [&] {
    StoreIndex index = index_of(location, files);
    index.add(name, std::make_shared<const Measured>(Measured{name, std::move(numbers)}));
    index.count(took);
    index.save(false);
  });
}

void KeptPasses::discard(const std::string& location, Sources& files) {
  keep_house("a pass over the store is not discarded", notice_, [&] { index_of(location, files).discard(); });
}

}  // namespace plainfs
