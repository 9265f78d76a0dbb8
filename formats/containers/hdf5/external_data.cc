#include "formats/containers/hdf5/external_data.h"

#include <algorithm>
#include <boost/filesystem.hpp>

#include "formats/core/base/checked.h"

namespace plainfs::hdf5 {

ExternalData::ExternalData(const SourceFile& file, const std::vector<ExternalStretch>& stored, uint64_t bytes)
    : context_(file.context()) {
  const boost::filesystem::path folder = boost::filesystem::absolute(file.path()).parent_path();
  uint64_t position = 0;
  for (const ExternalStretch& stretch : stored) {
    if (position >= bytes) break;
    if (stretch.offset < 0)
      throw damaged("invalid offset in external file {}: {}", stretch.file, stretch.offset);
    const uint64_t size = std::min<uint64_t>(stretch.size, bytes - position);
    if (size == 0) continue;
    const boost::filesystem::path path = boost::filesystem::absolute(stretch.file, folder);
    stretches_.push_back({path.string(), static_cast<uint64_t>(stretch.offset), position, size});
    position += size;
  }
  if (position < bytes) throw damaged("{} bytes in external files, expected {}", position, bytes);
}

void ExternalData::read(uint64_t position, std::span<std::byte> out) const {
  auto next = std::upper_bound(stretches_.begin(), stretches_.end(), position,
                               [](uint64_t at, const Stretch& stretch) { return at < stretch.position; });
  if (next != stretches_.begin()) --next;
  for (; !out.empty(); ++next) {
    if (next == stretches_.end()) throw damaged("data beyond the end of the external files");
    const uint64_t skipped = position - next->position;
    const size_t size = std::min<uint64_t>(out.size(), next->size - skipped);
    const FilePtr file = context_.files.open_if_exists(next->path);
    if (!file) throw damaged("external file {} does not exist", next->path);
    file->read_at(checked_add(next->offset, skipped), out.first(size));
    out = out.subspan(size);
    position += size;
  }
}

}  // namespace plainfs::hdf5
