// Room on disk for a matrix that does not fit into the cache.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/base/passes.h"
#include "formats/core/base/scratch.h"

namespace plainfs {

// A folder of the index that keeps no passes and has room for what does not fit into the cache.
class RoomOnDisk : public Passes {
 public:
  RoomOnDisk(const std::string& path, uint64_t max_bytes)
      : folder_(std::make_shared<ScratchFolder>(path, max_bytes)) {}
  std::shared_ptr<const std::vector<uint64_t>> known(const std::string&, const std::string&,
                                                     Sources&) override {
    return nullptr;
  }
  void keep(const std::string&, const std::string&, std::vector<uint64_t>,
            std::chrono::steady_clock::duration, Sources&) override {}
  void discard(const std::string&, Sources&) override {}
  std::shared_ptr<ScratchFolder> scratch() const override { return folder_; }

 private:
  const std::shared_ptr<ScratchFolder> folder_;
};

}  // namespace plainfs
