// libhdf5 reads only through the files of Context.
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>

#include "formats/containers/hdf5/container.h"
#include "tests/support/faulty_pool.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/hdf5/hdf5_writer.h"

using namespace plainfs;
using namespace plainfs::hdf5;

namespace {

struct Fixture : FaultyContext {
  TemporaryDirectory directory;
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

// Describes everything below `group`: names, attributes and values, one per line.
void describe(const Group& group, std::vector<std::string>& lines) {
  for (const Attribute& attribute : group.attributes())
    lines.push_back(group.path() + "@" + attribute.name + " " + to_json_text(attribute.value()));
  for (const Member& member : group.members()) {
    lines.push_back(group.path() + "/" + member.name);
    if (const ArrayPtr array = array_of(member.node)) {
      const Elements elements = read_all(*array);
      for (const int32_t value : elements.values<int32_t>()) lines.push_back(std::to_string(value));
    }
    if (member.node.parts) describe(*member.node.parts, lines);
  }
}
std::vector<std::string> description(const Group& root) {
  std::vector<std::string> lines;
  describe(root, lines);
  return lines;
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

BOOST_AUTO_TEST_CASE(file_fault_is_reported_exactly_and_does_not_last) {
  {
    Hdf5Writer writer(path());
    writer.group("g");
    for (int i = 0; i < 50; ++i) writer.integers("g/member" + std::to_string(i), {3}, {1, 2, 3});
  }
  const GroupPtr root = open_group(path(), context);
  files.faults.all = true;
  BOOST_CHECK_EXCEPTION(root->members(), Error, is(Errc::unreadable, "the disk fails"));
  files.faults.all = false;
  BOOST_TEST(find_group(*root, "g")->members().size() == 50U);
}

// Headers continued at other places, and adjacent metadata.
void write_tree(const std::string& path) {
  Hdf5Writer writer(path);
  const SpaceHandle scalar(H5Screate(H5S_SCALAR));
  for (const std::string group : {"g", "g/h", "k"}) {
    writer.group(group);
    for (int i = 0; i < 12; ++i)
      writer.integers(group + "/member" + std::to_string(i), {8}, {1, 2, 3, i, 5, 6, 7, 8},
                      i % 3 == 0 ? Hdf5Writer::chunked({3}).id() : H5P_DEFAULT);
    for (int i = 0; i < 12; ++i) {
      const ObjectHandle object(
          H5Oopen(writer.id(), (i % 2 ? group : group + "/member3").c_str(), H5P_DEFAULT));
      writer.attribute(object.id(), "attribute" + std::to_string(i), H5T_NATIVE_INT, scalar.id(), &i);
    }
  }
}

BOOST_AUTO_TEST_CASE(single_read_failure_leaves_no_wrong_content) {
  write_tree(path());
  const std::vector<std::string> good = description(*open_group(path(), context));
  BOOST_REQUIRE(good.size() > 300U);
  int failed = 0;
  for (int reads = 0, left = -1; left < 0; ++reads) {
    FaultyContext own;
    const GroupPtr root = open_group(path(), own.context);
    own.files.faults.reads_before = reads;
    try {
      BOOST_TEST(description(*root) == good, reads << " reads before the one that fails");
    } catch (const Error&) {
      ++failed;
    }
    left = own.files.faults.reads_before;  // number of reads still to succeed
    own.files.faults.reads_before = -1;
    BOOST_TEST(description(*root) == good, "after read " << reads << " has failed");
  }
  BOOST_TEST(failed > 20);
}

BOOST_AUTO_TEST_CASE(file_changed_while_open_in_the_library_is_an_error) {
  { Hdf5Writer(path()).group("g"); }
  const GroupPtr root = open_group(path(), context);
  boost::filesystem::last_write_time(path(), 1'000'000'000);
  BOOST_CHECK_EXCEPTION(root->members(), Error, is(Errc::changed, "has changed"));
}

BOOST_AUTO_TEST_CASE(rewritten_file_is_new_while_the_old_one_is_open) {
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

BOOST_AUTO_TEST_CASE(unreadable_virtual_source_is_not_fill) {
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
