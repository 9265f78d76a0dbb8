#include "formats/containers/zarr/metadata.h"

#include <algorithm>

#include "formats/core/model/elements/dtype.h"

namespace plainfs::zarr {
namespace {

// Returns whether elements of type have the bytes of complex numbers.
bool is_dense_pair(const DType& type) {
  if (type.kind != Kind::compound || !is_complex_pair(type.fields)) return false;
  const Field& real = type.fields[0];
  const Field& imaginary = type.fields[1];
  return real.type.size >= 4 && real.type.big_endian == imaginary.type.big_endian && real.offset == 0 &&
         imaginary.offset == real.type.size && type.size == 2 * real.type.size;
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
  if (!is_plain || !is_dense_pair(chain.dtype) || !is_dense_pair(chain.stored)) return metadata;
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
