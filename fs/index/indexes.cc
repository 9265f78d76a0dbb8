#include "fs/index/indexes.h"

#include <vector>

#include "cache/mutex.h"
#include "formats/core/model/cell_table.h"
#include "formats/core/model/genome.h"

namespace plainfs {
namespace {

// Returns everything that affects which files exist or what they contain, including the version, as another
// version may write the same content differently.
std::string options_text(const std::string& views, const ReadOptions& options) {
  return fmt::format(
      "plainfs {} views={} missing={:d} plugins={:d} header={:d} outside={:d} rowname={} ragged={:d} "
      "cells={} genome={}",
      PLAINFS_VERSION, views, options.absent_chunk_is_error, options.hdf5_plugins, options.array_header,
      options.follow_outside, options.row_name_header, options.ragged_as_count,
      options.cells ? options.cells->digest : "", options.genome ? options.genome->digest : "");
}

}  // namespace

Indexes::Indexes(IndexFolderPtr folder, std::string named, const std::string& views, Context& context)
    : folder_(std::move(folder)),
      named_(std::move(named)),
      options_(options_text(views, context.options)),
      context_(context) {}

StoreIndex& Indexes::of(const IndexPlace& place) {
  const MutexLock lock(mutex_);
  std::unique_ptr<StoreIndex>& index = indexes_[place.store];
  if (!index) {
    // A store in a mirrored folder may consist of more files than the same store by itself.
    const std::string options = options_ + (place.store == named_ ? "" : " in a folder");
    Context& context = place.is_named ? context_ : context_.of_store(place.store);
    index = std::make_unique<StoreIndex>(
        folder_, place.store, options, context.files,
        [&context](const std::string& message) { context.notice(message); }, place.store == named_);
  }
  return *index;
}

void Indexes::save(bool is_wanted) {
  std::vector<StoreIndex*> all;
  {
    const MutexLock lock(mutex_);
    for (const auto& [store, index] : indexes_) all.push_back(index.get());
  }
  for (StoreIndex* const index : all) index->save(is_wanted);
}

}  // namespace plainfs
