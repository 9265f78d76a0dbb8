#include "formats/containers/hdf5/library/skeleton.h"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <tuple>

#include "tests/support/no_memory.h"

using namespace plainfs;
using namespace plainfs::hdf5;

namespace {

std::vector<std::tuple<uint64_t, std::string>> extents(const Skeleton& skeleton) {
  std::vector<std::tuple<uint64_t, std::string>> all;
  for (const Skeleton::Extent& extent : skeleton.extents) all.emplace_back(extent.offset, extent.bytes);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hdf5_skeleton)

BOOST_AUTO_TEST_CASE(without_memory_there_is_no_partial_skeleton) {
  std::vector<SkeletonObject> objects{{"/", {{"kind", std::string("anndata")}}}};
  for (const std::string name : {"/a", "/b", "/c/d"})
    objects.push_back({name,
                       {{"names", std::vector<std::string>{"one", "two"}}},
                       SkeletonDataset{SkeletonKind::real, 8, {3}}});
  const auto whole = extents(write_skeleton(objects));
  size_t failures = 0;
  std::optional<Skeleton> generated;
  with_each_allocation_failing(
      [&] {
        generated.reset();
        generated = write_skeleton(objects);
      },
      [&] {
        failures += !generated;
        if (generated) BOOST_TEST((extents(*generated) == whole));
      });
  BOOST_TEST(failures > 10u);
}

BOOST_AUTO_TEST_SUITE_END()
