// The golden tests must detect faults: each test spoils a passing case in one place.
#include <boost/filesystem.hpp>
#include <boost/filesystem/fstream.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/golden/case_check.h"
#include "tests/golden/golden_case.h"
#include "tests/support/temporary_directory.h"

namespace plainfs::golden {
namespace {

namespace disk = boost::filesystem;

void copy_folder(const disk::path& from, const disk::path& to) {
  disk::create_directories(to);
  for (const disk::directory_entry& entry : disk::recursive_directory_iterator(from)) {
    const disk::path target = to / entry.path().lexically_relative(from);
    if (disk::is_directory(entry.path()))
      disk::create_directories(target);
    else
      disk::copy_file(entry.path(), target);
  }
}

// A copy of a case to spoil.
struct Copy {
  TemporaryDirectory temporary;
  disk::path folder;

  explicit Copy(const std::string& name) : folder(temporary.path("case")) {
    copy_folder(disk::path(PLAINFS_TEST_DATA) / name, folder);
    BOOST_TEST_REQUIRE(problems_of(folder).empty());
  }

  void write(const std::string& name, const std::string& text) const {
    disk::create_directories((folder / name).parent_path());
    disk::ofstream(folder / name, std::ios::binary) << text;
  }
  // Returns whether a problem now contains all of `words`.
  bool mentions(const std::string& words) const {
    for (const std::string& problem : problems_of(folder))
      if (problem.find(words) != std::string::npos) return true;
    return false;
  }
};

const std::string kGood = "bpcells/mat_packed_uint_col", kBad = "bad/bpcells/val_data_cut4";

BOOST_AUTO_TEST_SUITE(canary)

BOOST_AUTO_TEST_CASE(wrong_expected_byte_fails) {
  const Copy golden(kGood);
  std::string text = read_host_file(golden.folder / "expected/matrix.mtx");
  text[text.size() / 2] ^= 1;
  golden.write("expected/matrix.mtx", text);
  BOOST_TEST(golden.mentions("matrix.mtx (section 5): "));
}

BOOST_AUTO_TEST_CASE(absent_expected_file_fails) {
  const Copy golden(kGood);
  golden.write("expected/more.csv", "1\n");
  BOOST_TEST(golden.mentions("more.csv"));
}

BOOST_AUTO_TEST_CASE(unexpected_file_fails) {
  const Copy golden(kGood);
  disk::remove(golden.folder / "expected/val.npy");
  BOOST_TEST(golden.mentions("val.npy: listed, and not expected"));
}

BOOST_AUTO_TEST_CASE(unexpectedly_readable_file_fails) {
  const Copy golden(kBad);
  golden.write("errors.txt", "shape.*\tEIO\n");
  BOOST_TEST(golden.mentions("shape.csv (section 9): ok, not EIO"));
  BOOST_TEST(golden.mentions("shape.npy (section 9): ok, not EIO"));
}

BOOST_AUTO_TEST_CASE(another_error_fails) {
  const Copy golden(kBad);
  golden.write("outcome.txt", read_host_file(golden.folder / "outcome.txt") + "matrix.mtx ENOTSUP\n");
  BOOST_TEST(golden.mentions("matrix.mtx (section 9): EIO, not ENOTSUP"));
}

BOOST_AUTO_TEST_CASE(wrong_link_fails) {
  const Copy golden(kGood);
  golden.write("links.txt", "matrix.mtx -> elsewhere\n");
  BOOST_TEST(golden.mentions("not 'elsewhere'"));
}

BOOST_AUTO_TEST_CASE(missing_warning_fails) {
  const Copy golden(kBad);
  golden.write("outcome.txt", read_host_file(golden.folder / "outcome.txt") + "log: something else\n");
  BOOST_TEST(golden.mentions("no line of the log has 'something else'"));
}

BOOST_AUTO_TEST_CASE(refusal_for_another_reason_fails) {
  const Copy golden("bad/bpcells/version_unknown");
  golden.write("outcome.txt", "mount fails: something else\n");
  BOOST_TEST(golden.mentions("does not contain 'something else'"));
}

BOOST_AUTO_TEST_CASE(unexpectedly_opened_store_fails) {
  const Copy golden(kGood);
  golden.write("outcome.txt", "mount fails: version\n");
  BOOST_TEST(golden.mentions("opens, where 'version' is expected"));
}

BOOST_AUTO_TEST_CASE(prose_fails) {
  const Copy golden(kBad);
  golden.write("outcome.txt", "val.csv EIO or so\n");
  BOOST_TEST(golden.mentions("no statement that can be checked"));
}

BOOST_AUTO_TEST_CASE(case_without_expectations_fails) {
  const Copy golden(kBad);
  disk::remove(golden.folder / "outcome.txt");
  BOOST_TEST(golden.mentions("nothing to hold the store against"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::golden
