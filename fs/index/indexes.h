// The indexes (store_index.h) of all stores that one opening shows: the named store, and those inside a
// mirrored folder.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "cache/mutex.h"
#include "formats/core/model/context.h"
#include "fs/index/store_index.h"

namespace plainfs {

// A file in one of the stores.
struct IndexPlace {
  std::string store;      // its location
  bool is_named = false;  // it is read by the context of the named store
  std::string path;       // from the store's root
};

// A cache of indexes. Thread-safe.
class Indexes {
 public:
  // folder: null if nothing is kept. named: location of the named store. views: those that are shown.
  // context: of the named store; it must outlive this.
  Indexes(IndexFolderPtr folder, std::string named, const std::string& views, Context& context);

  // Creates indexes for the same stores and views in another folder.
  Indexes(IndexFolderPtr folder, const Indexes& like)
      : folder_(std::move(folder)), named_(like.named_), options_(like.options_), context_(like.context_) {}

  bool are_kept() const { return folder_ != nullptr; }
  // Requires: are_kept().
  StoreIndex& of(const IndexPlace& place);
  // Saves all indexes used so far, see StoreIndex::save.
  void save(bool is_wanted);

 private:
  const IndexFolderPtr folder_;
  const std::string named_;
  const std::string options_;
  Context& context_;
  Mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<StoreIndex>> indexes_ GUARDED_BY(mutex_);
};

}  // namespace plainfs
