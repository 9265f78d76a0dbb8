#include "formats/core/codecs/xxhash.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

namespace {

using namespace plainfs;

Bytes some_bytes() {
  Bytes bytes(5000);
  uint32_t number = 1;
  for (std::byte& byte : bytes) {
    number = number * 1664525 + 1013904223;
    byte = static_cast<std::byte>(number >> 24);
  }
  return bytes;
}

struct Hashed {
  size_t size;
  uint64_t xxh3;
  uint32_t xxh32;
};

// The results of libxxhash 0.8.1, for each case of the specification; XXH32 with the seed 12345.
constexpr Hashed kHashed[] = {
    {0, 0x2d06800538d394c2, 0xa9458298},    {1, 0x429e81bc6744101c, 0x48941959},
    {3, 0x32dbb5c7774cc94f, 0xf2beb507},    {4, 0x65775238ca34c06f, 0x815e11ae},
    {8, 0x90b760c9d253d0ff, 0x36a1f08e},    {9, 0x15ae9f843bb50ea4, 0x914dff8c},
    {16, 0x372c92fa68129c98, 0x179462eb},   {17, 0xb5d6b9c1898bd9d6, 0xb50960f7},
    {32, 0x0ab1dbf9e9f8c22c, 0x83a9122f},   {33, 0x4f4ae280e8465c3c, 0xda1a6380},
    {64, 0x84fcac4cce9f990d, 0x852794c3},   {65, 0x2c9f18dff914a8bd, 0x949e0d09},
    {128, 0xc59e505a97d029e0, 0xfabdbf73},  {129, 0xf9e651a476d6d3ca, 0xc99abb3b},
    {200, 0x85d691776ef97dbe, 0x517d2d49},  {240, 0x967597e635f3c527, 0x779dbae1},
    {241, 0xd6afac6f8fa85b01, 0xdbee50ee},  {512, 0x426b67e0356d303d, 0x469dda31},
    {1023, 0x120a0457e3e899f6, 0xb88a90e2}, {1024, 0xbb9f0c3761cdfd54, 0x7d4d5f68},
    {1025, 0x95edccc1adc4d895, 0xc2abc198}, {1088, 0xe8391a3978cbcf06, 0x6a93e1b5},
    {2048, 0x278f7a6a39416b51, 0x6986c50d}, {2049, 0x644272755e8980a0, 0x6a91eea1},
    {5000, 0x06983d4ce0939f36, 0x4a678c49},
};

// Adds bytes in pieces of odd sizes.
template <class Hash>
Hash hash_of(Hash hash, ByteSpan bytes) {
  for (size_t piece = 1; !bytes.empty(); piece = piece * 7 % 1301 + 1) {
    const size_t some = std::min(piece, bytes.size());
    hash.add(bytes.first(some));
    bytes = bytes.subspan(some);
  }
  return hash;
}

BOOST_AUTO_TEST_SUITE(xxhash)

BOOST_AUTO_TEST_CASE(hashes_are_those_of_the_library) {
  const Bytes bytes = some_bytes();
  for (const auto& [size, xxh3, xxh32] : kHashed) {
    BOOST_TEST_CONTEXT(size << " bytes") {
      BOOST_TEST(hash_of(Xxh3(), ByteSpan(bytes).first(size)).value() == xxh3);
      BOOST_TEST(hash_of(Xxh32(12345), ByteSpan(bytes).first(size)).value() == xxh32);
    }
  }
}

BOOST_AUTO_TEST_CASE(pieces_do_not_matter) {
  const Bytes bytes = some_bytes();
  for (size_t size = 0; size < bytes.size(); size += 61) {
    Xxh3 whole3;
    Xxh32 whole32(0);
    whole3.add(ByteSpan(bytes).first(size));
    whole32.add(ByteSpan(bytes).first(size));
    BOOST_TEST(hash_of(Xxh3(), ByteSpan(bytes).first(size)).value() == whole3.value());
    BOOST_TEST(hash_of(Xxh32(0), ByteSpan(bytes).first(size)).value() == whole32.value());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
