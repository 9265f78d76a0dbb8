#include "fs/commands/part_file.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace plainfs {
namespace {

// Returns the names in a folder with one file per cell.
std::vector<std::string> barcode_names(size_t count) {
  std::mt19937_64 random(1);
  std::set<std::string> names;
  while (names.size() < count) {
    std::string name;
    for (uint64_t bits = random() & 0xffffffff, i = 0; i < 16; ++i, bits >>= 2) name += "ACGT"[bits & 3];
    names.insert(name + (names.size() % 2 == 0 ? "-1.csv" : "-1.npy"));
  }
  return {names.begin(), names.end()};
}

void check_none_meet(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto same = std::adjacent_find(names.begin(), names.end());
  BOOST_CHECK_MESSAGE(same == names.end(), "two parts are called " << *same);
  for (const std::string& name : names) BOOST_REQUIRE(is_part_name(name));
}

BOOST_AUTO_TEST_SUITE(part_file)

BOOST_AUTO_TEST_CASE(parts_of_many_files_of_one_size_and_time_do_not_meet) {
  constexpr size_t kCount = 100'000;
  const std::vector<std::string> files = barcode_names(kCount);
  const std::string plan = short_digest("a plan");
  std::vector<std::string> all;
  for (size_t i = 0; i < kCount; ++i) {
    all.push_back(part_name("cells/" + files[i], 256, {1'700'000'000, 5}));
    all.push_back(planned_part_name(plan, i));
  }
  check_none_meet(std::move(all));
}

BOOST_AUTO_TEST_CASE(a_part_is_of_one_size_and_time) {
  const timespec time{1, 2};
  const std::string name = part_name("a/b.csv", 3, time);
  BOOST_CHECK_EQUAL(part_name("c/b.csv", 3, time), name);  // it is beside the file
  for (const std::string& other :
       {part_name("a/c.csv", 3, time), part_name("a/b.csv", 4, time), part_name("a/b.csv", 3, {1, 3}),
        part_name("a/b.csv", 3, {2, 2}), planned_part_name(short_digest("a"), 3)})
    BOOST_CHECK_NE(other, name);
  BOOST_CHECK_NE(planned_part_name(short_digest("a"), 3), planned_part_name(short_digest("b"), 3));
}

BOOST_AUTO_TEST_CASE(other_names_are_no_parts) {
  const std::string digits(32, 'a');
  for (const std::string& name : {std::string(), std::string("a.csv"), std::string(".plainfs-part"),
                                  "." + digits, digits + ".plainfs-part", "." + digits + "x.plainfs-part",
                                  "." + digits + "-x.plainfs-part", "." + digits + "a.plainfs-part"})
    BOOST_CHECK_MESSAGE(!is_part_name(name), name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
