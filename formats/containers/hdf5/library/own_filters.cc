#include "formats/containers/hdf5/library/own_filters.h"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/library/library.h"
#include "formats/core/codecs/codecs.h"

#ifdef PLAINFS_STATIC
// Internal declarations of the library (H5Zpkg.h).
extern "C" {
extern const H5Z_class2_t H5Z_SZIP[1];
extern const H5Z_class2_t H5Z_NBIT[1];
extern const H5Z_class2_t H5Z_SCALEOFFSET[1];
herr_t H5Z_register(const H5Z_class2_t* filter);
}
#endif

namespace plainfs::hdf5 {
namespace {

// Guarded by the library's lock.
uint64_t largest_chunk = 0;
std::array<bool, H5Z_FILTER_SCALEOFFSET + 1> is_replaced{};  // by the number of the library's filter

// Decodes a chunk as the library's interface of filters prescribes. Returns its size, or 0 after a failure.
template <unsigned Number>
size_t decode(unsigned flags, size_t count, const unsigned values[], size_t size, size_t* room,
              void** buffer) {
  try {
    if (!(flags & H5Z_FLAG_REVERSE)) throw unsupported("HDF5 filter {} is only decoded", Number);
    if (largest_chunk == 0) throw unsupported("HDF5 filter {} in a chunk of unknown size", Number);
    const CodecPtr codec = make_hdf5_filter(Number, {values, count}, 1);
    if (!codec) throw unsupported_hdf5_filter(Number);
    const auto* const encoded = static_cast<const std::byte*>(*buffer);
    const Bytes decoded =
        codec->decode(Bytes(encoded, encoded + size), DecodedSize::at_most(2 * largest_chunk + 4096));
    if (decoded.size() > *room) {
      void* const larger = H5allocate_memory(decoded.size(), false);
      if (!larger) throw unreadable("libhdf5 ran out of memory while reading a chunk");
      H5free_memory(std::exchange(*buffer, larger));
      *room = decoded.size();
    }
    std::memcpy(*buffer, decoded.data(), decoded.size());
    return decoded.size();
  } catch (...) {
    keep_driver_error();
  }
  return 0;
}

template <unsigned Number>
H5Z_class2_t filter_class() {
  return {H5Z_CLASS_T_VERS, static_cast<H5Z_filter_t>(Number), 0, 1, "plainfs", nullptr, nullptr,
          decode<Number>};
}

// A filter of the library that is replaced, for everything but decoding chunks of a LargestChunk.
template <unsigned Number>
H5Z_func_t stored_filter = nullptr;

template <unsigned Number>
size_t decode_or_leave(unsigned flags, size_t count, const unsigned values[], size_t size, size_t* room,
                       void** buffer) {
  const bool is_ours = (flags & H5Z_FLAG_REVERSE) != 0 && largest_chunk > 0;
  const H5Z_func_t filter = is_ours ? decode<Number> : stored_filter<Number>;
  return filter(flags, count, values, size, room, buffer);
}

// Returns the address of what the library does not declare in its headers; nullptr if it is hidden.
void* in_library(const char* name) {
#ifdef PLAINFS_STATIC
  using Named = std::pair<std::string_view, const void*>;
  for (const auto& [known, address] :
       {Named("H5Z_SZIP", H5Z_SZIP), Named("H5Z_NBIT", H5Z_NBIT), Named("H5Z_SCALEOFFSET", H5Z_SCALEOFFSET),
        Named("H5Z_register", reinterpret_cast<const void*>(H5Z_register))})
    if (known == name) return const_cast<void*>(address);
  return nullptr;
#else
  return ::dlsym(RTLD_DEFAULT, name);
#endif
}

// The library's public functions refuse to replace its own filters. `replace` is the function that they call
// for all others, and `own` the library's filter. Returns false if the library hides one of them.
using Replace = herr_t (*)(const H5Z_class2_t*);
template <unsigned Number>
bool replace_decoder(Replace replace, const char* own) {
  const auto* const stored = static_cast<const H5Z_class2_t*>(in_library(own));
  if (!replace || !stored || stored->id != static_cast<H5Z_filter_t>(Number)) return false;
  stored_filter<Number> = stored->filter;
  H5Z_class2_t replaced = *stored;
  replaced.decoder_present = 1;
  replaced.filter = decode_or_leave<Number>;
  return replace(&replaced) >= 0;
}

}  // namespace

void register_own_filters() {
  for (const H5Z_class2_t& filter :
       {filter_class<307>(), filter_class<32000>(), filter_class<32001>(), filter_class<32004>(),
        filter_class<32008>(), filter_class<32015>(), filter_class<32022>(), filter_class<32023>()})
    checked_call(H5Zregister(&filter), "libhdf5 refuses a filter");
  const auto replace = reinterpret_cast<Replace>(in_library("H5Z_register"));
  is_replaced[H5Z_FILTER_SZIP] = replace_decoder<H5Z_FILTER_SZIP>(replace, "H5Z_SZIP");
  is_replaced[H5Z_FILTER_NBIT] = replace_decoder<H5Z_FILTER_NBIT>(replace, "H5Z_NBIT");
  is_replaced[H5Z_FILTER_SCALEOFFSET] = replace_decoder<H5Z_FILTER_SCALEOFFSET>(replace, "H5Z_SCALEOFFSET");
}

bool decodes_safely(int filter) {
  const bool is_trusting =
      filter == H5Z_FILTER_SZIP || filter == H5Z_FILTER_NBIT || filter == H5Z_FILTER_SCALEOFFSET;
  return !is_trusting || is_replaced[static_cast<size_t>(filter)];
}

LargestChunk::LargestChunk(uint64_t bytes) : before_(std::exchange(largest_chunk, bytes)) {}
LargestChunk::~LargestChunk() {
  largest_chunk = before_;
}

}  // namespace plainfs::hdf5
