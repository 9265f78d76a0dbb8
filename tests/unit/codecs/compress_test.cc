#include "formats/core/codecs/compress.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "formats/core/codecs/inflate.h"

namespace plainfs {
namespace {

Bytes sample(size_t size, unsigned kinds) {
  std::mt19937 random(7);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % kinds);
  return bytes;
}

void append(Bytes& to, ByteSpan bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_number(Bytes& to, uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) to.push_back(static_cast<std::byte>(number >> shift));
}

// Returns a gzip stream of parts with these sizes.
Bytes gzip_stream(ByteSpan bytes, const std::vector<size_t>& sizes, int level) {
  Bytes stream;
  append(stream, as_byte_span(std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10)));
  uint32_t crc = 0;
  size_t first = 0;
  for (const size_t size : sizes) {
    const ByteSpan part = bytes.subspan(first, size);
    append(stream, deflated_part(part, level));
    crc = joined_gzip_crc(crc, gzip_crc(part), size);
    first += size;
  }
  append(stream, as_byte_span(kDeflateEnd));
  append_number(stream, crc);
  append_number(stream, static_cast<uint32_t>(bytes.size()));
  return stream;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compress)

BOOST_AUTO_TEST_CASE(parts_one_after_the_other_are_one_stream) {
  const std::vector<size_t> sizes{1, 70'000, 12, 300'000, 1'000'000, 5};
  size_t all = 0;
  for (const size_t size : sizes) all += size;
  for (const unsigned kinds : {1u, 3u, 256u}) {  // the last one is incompressible
    const Bytes bytes = sample(all, kinds);
    for (int level = 1; level <= 9; ++level) {
      const Bytes stream = gzip_stream(bytes, sizes, level);
      BOOST_TEST((inflate_gzip(stream, DecodedSize::exactly(all)) == bytes));
      if (kinds == 3) BOOST_TEST(stream.size() < all / 3);
      BOOST_TEST(stream.size() < all + all / 500 + 1000);
    }
  }
}

BOOST_AUTO_TEST_CASE(stream_without_parts_is_empty) {
  BOOST_TEST(inflate_gzip(gzip_stream({}, {}, 6), DecodedSize::exactly(0)).empty());
}

BOOST_AUTO_TEST_CASE(zlib_stream_holds_the_bytes) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{100'000}})
    for (const int level : {1, 4, 9}) {
      const Bytes bytes = sample(size, 7);
      BOOST_TEST((inflate_zlib(zlib_deflated(bytes, level), DecodedSize::exactly(size)) == bytes));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
