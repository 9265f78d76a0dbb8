#include "fs/commands/whole_folders.h"

#include <boost/test/unit_test.hpp>

namespace plainfs {

namespace {

const std::vector<std::string> kPaths = {
    "obs.csv",        "a.zarr/.zgroup",    "a.zarr/.zmetadata", "a.zarr/X/.zarray",
    "a.zarr/X/0.0",   "X/bpcells/index",   "X/bpcells/idxptr",  "X/bpcells/row_names",
    "X/bpcells/val",  "X/bpcells/version", "X/matrix.mtx",      "X/bpcells/storage_order",
    "X/shape/version"};

}  // namespace

BOOST_AUTO_TEST_SUITE(whole_folders)

BOOST_AUTO_TEST_CASE(files_belong_to_the_outermost_folder) {
  const WholeFolders folders(kPaths);
  BOOST_TEST(folders.folder_of("a.zarr/X/0.0").value_or("none") == "a.zarr");
  BOOST_TEST(folders.folder_of("a.zarr/X/1.0").value_or("none") == "a.zarr");
  BOOST_TEST(folders.folder_of("X/bpcells/val").value_or("none") == "X/bpcells");
  BOOST_TEST(folders.folder_of("X/matrix.mtx").value_or("none") == "none");
  BOOST_TEST(folders.folder_of("obs.csv").value_or("none") == "none");
}

BOOST_AUTO_TEST_CASE(documents_and_the_version_are_marks) {
  const WholeFolders folders(kPaths);
  std::vector<std::string> marks;
  for (const std::string& path : kPaths)
    if (folders.is_mark(path)) marks.push_back(path);
  BOOST_TEST(marks == (std::vector<std::string>{"a.zarr/.zgroup", "a.zarr/.zmetadata", "a.zarr/X/.zarray",
                                                "X/bpcells/version"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(failed_file_breaks_only_its_folder) {
  WholeFolders folders(kPaths, {"X/bpcells/row_names", "obs.csv"});
  BOOST_TEST(folders.is_broken("X/bpcells/val"));
  BOOST_TEST(!folders.is_broken("obs.csv"));
  BOOST_TEST(!folders.is_broken("a.zarr/X/0.0"));
  folders.add_failure("a.zarr/X/0.0");
  BOOST_TEST(folders.is_broken("a.zarr/.zgroup"));
  BOOST_TEST(folders.broken() == (std::vector<std::string>{"X/bpcells", "a.zarr"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(whole_export_may_be_one_folder) {
  const WholeFolders folders({".zgroup", "X/.zarray", "X/0"}, {"X/0"});
  BOOST_TEST(folders.folder_of("X/0").value_or("none") == "");
  BOOST_TEST(folders.is_broken(".zgroup"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
