#include "formats/containers/bpcells/directory.h"

#include <boost/filesystem.hpp>
#include <fstream>

#include "tests/support/probe.h"
#include "tests/unit/bpcells/store.h"

namespace {

using namespace plainfs;
using namespace plainfs::bpcells;

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

void refused(const std::string& version, Errc code, const std::string& words) {
  TestContext context;
  TemporaryDirectory directory;
  bpcells_writer::write_matrix(directory.path(), small_matrix());
  write(directory.path("version"), version);
  BOOST_TEST(recognises_directory(look_at(directory.path())), "so that it is refused instead of mirrored");
  require_error(code, words, [&] { open_directory(look_at(directory.path()), context); });
}

BOOST_AUTO_TEST_SUITE(directories)

BOOST_AUTO_TEST_CASE(store_reports_its_format_and_version) {
  TestContext context;
  TemporaryDirectory directory;
  bpcells_writer::write_matrix(directory.path(), small_matrix());
  BOOST_TEST(recognises_directory(look_at(directory.path())));
  const Store store = open_directory(look_at(directory.path()), context);
  BOOST_TEST(store.path == directory.path());
  BOOST_TEST(store.format == "BPCells directory");
  BOOST_TEST(store.version == "packed-uint-matrix-v2");
  BOOST_TEST(*store.root.parts->attributes().find("version")->text() == "packed-uint-matrix-v2");
}

BOOST_AUTO_TEST_CASE(other_directories_are_not_recognised) {
  TemporaryDirectory directory;
  BOOST_TEST(!recognises_directory(look_at(directory.path())));
  write(directory.path("version"), "1.2.3\n");
  write(directory.path("val"), "");
  BOOST_TEST(!recognises_directory(look_at(directory.path())));
  BOOST_TEST(!recognises_directory(look_at(directory.path("version"))));
  BOOST_TEST(!recognises_directory(look_at(directory.path("absent"))));
}

BOOST_AUTO_TEST_CASE(the_version_line_may_end_in_any_way) {
  TestContext context;
  for (const char* end : {"", "\n", "\r\n", "\r"}) {
    TemporaryDirectory directory;
    bpcells_writer::write_matrix(directory.path(), small_matrix());
    write(directory.path("version"), std::string("packed-uint-matrix-v2") + end);
    BOOST_TEST(open_directory(look_at(directory.path()), context).version == "packed-uint-matrix-v2");
  }
}

BOOST_AUTO_TEST_CASE(version_unknown_to_bpcells_is_refused) {
  for (const char* version : {"packed-uint-matrix-v3", "packed-uint-matrix-v9999", "unpacked-ulong-matrix-v2",
                              "packed-uint-fragments-v2", "packed-matrix-v2", "packed-fragments",
                              "packed-fragments-v2 ", "Packed-fragments-v2", "packedfragments-v2"}) {
    refused(version, Errc::unsupported, version);
  }
  refused("packed-\"\x01", Errc::unsupported, "packed-\\\"\\u0001");
}

BOOST_AUTO_TEST_CASE(a_version_of_not_one_line_is_damage) {
  refused("", Errc::damaged, "exactly one line");
  refused("packed-uint-matrix-v2\npacked-uint-matrix-v2\n", Errc::damaged, "exactly one line");
  refused("packed-uint-matrix-v2\n\n", Errc::damaged, "exactly one line");
}

BOOST_AUTO_TEST_CASE(only_the_arrays_of_the_version_are_members) {
  TestContext context;
  TemporaryDirectory directory;
  bpcells_writer::write_matrix(directory.path(), small_matrix(), "unpacked", 1);
  write(directory.path("README"), "no part of the store");
  write(directory.path("val_data"), "UINT32v1");
  boost::filesystem::create_directory(directory.path("old"));
  std::vector<std::string> names;
  for (const Member& member : open_directory(look_at(directory.path()), context).root.parts->members()) {
    names.push_back(member.name);
  }
  const std::vector<std::string> expected = {"val",       "index",     "idxptr",       "shape",
                                             "row_names", "col_names", "storage_order"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(array_without_a_regular_file_fails_alone) {
  TestContext context;
  TemporaryDirectory directory;
  bpcells_writer::write_matrix(directory.path(), small_matrix(), "unpacked");
  boost::filesystem::remove(directory.path("val"));
  boost::filesystem::create_directory(directory.path("val"));
  const GroupPtr root = open_directory(look_at(directory.path()), context).root.parts;
  require_error(Errc::damaged, "val", [&] { find_array(*root, "val"); });
  BOOST_TEST(find_array(*root, "index")->count() == 600u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
