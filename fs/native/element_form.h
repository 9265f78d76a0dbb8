// How a number of a store is written in a file of another program: its type, its byte order, and what stands
// for a missing one.
#pragma once

#include <cstdint>

#include "formats/core/model/dtype.h"
#include "formats/core/model/elements.h"

namespace plainfs {

struct ElementForm {
  uint32_t size;  // bytes of one
  // Writes elements [first, first + count) to out. Throws Error where one of them cannot be held.
  void (*write)(const DType& type, const Elements& elements, uint64_t first, uint64_t count, std::byte* out);

  // Whether it writes elements of the type, none of which is missing, as Elements have them.
  bool is_as_in_memory(const DType& type) const;
};

// R's, big-endian. An integer that is NA's own value (-2^31) or outside is unsupported, as is one over 2^53
// as double; every NaN is the usual one, so that none reads as NA. A truth value is 0 or 1.
ElementForm r_integer();
ElementForm r_double();
ElementForm r_logical();  // 0 FALSE, every other TRUE
ElementForm r_complex();
ElementForm r_integer64();  // of the package bit64, 64 bits whose least number is NA

// Little-endian, as files of AnnData, BPCells and 10x have them. A number that does not fit is damaged; a
// missing one is NaN in a real, else 0.
ElementForm little_int8();
ElementForm little_int16();
ElementForm little_int32();
ElementForm little_int64();
ElementForm little_uint32();
ElementForm little_uint64();
ElementForm little_float();
ElementForm little_double();
// Big-endian, as NetCDF classic files have them. A number that does not fit is damaged, a whole number that
// no double holds is unsupported; a missing one is NaN in a real, else 0.
ElementForm big_int8();
ElementForm big_int16();
ElementForm big_int32();
ElementForm big_float();
ElementForm big_double();
// Times that int64 counts, as doubles: the least number, which is no time, is NaN.
ElementForm big_time();

// As it is stored, truth values as 0 and 1. Requires: type is a number or a truth value.
ElementForm little_stored(const DType& type);

}  // namespace plainfs
