// Numbers of the NetCDF classic format ("NetCDF Classic Format Specification", Unidata), for its reader and
// for the view that writes it.
#pragma once

#include <cstdint>

namespace plainfs::netcdf {

// Tags of the lists in a header.
enum Tag : uint32_t { kAbsent = 0, kDimensions = 10, kVariables = 11, kAttributes = 12 };

// Types of values. CDF-5 has more, up to kNcUint64.
enum NcType : uint32_t {
  kNcByte = 1,
  kNcChar = 2,
  kNcShort = 3,
  kNcInt = 4,
  kNcFloat = 5,
  kNcDouble = 6,
  kNcUbyte = 7,
  kNcUshort = 8,
  kNcUint = 9,
  kNcInt64 = 10,
  kNcUint64 = 11
};

}  // namespace plainfs::netcdf
