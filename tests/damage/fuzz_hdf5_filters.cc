// The filters of HDF5 with parameters from the file, which may be hostile too. Input: the filter, the bytes
// of an element, the number of parameters (each u32), whether the size is exact, the size (u16), the
// parameters, the chunk.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "formats/core/base/cursor.h"
#include "formats/core/codecs/codecs.h"

namespace {

using namespace plainfs;

constexpr unsigned kFilters[] = {1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32004, 32015};
constexpr unsigned kMaxParameters = 64;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    Cursor cursor(std::as_bytes(std::span(data, size)));
    const unsigned filter = kFilters[cursor.byte() % std::size(kFilters)];
    const uint64_t element_size = 1 + cursor.byte() % 64;
    std::vector<unsigned> parameters(cursor.byte() % (kMaxParameters + 1));
    const bool is_exact = cursor.byte() % 2;
    const uint64_t bytes = cursor.little<uint16_t>();
    for (unsigned& parameter : parameters) parameter = cursor.little<uint32_t>();
    const CodecPtr codec = make_hdf5_filter(filter, parameters, element_size);
    if (!codec) return 0;
    const ByteSpan chunk = cursor.bytes(cursor.remaining());
    const DecodedSize allowed = is_exact ? DecodedSize::exactly(bytes) : DecodedSize::at_most(bytes);
    const Bytes decoded = codec->decode(Bytes(chunk.begin(), chunk.end()), allowed);
    if (decoded.size() > bytes || (is_exact && decoded.size() != bytes)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
