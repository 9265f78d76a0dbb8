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

BOOST_AUTO_TEST_CASE(each_form_has_its_own_ending_and_names) {
  for (const FileForm& form : file_forms()) {
    BOOST_TEST(form_of_name("x" + std::string(form.ending)) == &form);
    BOOST_TEST(!form.names.empty());
    for (const FormName& name : form.names) BOOST_TEST(name.pattern.ends_with(form.ending), name.pattern);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
