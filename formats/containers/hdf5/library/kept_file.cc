#include "formats/containers/hdf5/library/kept_file.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "formats/containers/hdf5/library/file_driver.h"

namespace plainfs::hdf5 {
namespace {

// What the library holds of an open file; it knows the first member only.
struct KeptDriverFile {
  H5FD_t known;
  KeptFile* kept;
  haddr_t end_of_addresses;
};

struct DriverInfo {
  KeptFile* kept;
};

KeptDriverFile* own(H5FD_t* file) {
  return reinterpret_cast<KeptDriverFile*>(file);
}
const KeptDriverFile* own(const H5FD_t* file) {
  return reinterpret_cast<const KeptDriverFile*>(file);
}

H5FD_t* open_kept(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (!info) return nullptr;
  try {
    auto* file = new KeptDriverFile{};
    file->kept = info->kept;
    file->kept->clear();
    file->kept->size = 0;
    return &file->known;
  } catch (const std::bad_alloc&) {
    keep_driver_error();
    return nullptr;
  }
}

herr_t close_kept(H5FD_t* file) {
  delete own(file);
  return 0;
}

// No aggregation: metadata land where they are allocated.
herr_t query_kept(const H5FD_t*, unsigned long* flags) {
  if (flags) *flags = 0;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) {
  return own(file)->end_of_addresses;
}

herr_t set_kept_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  own(file)->end_of_addresses = address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return own(file)->kept->size;
}

herr_t read_kept(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* bytes) {
  own(file)->kept->read(address, {static_cast<char*>(bytes), size});
  return 0;
}

herr_t write_kept(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* bytes) {
  KeptFile& kept = *own(file)->kept;
  try {
    kept.write(address, {static_cast<const char*>(bytes), size});
  } catch (const std::bad_alloc&) {
    keep_driver_error();
    return -1;
  }
  kept.size = std::max<uint64_t>(kept.size, address + size);
  return 0;
}

herr_t truncate_kept(H5FD_t* file, hid_t, hbool_t) {
  own(file)->kept->size = own(file)->end_of_addresses;
  return 0;
}

herr_t lock_kept(H5FD_t*, hbool_t) {
  return 0;
}
herr_t unlock_kept(H5FD_t*) {
  return 0;
}

H5FD_class_t kept_driver_class() {
  H5FD_class_t driver = driver_class_named("plainfs_kept", 1);
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = open_kept;
  driver.close = close_kept;
  driver.query = query_kept;
  driver.get_eoa = end_of_addresses;
  driver.set_eoa = set_kept_end_of_addresses;
  driver.get_eof = end_of_file;
  driver.read = read_kept;
  driver.write = write_kept;
  driver.truncate = truncate_kept;
  driver.lock = lock_kept;
  driver.unlock = unlock_kept;
  return driver;
}

// Registered once, and never taken back, as that of file_driver.cc.
hid_t kept_driver_id() {
  static const H5FD_class_t driver = kept_driver_class();
  static const hid_t id = checked_call(H5FDregister(&driver), "libhdf5 refuses a file driver");
  return id;
}

}  // namespace

void KeptFile::write(uint64_t offset, std::span<const char> bytes) {
  if (bytes.empty()) return;
  const uint64_t end = offset + bytes.size();
  // The first extent that reaches offset, or one beyond.
  auto at = extents_.upper_bound(offset);
  if (at != extents_.begin() && std::prev(at)->first + std::prev(at)->second.size() >= offset) --at;
  if (at != extents_.end() && at->first <= offset && at->first + at->second.size() >= end) {
    std::copy(bytes.begin(), bytes.end(), at->second.begin() + static_cast<ptrdiff_t>(offset - at->first));
    return;
  }
  // One extent of all that touch the new bytes.
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

void KeptFile::read(uint64_t offset, std::span<char> bytes) const {
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

void keep_in(KeptFile& kept, hid_t access) {
  const DriverInfo info{&kept};
  checked_call(H5Pset_driver(access, kept_driver_id(), &info),
               "file driver");  // which copies the information
}

}  // namespace plainfs::hdf5
