#include "formats/core/remote/remote_files.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <vector>

#include "formats/core/base/error.h"

namespace plainfs::remote {

namespace {

uint64_t fingerprint_of(const RemoteObject& object) {
  const Version version = object.version().value();
  return std::hash<std::string>()(object.location() + "\n" + version.etag + "\n" + version.last_modified);
}

}  // namespace

RemoteFile::RemoteFile(std::shared_ptr<RemoteObject> object, std::shared_ptr<RangeFetch> first,
                       DiskBlocksPtr disk, std::shared_ptr<BlockPool> pool, bool is_store,
                       std::atomic<uint64_t>* bytes_read)
    : File(object->location(), object->version().value().size, fingerprint_of(*object)),
      pool_(std::move(pool)),
      pooled_(new PooledObject{pool_->new_object(), object, size(), std::move(disk), is_store,
                               ReadAhead(pool_->max_ahead())}),
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
  if (!version.etag.starts_with('"')) return std::nullopt;  // no ETag, or a weak one (W/"...")
  return fmt::format("{} {} {}", version.size, version.etag, version.last_modified);
}

std::optional<Version> version_of_stamp(const std::string& stamp) {
  Version version;
  const auto [end, error] = std::from_chars(stamp.data(), stamp.data() + stamp.size(), version.size);
  const size_t begin = static_cast<size_t>(end - stamp.data()) + 1;
  const size_t quote = stamp.find('"', begin + 1);
  if (error != std::errc() || stamp.compare(begin - 1, 2, " \"") != 0 || quote == stamp.npos ||
      stamp.compare(quote, 2, "\" ") != 0)
    return std::nullopt;
  version.etag = stamp.substr(begin, quote + 1 - begin);
  version.last_modified = stamp.substr(quote + 2);
  return version;
}

namespace {

class RemoteFolder : public KeyStore {
 public:
  RemoteFolder(const std::string& location, Sources& sources, RemoteListing* listing)
      : KeyStore(location), sources_(sources), listing_(listing) {}

  bool is_remote() const override { return true; }
  bool is_listable() const override { return listing_ != nullptr; }

  ValuePtr open(const std::string& key) const override {
    FilePtr file = sources_.open_if_exists(place_of(key));
    if (!file) return nullptr;
    return std::make_shared<FileValue>(std::move(file));
  }

  void expect_sizes(const std::string& folder, uint64_t bytes) const override {
    sources_.expect_sizes(place_of(folder), bytes);
  }

  bool has_folder(const std::string& folder) const override {
    return listing_ && !listing_->list(place_of(folder)).empty();
  }

  std::vector<Entry> list(const std::string& folder) const override {
    if (!listing_) throw unsupported("{}: plain HTTP cannot list folders", place_of(folder));
    return listing_->list(place_of(folder));
  }

 private:
  std::string place_of(const std::string& key) const {
    return key.empty() ? location() : location() + "/" + key;
  }

  Sources& sources_;
  RemoteListing* const listing_;
};

}  // namespace

KeyStorePtr open_remote_folder(const std::string& location, Sources& sources, RemoteListing* listing) {
  return std::make_shared<const RemoteFolder>(location, sources, listing);
}

}  // namespace plainfs::remote
