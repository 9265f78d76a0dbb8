#include "formats/containers/hdf5/library/open_dataset.h"

#include <algorithm>
#include <boost/filesystem.hpp>

#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/library/own_filters.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/host_path.h"
#include "formats/core/codecs/codecs.h"

namespace plainfs::hdf5 {
namespace {

namespace fs = boost::filesystem;

// External links that lead to each other, as in libhdf5.
constexpr unsigned kMaxLinks = 16;
// Levels of virtual datasets of virtual datasets. A dataset that is its own source would have no end.
constexpr unsigned kDeepestVirtual = 8;
// Limit of a series of files or datasets ("%b" in the name). A series ends at the first missing one.
constexpr uint64_t kLongestSeries = 1 << 16;

template <class Get>
std::string property_text(hid_t creation, size_t i, Get get) {
  const ssize_t size = checked_call(get(creation, i, nullptr, 0), "a source of a virtual dataset");
  std::string text(static_cast<size_t>(size) + 1, '\0');
  checked_call(get(creation, i, text.data(), text.size()), "a source of a virtual dataset");
  text.resize(static_cast<size_t>(size));
  return text;
}

bool is_series(const std::string& name) {
  for (size_t at = 0; (at = name.find('%', at)) != std::string::npos; at += 2)
    if (name.compare(at, 2, "%b") == 0) return true;
  return false;
}

// Returns name with the number of the block for each "%b", and "%" for each "%%".
std::string name_of_block(const std::string& name, uint64_t block) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool is_pair = name[i] == '%' && i + 1 < name.size();
    if (is_pair && name[i + 1] == 'b') {
      out += std::to_string(block);
      ++i;
    } else {
      out += name[i];
      if (is_pair && name[i + 1] == '%') ++i;
    }
  }
  return out;
}

// Adds one to a number while it exists.
class Counted {
 public:
  explicit Counted(unsigned& number) : number_(++number) {}
  ~Counted() { --number_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  unsigned& number_;
};

FileHandle open_source(const std::string& path, Sources& sources) {
  const auto access = checked_handle<PropertyHandle>(H5Pcreate(H5P_FILE_ACCESS), "file access properties");
  read_through(sources, access.id());
  checked_call(H5Pset_file_locking(access.id(), false, true), "file locking");
  return checked_handle<FileHandle>(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()),
                                    "not readable as HDF5");
}

}  // namespace

// Searches in the library's order. An absolute name is tried as it is, then as a relative name without its
// folders. A relative name is searched beside the file, in the current folder, and beside the target if the
// file is a link.
std::string VirtualSources::find_file(const std::string& path, const std::string& name) const {
  const fs::path wanted(name);
  const fs::path last = wanted.is_absolute() ? wanted.filename() : wanted;
  boost::system::error_code error;
  const fs::path whole = real_path(path, error);
  std::vector<fs::path> places;
  if (wanted.is_absolute()) places.push_back(wanted);
  places.push_back(fs::absolute(path).parent_path() / last);
  const fs::path stray = fs::absolute(last);
  places.push_back(stray);
  if (!error) places.push_back(whole.parent_path() / last);
  for (const fs::path& place : places) {
    paths_.push_back(place.string());
    if (!file_->context().files.open_if_exists(place.string())) continue;
    if (place.native() == stray.native() && place.native() != places.front().native())
      throw unsupported("source file {}: in the current folder, not beside the file", name);
    return place.string();
  }
  return {};
}

void VirtualSources::check_dataset(const std::string& path, hid_t file, const std::string& name,
                                   unsigned depth) const {
  // Several datasets may share a source, at every depth.
  const auto [seen, is_new] = datasets_.try_emplace({path, name}, false);
  if (!is_new) {
    if (seen->second) return;
    throw unsupported("virtual datasets that refer to themselves");
  }
  DatasetHandle dataset = open_dataset(file, name);
  if (dataset.id() >= 0) {
    const auto creation =
        checked_handle<PropertyHandle>(H5Dget_create_plist(dataset.id()), "creation properties");
    if (H5Pget_external_count(creation.id()) > 0) throw unsupported("a source with external raw files");
    const H5D_layout_t layout = H5Pget_layout(creation.id());
    if (layout == H5D_VIRTUAL) {
      // Links may have led to another file.
      const auto own = checked_handle<FileHandle>(H5Iget_file_id(dataset.id()), "the file of a source");
      check_mappings(creation.id(), path_of_file(own.id()), own.id(), depth + 1);
      checked_handle<SpaceHandle>(H5Dget_space(dataset.id()), "dataspace");
      nested_.push_back(std::move(dataset));
    } else if (layout == H5D_CHUNKED) {
      check_filters(dataset.id(), creation.id());
    }
  }
  seen->second = true;
}

