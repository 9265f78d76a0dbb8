#include "fs/text/side_by_side.h"

#include <algorithm>

namespace plainfs {

void measure_side_by_side(std::vector<std::shared_ptr<ViewFile>> files, Workers& workers,
                          const std::function<void(uint64_t part, uint64_t parts)>& has_measured) {
  uint64_t parts = 1;
  for (std::shared_ptr<ViewFile>& file : files) {
    try {
      parts = std::max(parts, file->parts_to_measure());
    } catch (const Error&) {
      file = nullptr;
    }
  }
  std::erase(files, nullptr);
  for (uint64_t part = 0; part < parts; ++part) {
    workers.parallel_for(files.size(), [&](size_t i) {
      try {
        if (parts > 1 && files[i]) files[i]->measure_part(part, parts);
      } catch (const Error&) {
        files[i] = nullptr;
      }
    });
    has_measured(part, parts);
  }
  workers.parallel_for(files.size(), [&](size_t i) {
    try {
      if (parts > 1 && files[i]) files[i]->size();
    } catch (const Error&) {
      // size() reports the error
    }
  });
}

}  // namespace plainfs
