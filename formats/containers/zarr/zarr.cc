#include "formats/containers/zarr/zarr.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "formats/containers/zarr/group.h"
#include "formats/containers/zarr/zip_store.h"
#include "formats/core/text/json.h"

namespace plainfs::zarr {
namespace {

constexpr const char* kRootDocuments[] = {"zarr.json", ".zarray", ".zgroup", ".zmetadata"};
constexpr const char* kN5 = "attributes.json";
constexpr uint64_t kMostN5Bytes = uint64_t{1} << 20;

bool is_n5(const Probe& probe) {
  try {
    const Bytes attributes = probe.bytes_of(kN5, kMostN5Bytes);
    return !attributes.empty() && parse_json(as_text(attributes)).find("n5") != nullptr;
  } catch (const Error&) {
    return false;
  }
}

// The directory of a file that begins as a zip does, or why it cannot be read.
struct ZipLook {
  std::shared_ptr<const ZipDirectory> directory;
  std::optional<Error> error;
};

const ZipLook& zip_directory(const Probe& probe) {
  return probe.once<ZipLook>([&]() -> ZipLook {
    try {
      return {std::make_shared<const ZipDirectory>(*probe.file()), {}};
    } catch (const Error& error) {
      return {nullptr, error};
    }
  });
}

// Documents in the root, or in the one folder that all else is in.
bool is_zarr_zip(const Probe& probe) {
  if (!looks_like_zip(probe.first_bytes())) return false;
  const ZipLook& zip = zip_directory(probe);
  if (zip.error)  // open() says what is wrong with it
    return probe.location().ends_with(".zarr.zip") || probe.location().ends_with(".zarr");
  const std::string prefix = zip.directory->common_folder();
  return std::any_of(std::begin(kRootDocuments), std::end(kRootDocuments),
                     [&](const char* name) { return zip.directory->find(prefix + name) != nullptr; });
}

KeyStorePtr open_keys(const Probe& probe, Context& context) {
  if (probe.is_folder()) return context.files.open_folder(probe.location());
  if (!probe.file()) throw unreadable("cannot be opened");
  const ZipLook& zip = zip_directory(probe);
  if (zip.error) throw *zip.error;
  return open_zip_store(probe.file(), zip.directory, context);
}

}  // namespace

bool recognises(const Probe& probe) {
  if (!probe.is_folder()) return is_zarr_zip(probe);
  return std::any_of(std::begin(kRootDocuments), std::end(kRootDocuments),
                     [&](const char* name) { return probe.has_file(name); }) ||
         is_n5(probe);
}

Store open(const Probe& probe, Context& context) {
  const auto hierarchy = std::make_shared<const Hierarchy>(open_keys(probe, context), context);
  const int version = hierarchy->version();
  auto root = hierarchy->find("", nullptr);
  if (!root && is_n5(probe)) throw unsupported("an N5 container, which is no Zarr store");
  if (!root) throw damaged("no zarr.json, .zarray or .zgroup describes the root");
  // An array that others can read is shown, and says so when it is used; a damaged one is no store, nor is a
  // document of which nothing is known, its attributes included.
  const Error* error = std::get_if<Error>(&root->content);
  if (error && (error->code() != Errc::unsupported || !root->attributes)) throw *error;
  if (const auto* group = dynamic_cast<const StoredGroup*>(root->parts.get())) group->check();
  Json::Object details;
  details.emplace_back("storage", probe.is_folder() ? "directory" : "zip");
  return Store{probe.location(), fmt::format("Zarr v{}", version), std::to_string(version), std::move(*root),
               std::move(details)};
}

}  // namespace plainfs::zarr
