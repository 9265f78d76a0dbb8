// Records that are complex numbers: two reals of one size called r, i (h5py) or Real, Imaginary
// (fs/VIEWS.md, section 2).
#pragma once

#include <vector>

#include "formats/core/model/dtype.h"

namespace plainfs {

inline bool is_complex_pair(const std::vector<Field>& fields) {
  if (fields.size() != 2) return false;
  const Field& real = fields[0];
  const Field& imaginary = fields[1];
  const bool named =
      (real.name == "r" && imaginary.name == "i") || (real.name == "Real" && imaginary.name == "Imaginary");
  return named && real.type.kind == Kind::real && imaginary.type.kind == Kind::real &&
         real.type.size == imaginary.type.size;
}

}  // namespace plainfs
