// Decoding of elements from their bytes in an HDF5 file: byte order, odd precisions, records, and the
// references of variable-length data, which are followed into the global heap. It does not call libhdf5.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "formats/containers/hdf5/global_heap.h"
#include "formats/containers/hdf5/stored_type.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs::hdf5 {

// The possible targets of references in stored elements. path_of: returns the path of the object that has its
// header at address, nullopt if the reference is to be missing. Throws damaged if the object has no path.
struct Pointees {
  const GlobalHeap& heap;
  std::function<std::optional<std::string>(uint64_t address)> path_of;
};

// Decodes count elements. Throws Error(damaged) unless stored.size() == count * type.size.
Elements decode(const StoredType& type, Bytes&& stored, uint64_t count, const Pointees& pointees);

// Decodes elements of types without references at any depth: numbers, fixed text, records of them. Checks
// like decode.
Elements decode_fixed(const StoredType& type, ByteSpan stored, uint64_t count);

}  // namespace plainfs::hdf5
