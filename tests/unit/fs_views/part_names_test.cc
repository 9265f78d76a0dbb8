#include "fs/views/parts/part_names.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/base/error.h"
#include "fs/views/names.h"
#include "tests/support/mentions.h"

namespace plainfs {
namespace {

using Texts = std::vector<std::string>;

Texts files_of(const PartNames& names, std::string_view extension = ".csv") {
  Texts files;
  for (uint64_t part = 0; part < names.count(); ++part) files.push_back(names.file(part, extension));
  return files;
}

// "2 as TAIL", or "none".
std::string found(const PartNames& names, std::string_view asked, std::string_view extension = {}) {
  const auto part = names.find(asked, extension);
  return part ? std::to_string(part->part) + " as " + part->name : "none";
}

std::string found_list(const PartNames& names, std::string_view asked, char separator = ',') {
  const auto parts = names.find_list(asked, ".csv", separator);
  if (!parts) return "none";
  std::string all;
  for (const PartNames::Match& part : *parts) all += std::to_string(part.part) + " as " + part.name + "; ";
  return all;
}

bool is_not_unique(const Error& error) {
  return error.code() == Errc::not_unique;
}

BOOST_AUTO_TEST_SUITE(part_names)

BOOST_AUTO_TEST_CASE(unique_name_is_the_label) {
  const PartNames names("gene", {"CD3D", "a,b", "sl/ash", "50%", ".", "", "n\xc3\xa4h"}, {});
  BOOST_TEST(files_of(names) == (Texts{"CD3D.csv", "a,b.csv", "sl%2Fash.csv", "50%.csv", "%2E.csv", "%00.csv",
                                       "n\xc3\xa4h.csv"}),
             boost::test_tools::per_element());
  BOOST_TEST(names.label(2) == "sl/ash");
  BOOST_TEST(names.label(5) == "");
  BOOST_TEST(found(names, "sl%2Fash") == "2 as sl/ash");
  BOOST_TEST(found(names, "%2E") == "4 as .");
  BOOST_TEST(found(names, "%00") == "5 as ");
  BOOST_TEST(found(names, "") == "none");
  BOOST_TEST(found(names, "CD3") == "none");
  BOOST_TEST(found(names, "50%25") == "none");
}

BOOST_AUTO_TEST_CASE(duplicate_names_are_listed_by_id) {
  const PartNames names("gene", {"A", "B", "A"}, {"E1", "E2", "E3"});
  BOOST_TEST(files_of(names) == (Texts{"E1.csv", "B.csv", "E3.csv"}), boost::test_tools::per_element());
  BOOST_TEST(found(names, "B") == "1 as B");
  BOOST_TEST(found(names, "E2") == "1 as E2");
  BOOST_TEST(found(names, "E3") == "2 as E3");
  BOOST_CHECK_EXCEPTION(names.find("A"), Error, is_not_unique);
  BOOST_CHECK_EXCEPTION(names.find("A"), Error, mentions("2 genes have the name A: E1, E3"));
  BOOST_CHECK_EXCEPTION(names.find_list("B,A", ".csv", ','), Error, is_not_unique);
}

BOOST_AUTO_TEST_CASE(ambiguous_id_is_replaced_by_a_number) {
  // Repeated, empty, the name of another: no label, and only the last is found by that name.
  const PartNames names("gene", {"A", "A", "A", "A", "E4", "A"}, {"E1", "E1", "", "E4", "E5", "E6"});
  BOOST_TEST(files_of(names, "") == (Texts{"A~1", "A~2", "A~3", "A~4", "E4", "E6"}),
             boost::test_tools::per_element());
  BOOST_TEST(found(names, "A~3") == "2 as A~3");
  BOOST_TEST(found(names, "E1") == "none");
  BOOST_TEST(found(names, "E4") == "4 as E4");
  BOOST_TEST(found(names, "%00") == "none");
}

BOOST_AUTO_TEST_CASE(numbers_used_as_names_are_skipped) {
  const PartNames names("cell", {"A", "A~1", "A"});
  BOOST_TEST(files_of(names, "") == (Texts{"A~2", "A~1", "A~3"}), boost::test_tools::per_element());
  BOOST_TEST(found(names, "A~1") == "1 as A~1");
  BOOST_TEST(found(names, "A~2") == "0 as A~2");
}

BOOST_AUTO_TEST_CASE(id_precedes_a_shared_name) {
  const PartNames names("gene", {"A", "A", "B"}, {"E1", "E2", "A"});
  BOOST_TEST(found(names, "A") == "2 as A");
}

BOOST_AUTO_TEST_CASE(names_equal_to_a_file_system_are_one) {
  const PartNames names("gene", {"a/b", "a%2Fb"}, {"E1", "E2"});
  BOOST_TEST(files_of(names, "") == (Texts{"E1", "E2"}), boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(names.find("a%2Fb"), Error, mentions("2 genes have the name a/b: E1, E2"));
}

BOOST_AUTO_TEST_CASE(long_labels_are_cut_before_the_extension) {
  const std::string name(300, 'L'), other = name + "x";
  const PartNames names("gene", {name, other, "short"});
  BOOST_TEST(names.file(0, ".csv") == file_name(name, ".csv"));
  BOOST_TEST(names.file(0, ".csv").size() == kLongestName);
  for (const std::string extension : {"", ".csv", ".cells.csv"}) {
    const std::string file = names.file(1, extension);
    BOOST_TEST(found(names, file.substr(0, file.size() - extension.size()), extension) == "1 as " + other);
  }
  BOOST_TEST(found(names, std::string(251, 'L'), ".csv") == "none");
}

BOOST_AUTO_TEST_CASE(list_is_first_looked_up_as_one_name) {
  const PartNames names("gene", {"a,b", "a", "b", "c/d,e%", "50%", "."});
  BOOST_TEST(found_list(names, "a,b") == "0 as a,b; ");
  BOOST_TEST(found_list(names, "b,a") == "2 as b; 1 as a; ");
  BOOST_TEST(found_list(names, "a%2Cb,50%,a") == "0 as a,b; 4 as 50%; 1 as a; ");
  BOOST_TEST(found_list(names, "b,c%2Fd%2Ce%25") == "2 as b; 3 as c/d,e%; ");
  BOOST_TEST(found_list(names, "%2E,.,b") == "5 as .; 5 as .; 2 as b; ");
  for (const std::string none : {"a,", ",a", "a,,b", "a%2Cb", "a,x", "a%2cb,b", "c%2Fd%2Ce%,b", ","})
    BOOST_TEST(found_list(names, none) == "none", none);
}

BOOST_AUTO_TEST_CASE(separator_is_escaped_in_names) {
  const PartNames names("column", {"a+b", "a,b", "c"});
  BOOST_TEST(encode_in_list("a+b", '+') == "a%2Bb");
  BOOST_TEST(encode_in_list("a,b", '+') == "a,b");
  BOOST_TEST(found_list(names, "c+a%2Bb+a,b", '+') == "2 as c; 0 as a+b; 1 as a,b; ");
}

BOOST_AUTO_TEST_CASE(message_limits_its_labels) {
  const PartNames names("cell", Texts(50, "A"));
  BOOST_CHECK_EXCEPTION(names.find("A"), Error, mentions("A~20 and 30 more"));
  BOOST_CHECK_EXCEPTION(names.find("A"), Error, mentions("50 cells have the name A: A~1, A~2"));
}

BOOST_AUTO_TEST_CASE(every_label_finds_its_part) {
  Texts many, ids;
  for (int i = 0; i < 3000; ++i) {
    many.push_back("g" + std::to_string(i % 2000));
    ids.push_back(i % 5 == 0 ? "" : "e" + std::to_string(i));
  }
  const PartNames names("gene", many, ids);
  for (uint64_t part = 0; part < names.count(); ++part) {
    const auto asked = names.find(names.file(part));
    BOOST_TEST_REQUIRE(asked.has_value());
    BOOST_TEST_REQUIRE(asked->part == part);
    BOOST_TEST_REQUIRE(asked->name == names.label(part));
  }
}

BOOST_AUTO_TEST_CASE(a_million_names_take_few_bytes_beside_their_text) {
  constexpr uint64_t kNames = 1'000'000;
  TextBuilder texts(kNames);
  for (uint64_t i = 0; i < kNames; ++i) texts.add(std::to_string(kNames + i));
  const PartNames names("cell", texts.finish(), {});
  BOOST_TEST(names.allocated_bytes() < kNames * (2 * 7 + 20));
  BOOST_TEST(found(names, "1765432") == "765432 as 1765432");
  BOOST_TEST(found(names, "765432") == "none");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
