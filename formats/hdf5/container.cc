#include "formats/hdf5/container.h"

#include <array>
#include <boost/filesystem.hpp>
#include <fstream>

#include "formats/hdf5/group.h"
#include "formats/hdf5/library.h"
#include "formats/hdf5/source_file.h"

namespace plainfs::hdf5 {

bool recognises(const std::string& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  boost::system::error_code failure;
  if (!boost::filesystem::is_regular_file(path, failure)) return false;
  const uint64_t size = boost::filesystem::file_size(path, failure);
  if (failure) return false;
  std::ifstream file(path, std::ios::binary);
  for (uint64_t at = 0; file && at < size; at = at ? 2 * at : 512) {
    std::array<char, kSignature.size()> bytes;
    file.seekg(static_cast<std::streamoff>(at));
    if (file.read(bytes.data(), bytes.size()) && std::string_view(bytes.data(), bytes.size()) == kSignature)
      return true;
  }
  return false;
}

Store open(const std::string& path, Context& context) {
  const auto file = std::make_shared<SourceFile>(path, context);
  Store store;
  store.path = boost::filesystem::absolute(path).string();
  store.format = "HDF5";
  store.version = fmt::format("superblock {}", file->superblock_version());
  store.root.parts = root_group(file);
  store.details.emplace_back("libhdf5", Json(library_version()));
  return store;
}

GroupPtr open_group(const std::string& path, Context& context) {
  return root_group(std::make_shared<SourceFile>(path, context));
}

}  // namespace plainfs::hdf5
