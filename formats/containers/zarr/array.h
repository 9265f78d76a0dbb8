// An array of a Zarr store. Its chunks are those of the grid, or the innermost chunks where it is sharded.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "formats/containers/zarr/metadata.h"
#include "formats/containers/zarr/sharding.h"
#include "formats/core/base/key_store.h"

namespace plainfs::zarr {

class StoredArray : public ChunkedArray {
 public:
  // path: of the array in the store, "" for the root, "a/b". attributes: reads them on demand.
  // store: shared, since an array may outlive the group it was found in.
  static std::shared_ptr<const StoredArray> open(Context& context, KeyStorePtr store, std::string path,
                                                 ArrayMetadata metadata,
                                                 std::function<Attributes()> attributes);

  Attributes attributes() const override { return attributes_(); }
  const KeyStore& store() const { return *store_; }
  // The fill value of version 2 as .zarray spells it; nullopt for null, and of version 3.
  const std::optional<Json>& stated_fill_value() const { return stated_fill_; }
  // What NCZarr 4.9 adds to .zarray, else null.
  const Json& nczarr() const { return nczarr_; }

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override;
  std::optional<Elements> load_rows(std::span<const uint64_t> chunk, uint64_t first,
                                    uint64_t count) const override;

 private:
  StoredArray(Context& context, KeyStorePtr store, std::string path, ArrayMetadata metadata,
              std::optional<ShardReader> shards, std::function<Attributes()> attributes);
  // The encoded chunk of grid(), or null. key becomes its key, for messages.
  ValuePtr find_chunk(std::span<const uint64_t> chunk, std::string& key) const;
  ValuePtr open_chunk(std::span<const uint64_t> chunk, std::string& key) const;
  ValuePtr open_inner(ValuePtr shard, std::span<const uint64_t> inner, std::span<const uint64_t> outer) const;
  Elements absent_chunk() const;

  KeyStorePtr store_;
  std::string path_;
  ChunkKeys keys_;
  ChunkGrid outer_grid_;  // of the stored chunks; grid() is that of the innermost
  CodecChain chain_;      // of the innermost chunks
  Elements fill_;
  std::optional<Json> stated_fill_;
  Json nczarr_;
  std::optional<ShardReader> shards_;
  std::function<Attributes()> attributes_;
};

}  // namespace plainfs::zarr
