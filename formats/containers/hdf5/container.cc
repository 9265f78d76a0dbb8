#include "formats/containers/hdf5/container.h"

#include "formats/containers/hdf5/group.h"
#include "formats/containers/hdf5/source_file.h"

namespace plainfs::hdf5 {

bool recognises(const Probe& probe) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  if (as_text(probe.first_bytes()).starts_with(kSignature)) return true;
  // Behind a user block: the places are powers of two.
  for (uint64_t at = 512; at + kSignature.size() <= probe.size(); at *= 2) {
    if (as_text(probe.bytes(at, kSignature.size())) == kSignature) return true;
  }
  return false;
}

Store open(const Probe& probe, Context& context) {
  const auto file = std::make_shared<SourceFile>(probe.location(), context);
  Store store;
  store.path = probe.location();
  store.format = "HDF5";
  store.version = fmt::format("superblock {}", file->library().superblock_version());
  store.root.parts = root_group(file);
  store.details.emplace_back("libhdf5", Json(library_version()));
  return store;
}

GroupPtr open_group(const std::string& location, Context& context) {
  return root_group(std::make_shared<SourceFile>(location, context));
}

}  // namespace plainfs::hdf5
