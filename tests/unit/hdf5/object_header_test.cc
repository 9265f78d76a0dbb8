#include "formats/containers/hdf5/object_header.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

#include "formats/containers/hdf5/container.h"
#include "formats/containers/hdf5/library/inside_file.h"
#include "formats/core/base/file_pool.h"
#include "tests/support/says.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

using namespace plainfs;
using namespace plainfs::hdf5;

namespace {

using Names = std::vector<std::string>;

struct Fixture {
  TemporaryDirectory directory;
  TestContext context;
  std::string path() { return directory.path("a.h5"); }

  // A dataset x with these attributes, all of them 7.
  void write(const Names& names, H5F_libver_t earliest = H5F_LIBVER_EARLIEST) {
    context.files.clear();
    const LibraryLock lock;
    const PropertyHandle access(H5Pcreate(H5P_FILE_ACCESS));
    written(H5Pset_libver_bounds(access.id(), earliest, H5F_LIBVER_LATEST));
    Hdf5Writer writer(path(), H5P_DEFAULT, access.id());
    const DatasetHandle dataset = writer.integers("x", {3}, {1, 2, 3});
    const SpaceHandle scalar(H5Screate(H5S_SCALAR));
    const int value = 7;
    for (const std::string& name : names)
      writer.attribute(dataset.id(), name, H5T_NATIVE_INT, scalar.id(), &value);
  }
  // Sets a byte that lies so far from the name of the attribute "bad".
  void change_near_bad(ptrdiff_t distance, char value) {
    std::stringstream content;
    content << std::ifstream(path(), std::ios::binary).rdbuf();
    std::string bytes = content.str();
    const size_t name = bytes.find(std::string("bad\0\0\0\0\0", 8));
    BOOST_REQUIRE(name != std::string::npos);
    bytes[static_cast<size_t>(static_cast<ptrdiff_t>(name) + distance)] = value;
    std::ofstream(path(), std::ios::binary) << bytes;
  }
  std::optional<Names> names() {
    const InsideFile file(path(), context);
    const auto link = file.find_link(file.root_address(), "x");
    return attribute_names(*file.bytes(), file.layout(), link->address);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hdf5_object_header, Fixture)

BOOST_AUTO_TEST_CASE(names_of_attributes_are_read_from_either_form_of_header) {
  write({"b", "a name", "ü"});
  BOOST_TEST(names().value() == (Names{"b", "a name", "ü"}), boost::test_tools::per_element());
  write({"b", "a name", "ü"}, H5F_LIBVER_LATEST);
  BOOST_TEST(names().value() == (Names{"b", "a name", "ü"}), boost::test_tools::per_element());
  write({});
  BOOST_TEST(names().value().empty());
}

BOOST_AUTO_TEST_CASE(names_in_a_heap_are_left_to_the_library) {
  Names many;
  for (int i = 0; i < 20; ++i) many.push_back("attribute" + std::to_string(i));
  write(many, H5F_LIBVER_LATEST);
  BOOST_TEST(!names().has_value());
  BOOST_TEST(find_array(*open_group(path(), context), "x")->attributes().size() == 20U);
}

BOOST_AUTO_TEST_CASE(message_that_is_longer_than_its_header_is_damage_and_not_left_to_the_library) {
  write({"good", "bad"});
  change_near_bad(-16 + 3, 0x6d);  // the message's header and the attribute's own; the size's higher byte
  BOOST_CHECK_EXCEPTION(names(), Error, says("bytes wanted"));
}

BOOST_AUTO_TEST_CASE(damaged_attribute_is_an_error_beside_the_others) {
  write({"good", "bad"});
  change_near_bad(24, 77);  // behind name and type: the version of the dataspace
  const Attributes attributes = find_array(*open_group(path(), context), "x")->attributes();
  BOOST_REQUIRE(attributes.size() == 2U);
  BOOST_TEST(attributes[0].name == "bad");
  BOOST_REQUIRE(attributes[0].error.has_value());
  BOOST_TEST(std::string(attributes[0].error->what()).find("attribute bad") != std::string::npos);
  BOOST_TEST(to_json_text(attributes[1].value) == "7");
}

BOOST_AUTO_TEST_SUITE_END()
