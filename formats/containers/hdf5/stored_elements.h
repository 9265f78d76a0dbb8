// Elements from their bytes as an HDF5 file stores them: byte order, odd precisions, records, and the
// references of variable-length data, which are followed into the global heap. No call of libhdf5.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "formats/containers/hdf5/global_heap.h"
#include "formats/containers/hdf5/stored_type.h"
#include "formats/core/model/elements.h"

namespace plainfs::hdf5 {

// What stored elements may point at. path_of: the path of the object whose header is at address, nullopt
// where the reference is to be missing; throws damaged where no path leads there.
struct Pointees {
  const GlobalHeap& heap;
  std::function<std::optional<std::string>(uint64_t address)> path_of;
};

// Requires: stored.size() == count * type.size, checked: Error(damaged).
Elements decode(const StoredType& type, Bytes&& stored, uint64_t count, const Pointees& pointees);

// The same for types that hold no reference at any depth: numbers, fixed text, records of them.
Elements decode_fixed(const StoredType& type, ByteSpan stored, uint64_t count);

}  // namespace plainfs::hdf5
