#include "formats/containers/hdf5/library/sink_file.h"

#include <algorithm>
#include <span>

#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/library/object_writer.h"

namespace plainfs::hdf5 {
namespace {

// An open file of the driver. The library knows only the first member.
struct SinkDriverFile {
  H5FD_t known;
  FileSink* sink;
  MetadataPlacement placement;
  haddr_t end_of_addresses;
  haddr_t end_of_file;
};

struct SinkDriverInfo {
  FileSink* sink;
  MetadataPlacement placement;
};

SinkDriverFile* sink_file(H5FD_t* file) {
  return reinterpret_cast<SinkDriverFile*>(file);
}
const SinkDriverFile* sink_file(const H5FD_t* file) {
  return reinterpret_cast<const SinkDriverFile*>(file);
}

// Returns 0, or -1 if call throws: exceptions must not pass through C frames.
template <class Call>
herr_t kept_from_c(Call&& call) noexcept {
  try {
    call();
    return 0;
  } catch (...) {
    keep_driver_error();
    return -1;
  }
}

H5FD_t* open_sink(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<const SinkDriverInfo*>(H5Pget_driver_info(access));
  H5FD_t* opened = nullptr;
  if (info)
    kept_from_c([&] { opened = &(new SinkDriverFile{{}, info->sink, info->placement, 0, 0})->known; });
  return opened;
}

herr_t close_sink(H5FD_t* file) {
  delete sink_file(file);
  return 0;
}

// The library also queries the driver without a file.
herr_t query_sink(const H5FD_t* file, unsigned long* flags) {
  const bool is_together = file && sink_file(file)->placement == MetadataPlacement::together;
  constexpr unsigned long kAggregated =
      H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
  if (flags) *flags = is_together ? kAggregated : 0;
  return 0;
}

haddr_t sink_end_of_addresses(const H5FD_t* file, H5FD_mem_t) {
  return sink_file(file)->end_of_addresses;
}

herr_t set_sink_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  sink_file(file)->end_of_addresses = address;
  return 0;
}

haddr_t sink_end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return sink_file(file)->end_of_file;
}

herr_t read_sink(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* bytes) {
  return kept_from_c([&] { sink_file(file)->sink->read_at(address, {static_cast<char*>(bytes), size}); });
}

herr_t write_sink(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* bytes) {
  SinkDriverFile& written = *sink_file(file);
  written.end_of_file = std::max<haddr_t>(written.end_of_file, address + size);
  return kept_from_c([&] { written.sink->write_at(address, {static_cast<const char*>(bytes), size}); });
}

herr_t truncate_sink(H5FD_t* file, hid_t, hbool_t) {
  SinkDriverFile& written = *sink_file(file);
  written.end_of_file = written.end_of_addresses;
  return kept_from_c([&] { written.sink->set_size(written.end_of_file); });
}

herr_t lock_sink(H5FD_t*, hbool_t) {
  return 0;
}
herr_t unlock_sink(H5FD_t*) {
  return 0;
}

H5FD_class_t sink_driver_class() {
  H5FD_class_t driver = driver_class_named("plainfs_sink", 1);
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(SinkDriverInfo);
  driver.open = open_sink;
  driver.close = close_sink;
  driver.query = query_sink;
  driver.get_eoa = sink_end_of_addresses;
  driver.set_eoa = set_sink_end_of_addresses;
  driver.get_eof = sink_end_of_file;
  driver.read = read_sink;
  driver.write = write_sink;
  driver.truncate = truncate_sink;
  driver.lock = lock_sink;
  driver.unlock = unlock_sink;
  return driver;
}

// Registers the driver once and forever, like the one of file_driver.cc.
hid_t sink_driver_id() {
  static const H5FD_class_t driver = sink_driver_class();
  static const hid_t id = checked_call(H5FDregister(&driver), "libhdf5 refuses a file driver");
  return id;
}

}  // namespace

PropertyHandle access_into(FileSink& sink, MetadataPlacement placement) {
  PropertyHandle access = access_list();
  const SinkDriverInfo info{&sink, placement};  // the library copies it
  checked_call(H5Pset_driver(access.id(), sink_driver_id(), &info), "file driver");
  return access;
}

}  // namespace plainfs::hdf5
