#include "formats/zarr/zarr.h"

#include <fcntl.h>

#include <boost/filesystem.hpp>

#include "formats/text/json.h"
#include "formats/zarr/group.h"
#include "formats/zarr/zip.h"

namespace plainfs::zarr {
namespace {

namespace fs = boost::filesystem;

constexpr const char* kRootDocuments[] = {"zarr.json", ".zarray", ".zgroup", ".zmetadata"};
constexpr const char* kN5 = "attributes.json";
constexpr uint64_t kMostN5Bytes = uint64_t{1} << 20;

bool is_file(const fs::path& path) {
  boost::system::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

bool is_n5(const std::string& path) {
  try {
    FilePool files;
    const auto bytes = files.read_whole_if_exists(path + "/" + kN5, kMostN5Bytes);
    return bytes && parse_json(as_text(*bytes)).find("n5") != nullptr;
  } catch (const std::exception&) {
    return false;
  }
}

// Documents in the root, or in the one folder that all else is in.
bool is_zarr_zip(const std::string& path) {
  if (!looks_like_zip(path)) return false;
  try {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const ZipDirectory directory(File(descriptor, path));
    const auto folders = directory.folders("");
    const bool enclosed = folders.size() == 1 && !directory.has_files("");
    const std::string prefix = enclosed ? folders[0] + "/" : "";
    for (const char* name : kRootDocuments) {
      if (directory.find(prefix + name)) return true;
    }
    return false;
  } catch (const Error&) {
    return path.ends_with(".zarr.zip") || path.ends_with(".zarr");  // open() says what is wrong with it
  }
}

}  // namespace

bool recognises(const std::string& path) {
  boost::system::error_code unknown;
  if (!fs::is_directory(path, unknown)) return is_file(path) && is_zarr_zip(path);
  for (const char* name : kRootDocuments) {
    if (is_file(fs::path(path) / name)) return true;
  }
  return is_file(fs::path(path) / kN5) && is_n5(path);
}

Store open(const std::string& path, Context& context) {
  const bool is_directory = fs::is_directory(path);
  const auto hierarchy = std::make_shared<const Hierarchy>(
      is_directory ? open_directory_store(path, context) : open_zip_store(path, context), context);
  const int version = hierarchy->version();
  auto root = hierarchy->find("", nullptr);
  if (!root && is_n5(path)) throw unsupported("an N5 container, which is no Zarr store");
  if (!root) throw damaged("no zarr.json, .zarray or .zgroup describes the root");
  // An array that others can read is shown, and says so when it is used; a damaged one is no store, nor is a
  // document of which nothing is known, its attributes included.
  const Error* error = std::get_if<Error>(&root->content);
  if (error && (error->code() != Errc::unsupported || !root->attributes)) throw *error;
  if (const auto* group = dynamic_cast<const StoredGroup*>(root->parts.get())) group->check();
  Json::Object details;
  details.emplace_back("storage", is_directory ? "directory" : "zip");
  return Store{path, fmt::format("Zarr v{}", version), std::to_string(version), std::move(*root),
               std::move(details)};
}

}  // namespace plainfs::zarr
