#include "fs/text/list_ends.h"

#include <algorithm>

namespace plainfs {

namespace {

constexpr uint64_t kWindow = 16 * 1024;

uint64_t limit_of(uint64_t elements) {
  return elements == UINT64_MAX ? elements : elements + 1;
}

}  // namespace

uint64_t ListEnds::end(uint64_t list) {
  if (!window_ || list < first_ || list - first_ >= window_->values().size()) {
    first_ = list;
    window_ = std::make_unique<const IndexRun<uint64_t>>(ends_, first_, std::min(kWindow, lists_ - first_),
                                                         limit_of(elements_), "index");
  }
  return window_->values()[list - first_];
}

uint64_t check_list_ends(const Array& ends, uint64_t elements) {
  ends.check();
  const uint64_t lists = ends.count();
  uint64_t before = 0;
  for (uint64_t first = 0; first < lists; first += kWindow) {
    const uint64_t some = std::min(kWindow, lists - first);
    const IndexRun<uint64_t> run(ends, first, some, limit_of(elements), "index");
    for (uint64_t i = 0; i < some; ++i) {
      if (run.values()[i] < before)
        throw damaged("index {} is {} after {}", first + i, run.values()[i], before);
      before = run.values()[i];
    }
  }
  return before;
}

}  // namespace plainfs
