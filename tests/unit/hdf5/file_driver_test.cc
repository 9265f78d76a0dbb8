// How libhdf5 reads: through the files of Context, and no others.
#include <atomic>
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>

#include "formats/hdf5/container.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

using namespace plainfs;
using namespace plainfs::hdf5;

namespace {

// Fails to read while it is told to.
class FaultyFile : public plainfs::File {
 public:
  FaultyFile(FilePtr file, const std::atomic<bool>& fails)
      : File(file->path(), file->size(), file->fingerprint()), file_(std::move(file)), fails_(fails) {}
  void check_unchanged() const override { file_->check_unchanged(); }

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (fails_) throw unreadable("{}: the disk fails", path());
    file_->read_at(offset, out);
  }
  FilePtr file_;
  const std::atomic<bool>& fails_;
};

class FaultyPool : public FilePool {
 public:
  FilePtr open_if_exists(const std::string& path) override {
    if (path == unreadable_path) throw unreadable("{}: Permission denied", path);
    FilePtr file = FilePool::open_if_exists(path);
    return file ? std::make_shared<const FaultyFile>(std::move(file), fails) : nullptr;
  }
  std::atomic<bool> fails{false};
  std::string unreadable_path;
};

struct Fixture {
  TemporaryDirectory directory;
  TestContext test;
  FaultyPool files;
  Context context{test.cache,    test.workers, test.decode_room,         test.unit_room, files,
                  test.counters, {},           [](const std::string&) {}};
  std::string path(const std::string& name = "a.h5") { return directory.path(name); }
};

int open_descriptors_of(const std::string& path) {
  int count = 0;
  for (const auto& entry : boost::filesystem::directory_iterator("/proc/self/fd")) {
    boost::system::error_code error;
    count += boost::filesystem::read_symlink(entry.path(), error) == path;
  }
  return count;
}

auto is(Errc code, std::string_view words) {
  return [code, words](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    return error.code() == code && std::string_view(error.what()).find(words) != std::string_view::npos;
  };
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hdf5_file_driver, Fixture)

BOOST_AUTO_TEST_CASE(library_opens_no_file_of_its_own) {
  { Hdf5Writer(path()).integers("x", {3}, {1, 2, 3}); }
  const GroupPtr root = open_group(path(), context);
  BOOST_TEST(root->members().size() == 1U);
  BOOST_TEST(open_descriptors_of(path()) == 1);
}

BOOST_AUTO_TEST_CASE(fault_of_the_file_is_told_as_what_it_is_and_does_not_last) {
  {
    Hdf5Writer writer(path());
    writer.group("g");
    for (int i = 0; i < 50; ++i) writer.integers("g/member" + std::to_string(i), {3}, {1, 2, 3});
  }
  const GroupPtr root = open_group(path(), context);
  files.fails = true;
  BOOST_CHECK_EXCEPTION(root->members(), Error, is(Errc::unreadable, "the disk fails"));
  files.fails = false;
  BOOST_TEST(find_group(*root, "g")->members().size() == 50U);
}

BOOST_AUTO_TEST_CASE(file_that_changes_while_the_library_has_it_open_is_an_error) {
  { Hdf5Writer(path()).group("g"); }
  const GroupPtr root = open_group(path(), context);
  boost::filesystem::last_write_time(path(), 1'000'000'000);
  BOOST_CHECK_EXCEPTION(root->members(), Error, is(Errc::changed, "has changed"));
}

BOOST_AUTO_TEST_CASE(rewritten_file_is_another_one_although_the_old_one_is_still_open) {
  { Hdf5Writer(path()).group("before"); }
  const GroupPtr old = open_group(path(), context);
  { Hdf5Writer(path("b.h5")).group("after"); }
  boost::filesystem::copy_file(path("b.h5"), path(), boost::filesystem::copy_options::overwrite_existing);
  boost::filesystem::last_write_time(path(), 1'000'000'000);
  files.clear();
  const GroupPtr root = open_group(path(), context);
  BOOST_REQUIRE(root->members().size() == 1U);
  BOOST_TEST(root->members()[0].name == "after");
}

BOOST_AUTO_TEST_CASE(virtual_source_that_may_not_be_read_is_no_fill) {
  { Hdf5Writer(path("source.h5")).integers("x", {3}, {1, 2, 3}); }
  {
    Hdf5Writer writer(path());
    const hsize_t three = 3;
    const SpaceHandle space(H5Screate_simple(1, &three, nullptr));
    const PropertyHandle creation(H5Pcreate(H5P_DATASET_CREATE));
    written(H5Pset_virtual(creation.id(), space.id(), "source.h5", "x", space.id()));
    writer.integers("v", {3}, {}, creation.id());
  }
  const ArrayPtr array = find_array(*open_group(path(), context), "v");
  files.unreadable_path = path("source.h5");
  BOOST_CHECK_EXCEPTION(read_all(*array), Error, is(Errc::unreadable, "Permission denied"));
  files.unreadable_path.clear();
  BOOST_TEST(read_all(*array).values<int32_t>()[2] == 3);
}

BOOST_AUTO_TEST_SUITE_END()
