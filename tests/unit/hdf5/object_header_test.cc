#include "formats/containers/hdf5/object_header.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

#include "formats/containers/hdf5/container.h"
#include "formats/containers/hdf5/library/inside_file.h"
#include "formats/core/base/file_pool.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

using namespace plainfs;
using namespace plainfs::hdf5;

// Exported by libhdf5, but not declared in any installed header.
extern "C" uint32_t H5_checksum_lookup3(const void* data, size_t size, uint32_t initial);

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
  std::string content() {
    std::stringstream content;
    content << std::ifstream(path(), std::ios::binary).rdbuf();
    return content.str();
  }
  void replace(const std::string& bytes) {
    context.files.clear();
    std::ofstream(path(), std::ios::binary) << bytes;
  }
  static void put_checksum(std::string& bytes, size_t at, uint32_t sum) {
    for (unsigned i = 0; i < 4; ++i) bytes.at(at + i) = static_cast<char>(sum >> 8 * i);
  }
  // Sets the byte at `distance` from the name of the attribute "bad".
  void change_near_bad(ptrdiff_t distance, char value) {
    std::string bytes = content();
    const size_t name = bytes.find(std::string("bad\0\0\0\0\0", 8));
    BOOST_REQUIRE(name != std::string::npos);
    bytes[static_cast<size_t>(static_cast<ptrdiff_t>(name) + distance)] = value;
    replace(bytes);
  }
  // Replaces bytes of the object header of x, which is of version 2, as if written by a newer library: with a
  // valid checksum.
  void rewrite(std::string_view from, std::string_view to) {
    const uint64_t header = address_of_x();
    std::string bytes = content();
    const auto byte = [&](size_t at) { return static_cast<unsigned>(static_cast<uint8_t>(bytes.at(at))); };
    BOOST_REQUIRE(bytes.compare(header, 4, "OHDR") == 0);
    const unsigned flags = byte(header + 5);
    const size_t size_at = header + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    BOOST_REQUIRE((flags & 3) < 2);
    const size_t end =
        size_at + (flags & 3 ? 2 + byte(size_at) + (byte(size_at + 1) << 8) : 1 + byte(size_at));
    const size_t place = bytes.find(from, header);
    BOOST_REQUIRE(place < end);
    bytes.replace(place, to.size(), to);
    put_checksum(bytes, end, H5_checksum_lookup3(bytes.data() + header, end - header, 0));
    replace(bytes);
  }
  uint64_t address_of_x() {
    const InsideFile file(path(), context);
    return file.find_link(file.root_address(), "x").value().address;
  }
  std::optional<Names> names() {
    const InsideFile file(path(), context);
    const auto link = file.find_link(file.root_address(), "x");
    return attribute_names(*file.bytes(), file.layout(), link->address);
  }
};

auto unsupported_as(std::string words) {
  return [mentions = mentions(std::move(words))](const Error& error) {
    return mentions(error) && error.code() == Errc::unsupported;
  };
}

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

BOOST_AUTO_TEST_CASE(too_long_message_is_damage_without_the_library) {
  write({"good", "bad"});
  // The headers of the message and of the attribute; the high byte of the size.
  change_near_bad(-16 + 3, 0x6d);
  BOOST_CHECK_EXCEPTION(names(), Error, mentions("expected"));
}

BOOST_AUTO_TEST_CASE(damaged_attribute_is_an_error_beside_the_others) {
  write({"good", "bad"});
  change_near_bad(24, 77);  // after name and type: the version of the dataspace
  const Attributes attributes = find_array(*open_group(path(), context), "x")->attributes();
  BOOST_REQUIRE(attributes.size() == 2U);
  BOOST_TEST(attributes[0].name == "bad");
  BOOST_REQUIRE(!attributes[0].known());
  BOOST_CHECK_EXCEPTION(attributes.find("bad"), Error, mentions("attribute bad: "));
  BOOST_TEST(to_json_text(attributes[1].value()) == "7");
}

BOOST_AUTO_TEST_CASE(newer_data_layout_is_unsupported_by_name) {
  write({"a"}, H5F_LIBVER_LATEST);
  rewrite({"\0\x04\x01", 3}, {"\0\x05\x01", 3});  // contiguous
  BOOST_CHECK_EXCEPTION(InsideFile(path(), context).object(address_of_x()), Error,
                        unsupported_as("written by a newer HDF5 (layout version 5)"));
  const Node x = open_group(path(), context)->find("x").value();
  BOOST_REQUIRE(std::holds_alternative<Error>(x.content));
  BOOST_CHECK(std::get<Error>(x.content).code() == Errc::unsupported);
}

BOOST_AUTO_TEST_CASE(attribute_of_a_newer_hdf5_fails_alone) {
  write({"a", "new", "z"}, H5F_LIBVER_LATEST);
  rewrite({"new\0\x10", 5}, {"new\0\x50", 5});
  const std::vector<StoredAttribute> found = InsideFile(path(), context).attributes(address_of_x());
  BOOST_REQUIRE(found.size() == 3U);
  BOOST_REQUIRE(found[1].error.has_value());
  BOOST_CHECK(unsupported_as("written by a newer HDF5 (datatype version 5)")(*found[1].error));
  const Attributes attributes = find_array(*open_group(path(), context), "x")->attributes();
  for (const char* name : {"a", "z"}) BOOST_TEST(to_json_text(*attributes.find(name)) == "7", name);
}

BOOST_AUTO_TEST_CASE(heap_attribute_of_a_newer_hdf5_makes_the_list_unsupported) {
  Names many{"new"};
  for (int i = 0; i < 20; ++i) many.push_back("attribute" + std::to_string(i));
  write(many, H5F_LIBVER_LATEST);
  std::string bytes = content();
  // The heap's only block: its header, its place in the heap (40 bits), a checksum, and 1024 bytes in total.
  const size_t block = bytes.find("FHDB"), version = bytes.find({"new\0\x10", 5}) + 4;
  BOOST_REQUIRE((block < version && version < block + 1024));
  bytes[version] = 0x50;
  put_checksum(bytes, block + 18, 0);
  put_checksum(bytes, block + 18, H5_checksum_lookup3(bytes.data() + block, 1024, 0));
  replace(bytes);
  BOOST_CHECK_EXCEPTION(InsideFile(path(), context).attributes(address_of_x()), Error,
                        unsupported_as("written by a newer HDF5 (unknown datatype version)"));
}

BOOST_AUTO_TEST_CASE(unpublished_version_without_checksum_is_damage) {
  write({"a", "bad"});
  change_near_bad(8, 0x70);  // the name is padded to 8 bytes; the version of the type
  const auto error_of_bad = [&] {
    return InsideFile(path(), context).attributes(address_of_x()).at(1).error.value();
  };
  BOOST_CHECK(error_of_bad().code() == Errc::damaged);
  change_near_bad(8, 0x50);
  BOOST_CHECK(unsupported_as("datatype version 5")(error_of_bad()));
}

BOOST_AUTO_TEST_SUITE_END()
