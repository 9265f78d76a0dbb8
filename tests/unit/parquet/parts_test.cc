#include "formats/schemas/parquet/parts.h"

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs::parquet {
namespace {

// A folder with empty files.
class NamesFolder {
 public:
  explicit NamesFolder(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      const boost::filesystem::path path = directory_.path(file);
      boost::filesystem::create_directories(path.parent_path());
      std::ofstream(path.string()) << "";
    }
  }
  KeyStorePtr open() { return context_.files.open_folder(directory_.path()); }
  std::vector<std::string> parts() {
    std::vector<std::string> keys;
    for (const PartFile& part : parts_below(*open(), "")) keys.push_back(part.key);
    return keys;
  }

 private:
  TestContext context_;
  TemporaryDirectory directory_;
};

bool is_one_table(const std::vector<std::string>& files, std::string_view name = "folder") {
  return is_folder_of_parts(name, *NamesFolder(files).open(), "");
}

BOOST_AUTO_TEST_SUITE(parquet_parts)

BOOST_AUTO_TEST_CASE(endings_of_names) {
  for (const char* name : {"a.parquet", "a.parq", "a.pq", "a.geoparquet", "a.PARQUET"}) {
    BOOST_TEST(has_parquet_name(name));
    BOOST_TEST(without_ending(name) == "a");
  }
  BOOST_TEST(!has_parquet_name("parquet"));
  BOOST_TEST(!has_parquet_name(".parquet"));
  BOOST_TEST(without_ending("a.csv") == "a.csv");
}

BOOST_AUTO_TEST_CASE(folders_that_are_one_table) {
  BOOST_TEST(is_one_table({"part.0.parquet", "part.1.parquet", "part.10.parquet"}));
  BOOST_TEST(is_one_table({"part.0.parquet", "_metadata", ".part.0.parquet.crc", "_SUCCESS"}));
  BOOST_TEST(is_one_table({"sample1.parquet", "sample22.parquet"}));
  BOOST_TEST(is_one_table({"data_0.parquet"}));
  BOOST_TEST(is_one_table({"year=2020/data_0.parquet", "year=2021/data_0.parquet"}));
  BOOST_TEST(is_one_table({"year=2020/month=1/a.parquet"}));
  BOOST_TEST(is_one_table({"a.parquet", "b.parquet"}, "points.parquet"));
}

BOOST_AUTO_TEST_CASE(folders_that_are_mirrored) {
  BOOST_TEST(!is_one_table({}));
  BOOST_TEST(!is_one_table({"cells.parquet"}));
  BOOST_TEST(!is_one_table({"cells.parquet", "transcripts.parquet"}));
  BOOST_TEST(!is_one_table({"part.0.parquet", "notes.txt"}));
  BOOST_TEST(!is_one_table({"part.0.parquet", "more/part.1.parquet"}));
  BOOST_TEST(!is_one_table({"year=2020/data.csv"}));
  BOOST_TEST(!is_one_table({"year=2020/a.parquet", "a.parquet"}));
  BOOST_TEST(!is_one_table({"notes.txt"}, "points.parquet"));
}

BOOST_AUTO_TEST_CASE(numbers_in_names_are_in_order) {
  const std::vector<std::string> expected{"part.2.parquet", "part.10.parquet", "part.11.parquet"};
  BOOST_TEST(
      NamesFolder({"part.10.parquet", "part.2.parquet", "part.11.parquet", "_metadata"}).parts() == expected,
      boost::test_tools::per_element());
  const std::vector<std::string> nested{"a=2/x.parquet", "a=10/x.parquet"};
  BOOST_TEST(NamesFolder({"a=10/x.parquet", "a=2/x.parquet", "a=2/_hidden.parquet"}).parts() == nested,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(folders_are_columns) {
  NamesFolder folder({"s=a%2Fb/year=2020/x.parquet"});
  const std::vector<PartFile> parts = parts_below(*folder.open(), "");
  BOOST_TEST_REQUIRE(parts.size() == 1U);
  BOOST_TEST(parts[0].folders.at(0).first == "s");
  BOOST_TEST(parts[0].folders.at(0).second == "a/b");
  BOOST_TEST(parts[0].folders.at(1).second == "2020");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::parquet
