#include "formats/core/remote/remote_file.h"

#include <fmt/format.h>

#include <functional>
#include <vector>

namespace plainfs::remote {
namespace {

uint64_t fingerprint_of(const RemoteObject& object) {
  const Version version = object.version().value();
  return std::hash<std::string>()(object.location() + "\n" + version.etag + "\n" + version.last_modified);
}

}  // namespace

RemoteFile::RemoteFile(std::shared_ptr<RemoteObject> object, std::shared_ptr<RangeFetch> first,
                       DiskBlocksPtr disk, std::shared_ptr<BlockPool> pool, std::atomic<uint64_t>* bytes_read)
    : File(object->location(), object->version().value().size, fingerprint_of(*object)),
      pool_(std::move(pool)),
      pooled_(new PooledObject{pool_->new_object(), object, size(), std::move(disk),
                               ReadAhead(pool_->most_ahead())}),
      bytes_read_(bytes_read) {
  if (first) pool_->adopt(*pooled_, std::move(first));
}

RemoteFile::~RemoteFile() {
  pool_->forget(*pooled_);
}

void RemoteFile::read(uint64_t offset, std::span<std::byte> out) const {
  if (out.empty()) return;
  pool_->read(*pooled_, offset, out);
  if (bytes_read_) bytes_read_->fetch_add(out.size(), std::memory_order_relaxed);
}

void RemoteFile::will_read(std::span<const ByteRange> ranges) const {
  std::vector<BlockRange> blocks;
  for (const ByteRange& range : ranges)
    if (range.size > 0)
      blocks.push_back({range.offset / kBlockBytes, (range.offset + range.size - 1) / kBlockBytes + 1});
  pool_->fetch(*pooled_, blocks);
}

std::optional<std::string> RemoteFile::stamp() const {
  const Version version = pooled_->object->version().value();
  if (!version.etag.starts_with('"')) return std::nullopt;  // none, or W/"...", a weak one
  return fmt::format("{} {} {}", version.size, version.etag, version.last_modified);
}

}  // namespace plainfs::remote
