#include "formats/containers/hdf5/library/open_dataset.h"

#include <algorithm>
#include <cstring>

#include "formats/containers/hdf5/library/datatype.h"

namespace plainfs::hdf5 {
namespace {

std::vector<ExternalStretch> external_stretches(hid_t creation) {
  const int count = checked_call(H5Pget_external_count(creation), "external files");
  std::vector<ExternalStretch> stretches;
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    std::vector<char> name(4097, '\0');
    off_t offset = 0;
    hsize_t size = 0;
    checked_call(H5Pget_external(creation, i, name.size() - 1, name.data(), &offset, &size),
                 "external files");
    if (std::strlen(name.data()) == name.size() - 1)
      throw damaged("the name of an external file does not end");
    stretches.push_back({name.data(), offset, size});
  }
  return stretches;
}

void read_contiguous(hid_t dataset, hid_t creation, const FileLayout& layout, StoredDataset& facts) {
  facts.layout = StoredDataset::Layout::contiguous;
  facts.external = external_stretches(creation);
  const haddr_t offset = H5Dget_offset(dataset);
  facts.stored_bytes = H5Dget_storage_size(dataset);
  clear_library_error();
  // The library adds the base address even to an undefined address.
  if (offset != HADDR_UNDEF && offset != HADDR_UNDEF + layout.base_address) facts.offset = offset;
}

StoredFilter filter_of(hid_t creation, unsigned i) {
  unsigned flags = 0, config = 0;
  std::vector<unsigned> values(64);
  size_t value_count = values.size();
  int number = H5Pget_filter2(creation, i, &flags, &value_count, values.data(), 0, nullptr, &config);
  if (number >= 0 && value_count > values.size()) {
    values.resize(value_count);
    number = H5Pget_filter2(creation, i, &flags, &value_count, values.data(), 0, nullptr, &config);
  }
  checked_call(number, "a filter");
  values.resize(std::min(value_count, values.size()));
  const bool library_has_it = H5Zfilter_avail(number) > 0;
  clear_library_error();
  return {static_cast<unsigned>(number), std::move(values), library_has_it};
}

void read_chunked(hid_t dataset, hid_t creation, StoredDataset& facts) {
  facts.layout = StoredDataset::Layout::chunked;
  std::vector<hsize_t> dims(facts.extent.dataset_shape.size());
  const int rank =
      checked_call(H5Pget_chunk(creation, static_cast<int>(dims.size()), dims.data()), "chunk shape");
  if (rank != static_cast<int>(dims.size()) || rank == 0) throw damaged("invalid chunk rank {}", rank);
  facts.chunk_shape.assign(dims.begin(), dims.end());
  unsigned options = 0;
  checked_call(H5Pget_chunk_opts(creation, &options), "chunk options");
  facts.partial_unfiltered = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
  H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
  checked_call(H5Dget_chunk_index_type(dataset, &index), "the index of chunks");
  facts.has_btree = index == H5D_CHUNK_IDX_BTREE;
  const int count = checked_call(H5Pget_nfilters(creation), "filters");
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) facts.filters.push_back(filter_of(creation, i));
}

void read_layout(hid_t dataset, const FileLayout& layout, StoredDataset& facts) {
  const auto creation = checked_handle<PropertyHandle>(H5Dget_create_plist(dataset), "creation properties");
  switch (H5Pget_layout(creation.id())) {
    case H5D_COMPACT:
      facts.layout = StoredDataset::Layout::compact;
      return;
    case H5D_CONTIGUOUS:
      return read_contiguous(dataset, creation.id(), layout, facts);
    case H5D_CHUNKED:
      return read_chunked(dataset, creation.id(), facts);
    case H5D_VIRTUAL:
      facts.layout = StoredDataset::Layout::virtual_sources;
      return;
    default:
      throw library_error("unknown layout");
  }
}

// Returns layout with PyTables' convention for times, if the file was written by it. Looks only if type
// contains times.
FileLayout layout_for(hid_t type, hid_t dataset, FileLayout layout) {
  if (checked_call(H5Tdetect_class(type, H5T_TIME), "datatype") == 0) return layout;
  const auto file = checked_handle<FileHandle>(H5Iget_file_id(dataset), "the file");
  layout.has_timevals =
      checked_call(H5Aexists_by_name(file.id(), "/", "PYTABLES_FORMAT_VERSION", H5P_DEFAULT),
                   "the attributes of the root") > 0;
  return layout;
}

}  // namespace

StoredDataset dataset_facts(hid_t dataset, const FileLayout& layout) {
  StoredDataset facts;
  try {
    const auto space = checked_handle<SpaceHandle>(H5Dget_space(dataset), "dataspace");
    facts.extent = read_dimensions(space.id());
    facts.extent.type.dtype = number_type(Kind::integer, 1);  // if its own type cannot be read
    const auto type = checked_handle<TypeHandle>(H5Dget_type(dataset), "datatype");
    facts.extent = read_extent(type.id(), space.id(), layout_for(type.id(), dataset, layout));
    if (!facts.extent.is_null) read_layout(dataset, layout, facts);
  } catch (const Error& error) {
    facts.error = error;
  }
  return facts;
}

}  // namespace plainfs::hdf5
