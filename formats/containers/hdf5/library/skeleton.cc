#include "formats/containers/hdf5/library/skeleton.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <string>

#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/library/file_sink.h"
#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/library/object_writer.h"
#include "formats/containers/hdf5/library/sink_file.h"

namespace plainfs::hdf5 {
namespace {

// A file that libhdf5 writes into memory. It is a list of extents, and all other bytes are zero. Room for
// data of any size thus costs nothing.
class KeptFile : public FileSink {
 public:
  // Throws bad_alloc. The bytes that were there before are then lost too.
  void write_at(uint64_t offset, std::span<const char> bytes) override;
  void read_at(uint64_t offset, std::span<char> bytes) override;
  void set_size(uint64_t size) override { size_ = size; }

  // Keyed by offset. Extents do not overlap, and adjacent ones are joined.
  const std::map<uint64_t, std::string>& extents() const { return extents_; }
  // Returns the end of the last bytes, or the size that the library has set since.
  uint64_t size() const { return size_; }

 private:
  std::map<uint64_t, std::string> extents_;
  uint64_t size_ = 0;
};

void KeptFile::write_at(uint64_t offset, std::span<const char> bytes) {
  if (bytes.empty()) return;
  const uint64_t end = offset + bytes.size();
  size_ = std::max(size_, end);
  // The first extent that reaches offset or begins after it.
  auto at = extents_.upper_bound(offset);
  if (at != extents_.begin() && std::prev(at)->first + std::prev(at)->second.size() >= offset) --at;
  if (at != extents_.end() && at->first <= offset && at->first + at->second.size() >= end) {
    std::copy(bytes.begin(), bytes.end(), at->second.begin() + static_cast<ptrdiff_t>(offset - at->first));
    return;
  }
  // Joins all extents that touch the new bytes.
  uint64_t start = offset;
  std::string joined;
  if (at != extents_.end() && at->first < offset) {
    start = at->first;
    joined = std::move(at->second);
    joined.resize(offset - start);
    at = extents_.erase(at);
  }
  joined.append(bytes.data(), bytes.size());
  while (at != extents_.end() && at->first <= end) {
    if (at->first + at->second.size() > end) joined.append(at->second, end - at->first);
    at = extents_.erase(at);
  }
  extents_[start] = std::move(joined);
}

void KeptFile::read_at(uint64_t offset, std::span<char> bytes) {
  std::memset(bytes.data(), 0, bytes.size());
  const uint64_t end = offset + bytes.size();
  auto at = extents_.upper_bound(offset);
  if (at != extents_.begin()) --at;
  for (; at != extents_.end() && at->first < end; ++at) {
    const uint64_t from = std::max(offset, at->first), to = std::min(end, at->first + at->second.size());
    if (from < to)
      std::memcpy(bytes.data() + (from - offset), at->second.data() + (from - at->first), to - from);
  }
}

class SkeletonWriter {
 public:
  explicit SkeletonWriter(const std::string& user_block)
      : objects_(access_.id(), user_block.empty() ? 0 : kUserBlock) {
    kept_.write_at(0, user_block);
  }

  // Returns the offset of the object's data.
  uint64_t add(const SkeletonObject& object) {
    const DatasetHandle generated = objects_.add(object);
    if (!object.dataset) return 0;
    const haddr_t offset = H5Dget_offset(generated.id());
    take_library_error();  // a dataset without elements has no place, which the library reports as an error
    return offset == HADDR_UNDEF ? 0 : offset;
  }

  Skeleton finish() {
    objects_.finish();
    throw_driver_error();  // the library does not report every error
    Skeleton skeleton;
    skeleton.size = kept_.size();
    for (const auto& [offset, bytes] : kept_.extents()) skeleton.extents.push_back({offset, bytes});
    return skeleton;
  }

 private:
  KeptFile kept_;  // before the file, which writes into it when it is closed
  const PropertyHandle access_ = access_into(kept_, MetadataPlacement::as_allocated);
  ObjectWriter objects_;
};

}  // namespace

Skeleton write_skeleton(const std::vector<SkeletonObject>& objects, const std::string& user_block) {
  const LibraryLock lock;
  forget_driver_error();
  SkeletonWriter writer(user_block);
  std::vector<uint64_t> offsets;
  for (const SkeletonObject& object : objects) {
    try {
      offsets.push_back(writer.add(object));
    } catch (const Error& error) {
      throw unsupported("{} in an HDF5 file: {}", object.path, error.what());
    }
  }
  Skeleton skeleton = writer.finish();
  skeleton.data_offsets = std::move(offsets);
  return skeleton;
}

}  // namespace plainfs::hdf5
