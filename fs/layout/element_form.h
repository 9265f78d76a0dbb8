// The form of a store's elements in files of other programs: type, byte order, and the value for a
// missing number.
#pragma once

#include <cstdint>

#include "formats/core/model/elements/dtype.h"
#include "formats/core/model/elements/elements.h"

namespace plainfs {

struct ElementForm {
  uint32_t size;  // bytes per element
  // Writes elements [first, first + count) to `out`. Throws Error if one cannot be represented.
  void (*write)(const DType& type, const Elements& elements, uint64_t first, uint64_t count, std::byte* out);

  // Returns whether it writes elements of the type, if none is missing, exactly as Elements holds them.
  bool is_as_in_memory(const DType& type) const;
};

// R's forms, big-endian. Unsupported are integers that are out of range or equal to R's NA (-2^31), and
// integers over 2^53 as doubles. Every NaN is the usual one, so that none is read as NA. A boolean is 0 or 1.
ElementForm r_integer();
ElementForm r_double();
ElementForm r_logical();  // 0 is FALSE, all other numbers are TRUE
ElementForm r_complex();
ElementForm r_integer64();  // of the package bit64; the smallest number of 64 bits is NA

// Little-endian forms of files of AnnData, BPCells and 10x. A number that does not fit is damaged. A missing
// one is NaN as a real, otherwise 0.
ElementForm little_int8();
ElementForm little_int16();
ElementForm little_int32();
ElementForm little_int64();
ElementForm little_uint32();
ElementForm little_uint64();
ElementForm little_float();
ElementForm little_double();
// Big-endian forms of NetCDF classic files. A number that does not fit is damaged, an integer that no double
// represents is unsupported. A missing one is NaN as a real, otherwise 0.
ElementForm big_int8();
ElementForm big_int16();
ElementForm big_int32();
ElementForm big_float();
ElementForm big_double();
// Times counted in int64, as doubles: the smallest number, which is no valid time, is NaN.
ElementForm big_time();

// Returns the packed form of an .npy: elements as stored, missing ones too. Requires: type.fixed_size().
ElementForm packed_form(const DType& type);

// Returns the stored form, with booleans as 0 and 1. Missing reals and complex numbers are NaN. Requires:
// type is a number, complex, or a boolean.
ElementForm little_stored(const DType& type);

}  // namespace plainfs