DatasetHandle VirtualSources::open_dataset(hid_t file, const std::string& name) const {
  has_missing_target_ = false;
  DatasetHandle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  if (dataset.id() >= 0) return dataset;
  if (!has_missing_target_) throw library_error("no dataset");
  forget_driver_error();
  clear_library_error();
  return {};
}

void VirtualSources::check_filters(hid_t dataset, hid_t creation) const {
  const int filters = checked_call(H5Pget_nfilters(creation), "filters");
  for (unsigned i = 0; i < static_cast<unsigned>(filters); ++i) {
    unsigned flags = 0, config = 0;
    size_t values = 0;
    const int number =
        checked_call(H5Pget_filter2(creation, i, &flags, &values, nullptr, 0, nullptr, &config), "a filter");
    if (!decodes_safely(number)) throw undecodable("a source with HDF5 filter {}", number);
    if (H5Zfilter_avail(number) <= 0) {
      clear_library_error();
      throw unsupported_hdf5_filter(static_cast<unsigned>(number)).at("a source of a virtual dataset");
    }
  }
  largest_chunk_ = std::max(largest_chunk_, chunk_bytes(dataset, creation));
}

ObjectHandle VirtualSources::follow(const std::string& from, const std::string& file,
                                    const std::string& object) const {
  const std::string path = find_file(from, file);
  has_missing_target_ = has_missing_target_ || path.empty();
  if (path.empty()) return {};
  if (followed_ == kMaxLinks) throw unsupported("{}: more than {} external links in a row", path, kMaxLinks);
  const Counted counted(followed_);
  try {
    const FileHandle opened = open_source(path, file_->context().files);
    return checked_handle<ObjectHandle>(H5Oopen(opened.id(), object.c_str(), H5P_DEFAULT),
                                        "the target of a link");
  } catch (const Error& error) {
    throw error.at(path);
  }
}

void VirtualSources::check_mappings(hid_t creation, const std::string& path, hid_t file,
                                    unsigned depth) const {
  if (depth > kDeepestVirtual)
    throw unsupported("virtual datasets nested more than {} deep", kDeepestVirtual);
  size_t count = 0;
  checked_call(H5Pget_virtual_count(creation, &count), "the sources of a virtual dataset");
  for (size_t i = 0; i < count; ++i) {
    const std::string file_name = property_text(creation, i, H5Pget_virtual_filename);
    const std::string dataset_name = property_text(creation, i, H5Pget_virtual_dsetname);
    const bool is_file_series = is_series(file_name), is_dataset_series = is_series(dataset_name);
    for (uint64_t block = 0; block < kLongestSeries; ++block) {
      const std::string source_name = name_of_block(file_name, block),
                        name = name_of_block(dataset_name, block);
      const bool is_own = source_name == ".";
      const std::string source = is_own ? path : find_file(path, source_name);
      if (source.empty()) break;
      try {
        FileHandle opened;
        if (!is_own) opened = open_source(source, file_->context().files);
        const hid_t source_file = is_own ? file : opened.id();
        if (is_dataset_series) {
          const htri_t exists = H5Lexists(source_file, name.c_str(), H5P_DEFAULT);
          clear_library_error();
          throw_passing_driver_error();
          if (exists <= 0) break;
        }
        check_dataset(source, source_file, name, depth);
      } catch (const Error& error) {
        throw error.at(fmt::format("source {} of {}", name, source));
      }
      if (!is_file_series && !is_dataset_series) break;
    }
  }
}

void VirtualSources::close() const {
  nested_.clear();
  is_checked_ = false;
}

void VirtualSources::check(hid_t dataset) const {
  if (!is_checked_) {
    nested_.clear();
    paths_.clear();
    datasets_.clear();
    largest_chunk_ = 0;
    const ObjectHandle root = file_->open_object(file_->root_address());
    const auto creation = checked_handle<PropertyHandle>(H5Dget_create_plist(dataset), "creation properties");
    check_mappings(creation.id(), file_->bytes()->path(), root.id(), 0);
    std::sort(paths_.begin(), paths_.end());
    paths_.erase(std::unique(paths_.begin(), paths_.end()), paths_.end());
    is_checked_ = true;
    return;
  }
  for (const std::string& path : paths_)
    if (const FilePtr source = file_->context().files.open_if_exists(path)) source->check_unchanged();
}

}  // namespace plainfs::hdf5
