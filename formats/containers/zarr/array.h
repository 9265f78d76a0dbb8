// An array of a Zarr store. Its chunks are the chunks of the grid, or the innermost chunks if it is sharded.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "cache/lazy.h"
#include "formats/containers/zarr/metadata.h"
#include "formats/containers/zarr/sharding.h"
#include "formats/core/base/key_store.h"

namespace plainfs::zarr {

class StoredArray : public ChunkedArray {
 public:
  // Opens the array at path in the store ("" for the root, "a/b"). attributes reads its attributes on demand.
  // The array shares the store, since it may outlive the group in which it was found.
  static std::shared_ptr<const StoredArray> open(Context& context, KeyStorePtr store, std::string path,
                                                 ArrayMetadata metadata,
                                                 std::function<Attributes()> attributes);

  Attributes attributes() const override { return attributes_(); }
  const KeyStore& store() const { return *store_; }
  // Returns the fill value of version 2 in the spelling of .zarray, nullopt if it is null or the array has
  // version 3.
  const std::optional<Json>& stated_fill_value() const { return stated_fill_; }
  // Returns the members that NCZarr 4.9 adds to .zarray, null if it has none of them.
  const Json& nczarr() const { return nczarr_; }

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override;
  std::optional<Elements> load_rows(std::span<const uint64_t> chunk, uint64_t first,
                                    uint64_t count) const override;
  // Knows the boxes in which no shard is stored.
  std::optional<Elements> absent(const Box& box) const override;

 private:
  StoredArray(Context& context, KeyStorePtr store, std::string path, ArrayMetadata metadata,
              std::optional<ShardReader> shards, std::function<Attributes()> attributes);
  // Returns the encoded chunk of grid(), null if it is absent. Sets key to its key, for messages.
  ValuePtr find_chunk(std::span<const uint64_t> chunk, std::string& key) const;
  ValuePtr open_chunk(std::span<const uint64_t> chunk, std::string& key) const;
  ValuePtr open_as(const ChunkKeys& keys, std::span<const uint64_t> chunk, const std::string& stated) const;
  void check_no_strangers() const;
  void announce_sizes() const;
  ValuePtr open_inner(ValuePtr shard, std::span<const uint64_t> inner, std::span<const uint64_t> outer) const;
  Elements absent_chunk() const;
  bool is_absent(std::span<const uint64_t> outer) const;

  KeyStorePtr store_;
  std::string path_;
  ChunkKeys keys_;
  ChunkGrid outer_grid_;  // of the stored chunks; grid() has the innermost chunks
  CodecChain chain_;      // of the innermost chunks
  Elements fill_;
  std::optional<Json> stated_fill_;
  Json nczarr_;
  std::optional<Error> fill_error_;
  std::optional<ShardReader> shards_;
  const uint64_t presence_owner_;  // in the cache: whether a shard is stored
  std::function<Attributes()> attributes_;
  // Whether a chunk was found under the key that the metadata give it, and under another key. Relaxed: they
  // only decide which keys are worth looking up.
  mutable std::atomic<bool> has_stated_{false}, has_other_{false};
  Lazy<std::optional<Error>> strangers_;  // why missing chunks do not count as absent
};

}  // namespace plainfs::zarr
