#include "fs/views/names.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

namespace plainfs {
namespace {

using Names = std::vector<std::string>;

Names assign(const std::vector<NameRequest>& requests) {
  return assign_names(requests, {});
}

// Reverses encode_name: only names it has changed contain "%2F", "%00" or are dots.
std::string decode(const std::string& encoded) {
  std::string stored;
  for (size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '%') {
      stored += encoded[i];
      continue;
    }
    stored += static_cast<char>(std::stoi(encoded.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  return stored;
}

std::string repeat(std::string_view text, size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

BOOST_AUTO_TEST_SUITE(names)

BOOST_AUTO_TEST_CASE(plain_names_stay) {
  for (const std::string name :
       {"counts", "meta.data", "50%", "a b", "..x", "...", "back\\slash", "tab\there", "ü中", "-dash"}) {
    BOOST_TEST(encode_name(name) == name);
  }
}

BOOST_AUTO_TEST_CASE(non_utf8_bytes_stay) {
  BOOST_TEST(encode_name("\xff\xfe\x80") == "\xff\xfe\x80");
}

BOOST_AUTO_TEST_CASE(slashes_nul_and_dots_are_percent_encoded) {
  BOOST_TEST(encode_name("a/b") == "a%2Fb");
  BOOST_TEST(encode_name(std::string_view("a\0b", 3)) == "a%00b");
  BOOST_TEST(encode_name(".") == "%2E");
  BOOST_TEST(encode_name("..") == "%2E%2E");
  BOOST_TEST(encode_name("../../etc") == "..%2F..%2Fetc");
}

BOOST_AUTO_TEST_CASE(percent_is_encoded_only_beside_an_encoded_byte) {
  BOOST_TEST(encode_name("x/y%") == "x%2Fy%25");
  BOOST_TEST(encode_name("100%") == "100%");
}

BOOST_AUTO_TEST_CASE(encoded_names_decode_to_stored_names) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string stored = "/";  // so that it is encoded at all
    for (size_t i = random() % 12; i > 0; --i) stored += std::string_view("/%.a\0F2", 7)[random() % 7];
    const std::string encoded = encode_name(stored);
    BOOST_TEST_REQUIRE(decode(encoded) == stored);
    BOOST_TEST_REQUIRE(encoded.find_first_of(std::string_view("/\0", 2)) == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(long_names_are_cut_and_keep_their_extension) {
  const std::string name = repeat("k", 252);
  BOOST_TEST(file_name(name) == name);
  BOOST_TEST(file_name(repeat("k", 251), ".csv") == repeat("k", 251) + ".csv");
  const std::string cut = file_name(name, ".csv");
  BOOST_TEST(cut.size() == kLongestName);
  BOOST_TEST(cut == repeat("k", 242) + "~0886526f.csv");  // CRC-32 of the 252 characters
}

BOOST_AUTO_TEST_CASE(long_names_are_not_cut_inside_a_character) {
  const std::string cut = file_name(repeat("é", 200));
  BOOST_TEST(cut.size() == 255U);
  BOOST_TEST(cut.substr(0, 246) == repeat("é", 123));
  const std::string three = file_name(repeat("中", 100), ".csv");
  BOOST_TEST(three.size() == 80U * 3 + 9 + 4);
  const std::string four = file_name(repeat("😀", 100), ".csv");
  BOOST_TEST(four.size() == 60U * 4 + 9 + 4);
}

BOOST_AUTO_TEST_CASE(long_names_of_stray_bytes_are_cut_at_the_limit) {
  BOOST_TEST(file_name(repeat("\x80", 300)).size() == 255U);
  BOOST_TEST(file_name(repeat("\xff", 300), ".npy").size() == 255U);
}

BOOST_AUTO_TEST_CASE(a_view_yields_to_a_member_of_its_name) {
  BOOST_TEST(assign({{"a", ".csv"}, {"a", ".npy"}, {"a.csv", ""}}) == (Names{"a~.csv", "a.npy", "a.csv"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_displaced_view_leaves_others_their_names) {
  BOOST_TEST(assign({{"a", ".csv"}, {"a.csv", ""}, {"a~", ".csv"}}) == (Names{"a~2.csv", "a.csv", "a~.csv"}),
             boost::test_tools::per_element());
  BOOST_TEST(assign({{"a", ".csv"}, {"a.csv", ""}, {"a~.csv", ""}}) == (Names{"a~2.csv", "a.csv", "a~.csv"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(members_with_equal_encodings_get_distinct_names) {
  const std::string encoded = encode_name("a/b");
  BOOST_TEST(assign({{encoded, ""}, {"a%2Fb", ""}}) == (Names{"a%2Fb", "a%2Fb~"}),
             boost::test_tools::per_element());
  BOOST_TEST(assign({{encoded, ".csv"}, {"a%2Fb", ".csv"}}) == (Names{"a%2Fb.csv", "a%2Fb~.csv"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(reserved_name_is_never_assigned) {
  static constexpr std::string_view reserved[] = {".plainfs"};
  const std::vector<NameRequest> requests{{".plainfs", ""}};
  BOOST_TEST(assign_names(requests, reserved).front() == ".plainfs~");
}

BOOST_AUTO_TEST_CASE(nameless_member_gets_a_name) {
  BOOST_TEST(assign({{"", ""}, {"", ".csv"}}) == (Names{"%", ".csv"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(names_are_always_distinct_and_fit) {
  std::mt19937 random(2);
  const std::string stems[] = {"a",
                               "a~",
                               "a.csv",
                               "a~.csv",
                               "a~2",
                               "",
                               "a%2Fb",
                               "a~2.csv",
                               repeat("x", 255),
                               repeat("x", 251),
                               repeat("é", 200),
                               "é"};
  const std::string extensions[] = {"", ".csv", ".npy"};
  for (int round = 0; round < 500; ++round) {
    std::vector<NameRequest> requests;
    for (size_t i = random() % 30; i > 0; --i) {
      requests.push_back({stems[random() % std::size(stems)], extensions[random() % std::size(extensions)]});
    }
    const Names given = assign(requests);
    BOOST_TEST_REQUIRE(std::set<std::string>(given.begin(), given.end()).size() == given.size());
    for (size_t i = 0; i < given.size(); ++i) {
      BOOST_TEST_REQUIRE(!given[i].empty());
      BOOST_TEST_REQUIRE(given[i].size() <= kLongestName);
      BOOST_TEST_REQUIRE(given[i].ends_with(requests[i].extension));
    }
  }
}

BOOST_AUTO_TEST_CASE(many_equal_names_are_made_distinct_quickly) {
  const std::vector<NameRequest> requests(50'000, NameRequest{"same", ".csv"});
  const Names given = assign(requests);
  BOOST_TEST(std::set<std::string>(given.begin(), given.end()).size() == requests.size());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
