#include "fs/commands/one_file/file_form.h"

#include <boost/test/unit_test.hpp>

namespace plainfs {
namespace {

std::string_view form_ending(std::string_view name) {
  const FileForm* const form = form_of_name(name);
  return form ? form->ending : "none";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(file_form)

BOOST_AUTO_TEST_CASE(longest_ending_chooses_the_form) {
  BOOST_TEST(form_ending("a.h5ad") == ".h5ad");
  BOOST_TEST(form_ending("dir.h5/A.RDS") == ".rds");
  BOOST_TEST(form_ending("a.vcf") == ".vcf");
  BOOST_TEST(form_ending("a.b.vcf.gz") == ".vcf.gz");
  BOOST_TEST(form_ending("a.ome.tif") == ".ome.tif");
  for (const char* name : {"a", "a.gz", "a.csv.gz", "a.h5ad2", "ah5ad", ""})
    BOOST_TEST(form_ending(name) == "none", name);
}

BOOST_AUTO_TEST_CASE(letters_after_a_dot_are_an_ending) {
  BOOST_TEST(file_ending("a.xlsx") == ".xlsx");
  BOOST_TEST(file_ending("b.d/a.loom") == ".loom");
  BOOST_TEST(file_ending("a.h5ad") == ".h5ad");
  for (const char* name : {"a", "a.2", "2026.11", "b.d/a", ".hidden", "a.", "a.b c", "a.longerthan8", ""})
    BOOST_TEST(file_ending(name) == "", name);
}

BOOST_AUTO_TEST_CASE(each_exported_row_is_found_by_its_ending) {
  for (const FileRow& row : file_rows()) {
    if (!row.form.is_exported()) continue;
    const FileForm* const form = form_of_name("x" + std::string(row.form.ending));
    BOOST_TEST_REQUIRE(form);
    BOOST_TEST(form->ending == row.form.ending);
    BOOST_TEST(!form->what.empty(), row.name);  // what another row of the ending is need not be listed
  }
}

BOOST_AUTO_TEST_CASE(name_of_each_row_ends_with_its_ending) {
  for (const FileRow& row : file_rows()) BOOST_TEST(row.name.ends_with(row.form.ending), row.name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
