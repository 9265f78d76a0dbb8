#include "formats/containers/hdf5/stored_elements.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "formats/containers/hdf5/container.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::hdf5 {
namespace {

using namespace std::string_literals;

struct Fixture {
  TemporaryDirectory directory;
  TestContext test;
  std::string path = directory.path("store.h5");

  // Replaces the bytes `before`, as the library writes them, by `after`.
  void replace(const std::string& before, const std::string& after) const {
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const size_t at = bytes.find(before);
    BOOST_TEST_REQUIRE(at != std::string::npos);
    bytes.replace(at, before.size(), after);
    std::ofstream(path, std::ios::binary) << bytes;
  }
  Elements elements_of(const std::string& name) {
    return read_all(*find_array(*open_group(path, test.context), name));
  }
  void write_enumeration(const std::vector<std::pair<const char*, int>>& members,
                         const std::vector<int>& values) {
    path += "x";  // a new file, because a changed one is an error
    Hdf5Writer writer(path);
    const TypeHandle type(written(H5Tenum_create(H5T_STD_I32LE)));
    for (const auto& [name, value] : members) written(H5Tenum_insert(type.id(), name, &value));
    writer.dataset("x", type.id(), {values.size()}, type.id(), values.data());
  }
};

BOOST_FIXTURE_TEST_SUITE(stored_elements, Fixture)

BOOST_AUTO_TEST_CASE(text_keeps_inner_nul_and_loses_the_last) {
  { Hdf5Writer(path).texts("x", {"cut-here", "plainly_", "one_two_"}); }
  replace("cut-here", "cut\0here"s);
  replace("plainly_", "plainly\0"s);
  replace("one_two_", "one_tw\0\0"s);
  const Elements texts = elements_of("x");
  BOOST_TEST(texts.text(0) == "cut\0here"s);
  BOOST_TEST(texts.text(1) == "plainly");
  BOOST_TEST(texts.text(2) == "one_tw\0"s);
}

BOOST_AUTO_TEST_CASE(invalid_truth_value_is_damage) {
  write_enumeration({{"FALSE", 0}, {"TRUE", 1}}, {0, 1, 7});
  BOOST_CHECK_EXCEPTION(elements_of("x"), Error, [](const Error& error) {
    return error.code() == Errc::damaged &&
           std::string(error.what()).find("a truth value is 7, expected 0 or 1") != std::string::npos;
  });
  write_enumeration({{"FALSE", 0}, {"TRUE", 1}}, {1, 0});
  BOOST_TEST((elements_of("x").bytes == Bytes{std::byte{1}, std::byte{0}}));
}

BOOST_AUTO_TEST_CASE(invalid_one_byte_truth_value_is_damage) {
  {
    Hdf5Writer writer(path);
    const TypeHandle type(written(H5Tenum_create(H5T_STD_I8LE)));
    for (const auto& [name, value] : {std::pair("FALSE", int8_t{0}), std::pair("TRUE", int8_t{1})})
      written(H5Tenum_insert(type.id(), name, &value));
    const int8_t good[] = {1, 0}, bad[] = {1, 3};
    writer.dataset("good", type.id(), {2}, type.id(), good);
    writer.dataset("bad", type.id(), {2}, type.id(), bad);
  }
  BOOST_TEST((elements_of("good").bytes == Bytes{std::byte{1}, std::byte{0}}));
  BOOST_CHECK_EXCEPTION(elements_of("bad"), Error, mentions("/bad: a truth value is"));
}

BOOST_AUTO_TEST_CASE(a_logical_is_false_true_or_missing) {
  write_enumeration({{"FALSE", 0}, {"TRUE", 1}, {"NA", 2}}, {0, 1, 2, INT32_MIN});
  const Elements values = elements_of("x");
  BOOST_TEST(values.missing == (std::vector<uint8_t>{0, 0, 1, 1}), boost::test_tools::per_element());
  write_enumeration({{"FALSE", 0}, {"TRUE", 1}, {"NA", 2}}, {0, 3});
  BOOST_CHECK_EXCEPTION(elements_of("x"), Error, [](const Error& error) {
    return std::string(error.what()).find("a logical value is 3, expected 0 or 1") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdf5
