// Passes (formats/core/base/passes.h) in the index: a file of its own for each store, with an
// entry under each name, so that they are known before it is opened, whatever its views are.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "formats/core/base/passes.h"
#include "formats/core/base/scratch.h"
#include "fs/index/store_index.h"

namespace plainfs {

class KeptPasses final : public Passes {
 public:
  // The part of the free space (1 / kScratchPartOfFree) that temporary files may take, if it is over the
  // limit of the index.
  static constexpr uint64_t kScratchPartOfFree = 4;

  // The arguments are those of StoreIndex. Requires: folder is not null.
  KeptPasses(IndexFolderPtr folder, std::function<void(const std::string&)> notice)
      : folder_(std::move(folder)),
        notice_(std::move(notice)),
        scratch_(
            std::make_shared<ScratchFolder>(folder_->path(), IndexFolder::kMaxBytes, kScratchPartOfFree)) {}

  std::shared_ptr<const std::vector<uint64_t>> known(const std::string& location, const std::string& name,
                                                     Sources& files) override;
  void keep(const std::string& location, const std::string& name, std::vector<uint64_t> numbers,
            std::chrono::steady_clock::duration took, Sources& files) override;
  void discard(const std::string& location, Sources& files) override;
  std::shared_ptr<ScratchFolder> scratch() const override { return scratch_; }

 private:
  StoreIndex index_of(const std::string& location, Sources& files) const;

  const IndexFolderPtr folder_;
  const std::function<void(const std::string&)> notice_;
  const std::shared_ptr<ScratchFolder> scratch_;
};

}  // namespace plainfs
