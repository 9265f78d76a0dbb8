#include "formats/containers/zarr/zarr.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "formats/containers/zarr/group.h"
#include "formats/containers/zarr/keys.h"
#include "formats/containers/zarr/zip_store.h"
#include "formats/core/text/json.h"
#include "formats/core/text/path_names.h"

namespace plainfs::zarr {
namespace {

constexpr const char* kN5 = "attributes.json";
constexpr uint64_t kMaxN5Bytes = uint64_t{1} << 20;

bool is_n5(const Probe& probe) {
  try {
    const Bytes attributes = probe.bytes_of(kN5, kMaxN5Bytes);
    return !attributes.empty() && parse_json(as_text(attributes)).find("n5") != nullptr;
  } catch (const Error&) {
    return false;
  }
}

// The directory of a file that begins like a zip file, or the error of reading it.
struct ZipLook {
  std::shared_ptr<const ZipDirectory> directory;
  std::string folder{};    // of the store, "" or "NAME/"
  std::string document{};  // name of the root's document, else of the first document below it, or ""
  std::optional<Error> error{};
};

std::string root_document(const ZipDirectory& zip, const std::string& folder) {
  for (const char* name : kRootDocuments)
    if (zip.find(folder + name)) return name;
  return "";
}

bool is_node_document(std::string_view name) {
  name = last_name(name);
  return name == kV3 || name == kV2Array || name == kV2Group;
}

// Descends through folders that contain everything else.
ZipLook store_in(std::shared_ptr<const ZipDirectory> directory) {
  ZipLook look{std::move(directory)};
  const ZipDirectory& zip = *look.directory;
  while ((look.document = root_document(zip, look.folder)).empty()) {
    const std::string only = zip.only_folder(look.folder);
    if (only.empty()) break;
    look.folder += only + "/";
  }
  if (!look.document.empty()) return look;
  if (const ZipMember* const member = zip.find_if(is_node_document))
    look.document = last_name(zip.name(*member));
  return look;
}

const ZipLook& zip_look(const Probe& probe) {
  return probe.once<ZipLook>([&]() -> ZipLook {
    try {
      return store_in(std::make_shared<const ZipDirectory>(*probe.file()));
    } catch (const Error& error) {
      return {.directory = nullptr, .error = error};
    }
  });
}

// Returns whether the file has documents in the root, in the one folder that contains all else, or in any
// folder of that.
bool is_zarr_zip(const Probe& probe) {
  if (!looks_like_zip(probe.first_bytes())) return false;
  const ZipLook& zip = zip_look(probe);
  if (zip.error)  // open() reports the error
    return probe.location().ends_with(".zarr.zip") || probe.location().ends_with(".zarr");
  return !zip.document.empty();
}

KeyStorePtr open_keys(const Probe& probe, Context& context) {
  if (probe.is_folder()) return context.files.open_folder(probe.location());
  if (!probe.file()) throw unreadable("cannot be opened");
  const ZipLook& zip = zip_look(probe);
  if (zip.error) throw *zip.error;
  return open_zip_store(probe.file(), zip.directory, zip.folder, context);
}

// Returns the version of the root's metadata, 2 or 3, else of the first document found.
int version_of(const Hierarchy& hierarchy, const Probe& probe) {
  if (const int version = hierarchy.version()) return version;
  return !probe.is_folder() && zip_look(probe).document == kV3 ? 3 : 2;
}

// Returns the root. It is an implicit group in an archive of several stores and in a folder that has only
// attributes.
std::optional<Node> root_of(const Hierarchy& hierarchy, const Probe& probe) {
  std::optional<Node> root = hierarchy.find("", nullptr);
  const bool may_be_implicit = hierarchy.store()->is_listable() && !is_n5(probe);
  return root || !may_be_implicit ? std::move(root) : std::optional(hierarchy.implicit_root());
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
  auto root = root_of(*hierarchy, probe);
  const int version = version_of(*hierarchy, probe);
  if (!root && is_n5(probe)) throw unsupported("an N5 container, not a Zarr store");
  if (!root) throw damaged("the root has no zarr.json, .zarray or .zgroup");
  // A root array that other programs can read opens, and fails with its error on use. A damaged array is not
  // a store. Neither is a document of which nothing can be read, not even its attributes.
  const Error* error = std::get_if<Error>(&root->content);
  if (error && (!is_unsupported(*error) || !root->attributes)) throw *error;
  if (const auto* group = dynamic_cast<const StoredGroup*>(root->parts.get())) group->check();
  Json::Object details;
  details.emplace_back("storage", probe.is_folder() ? "directory" : "zip");
  return Store{probe.location(), fmt::format("Zarr v{}", version), std::to_string(version), std::move(*root),
               std::move(details)};
}

}  // namespace plainfs::zarr
