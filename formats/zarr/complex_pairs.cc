#include "formats/zarr/complex_pairs.h"

#include <algorithm>

namespace plainfs::zarr {
namespace {

bool is_complex_pair(const DType& type) {
  if (type.kind != Kind::compound || type.fields.size() != 2) return false;
  const Field& real = type.fields[0];
  const Field& imaginary = type.fields[1];
  const bool named =
      (real.name == "r" && imaginary.name == "i") || (real.name == "Real" && imaginary.name == "Imaginary");
  return named && real.type.kind == Kind::real && imaginary.type.kind == Kind::real &&
         real.type.size == imaginary.type.size && real.type.big_endian == imaginary.type.big_endian &&
         real.type.size >= 4 && real.offset == 0 && imaginary.offset == real.type.size &&
         type.size == 2 * real.type.size;
}

DType complex_of(const DType& pair) {
  return number_type(Kind::complex, pair.size, pair.fields[0].type.big_endian);
}

}  // namespace

ArrayMetadata with_pairs_as_complex(ArrayMetadata metadata) {
  CodecChain& chain = metadata.chain;
  const bool is_plain =
      !chain.object && !chain.sharding &&
      std::all_of(chain.array_steps.begin(), chain.array_steps.end(),
                  [](const ArrayStep& step) { return std::holds_alternative<Transpose>(step); });
  if (!is_plain || !is_complex_pair(chain.dtype) || !is_complex_pair(chain.stored)) return metadata;
  chain.dtype = complex_of(chain.dtype);
  chain.stored = complex_of(chain.stored);
  Elements fill;
  fill.count = 1;
  for (const Elements& part : metadata.fill.children)
    fill.bytes.insert(fill.bytes.end(), part.bytes.begin(), part.bytes.end());
  metadata.fill = std::move(fill);
  return metadata;
}

}  // namespace plainfs::zarr
