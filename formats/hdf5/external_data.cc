#include "formats/hdf5/external_data.h"

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cstring>

#include "formats/base/checked.h"

namespace plainfs::hdf5 {

ExternalData::ExternalData(const SourceFile& file, hid_t creation, uint64_t bytes)
    : context_(file.context()) {
  const boost::filesystem::path folder = boost::filesystem::absolute(file.path()).parent_path();
  const int count = checked_call(H5Pget_external_count(creation), "external files");
  uint64_t position = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(count) && position < bytes; ++i) {
    std::vector<char> name(4097, '\0');
    off_t offset = 0;
    hsize_t size = 0;
    checked_call(H5Pget_external(creation, i, name.size() - 1, name.data(), &offset, &size),
                 "external files");
    if (std::strlen(name.data()) == name.size() - 1) throw damaged("an external file of an endless name");
    if (offset < 0) throw damaged("external file {} from byte {} on", name.data(), offset);
    size = std::min<uint64_t>(size, bytes - position);  // that of the last may be without limit
    if (size == 0) continue;
    const boost::filesystem::path path = boost::filesystem::absolute(name.data(), folder);
    stretches_.push_back({path.string(), static_cast<uint64_t>(offset), position, size});
    position += size;
  }
  if (position < bytes) throw damaged("{} bytes in external files, {} wanted", position, bytes);
}

void ExternalData::read(uint64_t position, std::span<std::byte> out) const {
  auto next = std::upper_bound(stretches_.begin(), stretches_.end(), position,
                               [](uint64_t at, const Stretch& stretch) { return at < stretch.position; });
  if (next != stretches_.begin()) --next;
  for (; !out.empty(); ++next) {
    if (next == stretches_.end()) throw damaged("bytes beyond the external files");
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
