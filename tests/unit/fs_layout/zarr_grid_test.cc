#include "fs/layout/zarr_grid.h"

#include <boost/test/unit_test.hpp>

namespace plainfs {

namespace {

uint64_t length_of_chunk(uint64_t length, uint64_t element_bytes, uint64_t max_bytes) {
  return zarr_chunk({length}, element_bytes, max_bytes).at(0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(zarr_grid)

// The lengths are those of zarr 3.3.0 with a limit of 1 MiB, the last one that of zarr 2.13.
BOOST_AUTO_TEST_CASE(chunks_have_the_length_of_zarr_python) {
  BOOST_TEST(length_of_chunk(2700, 4, kZarr3ChunkBytes) == 2700u);
  BOOST_TEST(length_of_chunk(100'000, 4, kZarr3ChunkBytes) == 50'000u);
  BOOST_TEST(length_of_chunk(1'000'000, 4, kZarr3ChunkBytes) == 125'000u);
  BOOST_TEST(length_of_chunk(1'000'000, 8, kZarr3ChunkBytes) == 62'500u);
  BOOST_TEST(length_of_chunk(1'000'000, 1, kZarr3ChunkBytes) == 250'000u);
  BOOST_TEST(length_of_chunk(100'000'000, 4, kZarr3ChunkBytes) == 195'313u);
  BOOST_TEST(length_of_chunk(1'500'000'000, 4, kZarr3ChunkBytes) == 183'106u);
  BOOST_TEST(length_of_chunk(0, 4, kZarr3ChunkBytes) == 1u);
  BOOST_TEST(length_of_chunk(100'000'000, 4, kZarr2ChunkBytes) == 390'625u);
}

BOOST_AUTO_TEST_CASE(chunks_are_bands_of_rows_or_tiles) {
  const auto chunk = [](const Shape& shape) { return zarr_chunk(shape, 4, kZarr3ChunkBytes); };
  BOOST_TEST(chunk({60'000, 50}) == Shape({5242, 50}), boost::test_tools::per_element());
  BOOST_TEST(chunk({100, 20}) == Shape({100, 20}), boost::test_tools::per_element());
  BOOST_TEST(chunk({60'000, 30'000}) == Shape({279, 939}), boost::test_tools::per_element());
  BOOST_TEST(chunk({2000, 700}) == Shape({1024, 256}), boost::test_tools::per_element());
  BOOST_TEST(chunk({0, 3}) == Shape({1, 3}), boost::test_tools::per_element());
  BOOST_TEST(zarr_chunk({}, 4, kZarr3ChunkBytes).empty());
}

BOOST_AUTO_TEST_CASE(shards_hold_whole_bands) {
  BOOST_TEST(zarr_shard({100'000}, {50'000}, 4, kZarrShardBytes).at(0) == 100'000u);
  BOOST_TEST(zarr_shard({1'500'000'000}, {183'106}, 4, kZarrShardBytes).at(0) == 183'106u * 1365);
  BOOST_TEST(zarr_shard({2000, 700}, {1024, 256}, 4, kZarrShardBytes) == Shape({2048, 768}),
             boost::test_tools::per_element());
  BOOST_TEST(zarr_shard({2000, 700}, {1024, 256}, 4, 1) == Shape({1024, 768}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
