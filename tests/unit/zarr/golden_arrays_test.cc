// Every golden store, array by array: the elements of each expected .npy, and the unreadable arrays of
// errors.txt, each with its error.
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <set>

#include "formats/containers/zarr/zarr.h"
#include "tests/support/probe.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
namespace fs = boost::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path.string(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string_view npy_elements(std::string_view npy) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(npy[i])); };
  const bool is_version_1 = npy[6] == 1;
  return npy.substr(is_version_1 ? 10 + byte(8) + 256 * byte(9)
                                 : 12 + byte(8) + 256 * byte(9) + 65536 * byte(10));
}

void compare(const fs::path& path, const Node& node) {
  const ArrayPtr array = array_of(node);
  BOOST_REQUIRE(array);
  Bytes packed(array->count() * array->dtype().packed_size());
  pack(array->dtype(), read_all(*array), 0, array->count(), packed.data());
  BOOST_TEST((as_text(packed) == npy_elements(read_file(path))));
}

std::string_view code_name(Errc code) {
  return code == Errc::unsupported || code == Errc::undecodable ? "ENOTSUP" : "EIO";
}

// Walks a group beside the folder of its expected files.
class Walk {
 public:
  explicit Walk(const fs::path& folder) : folder_(folder) {
    std::ifstream errors((folder / "errors.txt").string());
    for (std::string line; std::getline(errors, line);) {
      const size_t tab = line.find('\t');
      errors_[line.substr(0, tab - 2)] = line.substr(tab + 1);
    }
  }

  void group(const Group& group, const std::string& prefix) {
    for (const Member& member : group.members()) {
      BOOST_TEST_CONTEXT(folder_ << ": " << prefix << member.name) node(member.node, prefix + member.name);
    }
  }

  void node(const Node& node, const std::string& name) {
    if (const auto error = errors_.find(name); error != errors_.end())
      return expect_error(node, error->second);
    if (node.parts && !errors_.contains(name)) {
      if (fs::exists(folder_ / "expected" / name)) group(*node.parts, name + "/");
      return;
    }
    const fs::path npy = folder_ / "expected" / (name + ".npy");
    const fs::path csv = folder_ / "expected" / (name + ".csv");
    if (fs::exists(npy)) {
      compare(npy, node);
      ++compared;
    } else if (fs::exists(csv)) {
      BOOST_CHECK_NO_THROW(read_all(*array_of(node)));
    }
  }

  size_t compared = 0;

 private:
  static void expect_error(const Node& node, const std::string& allowed) {
    try {
      const ArrayPtr array = array_of(node);
      BOOST_REQUIRE(array);
      read_all(*array);
      BOOST_ERROR("it reads");
    } catch (const Error& error) {
      BOOST_TEST(allowed.find(code_name(error.code())) != std::string::npos,
                 error.what() << " is " << code_name(error.code()));
    }
  }

  const fs::path folder_;
  std::map<std::string, std::string> errors_;
};

size_t compare_case(const fs::path& folder) {
  TestContext context;
  Walk walk(folder);
  for (const char* name : {"store.zarr", "store.zarr.zip"}) {
    const std::string path = (folder / name).string();
    if (!fs::exists(path)) continue;
    BOOST_TEST(zarr::recognises(look_at(path)));
    const Store store = zarr::open(look_at(path), context);
    if (store.root.parts)
      walk.group(*store.root.parts, "");
    else
      walk.node(store.root, "array");
  }
  if (!fs::exists(folder / "store.dir")) return walk.compared;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder / "store.dir")) {
    const std::string name = fs::relative(entry.path(), folder / "store.dir").string();
    if (!entry.path().string().ends_with(".zarr") || !zarr::recognises(look_at(entry.path().string())))
      continue;
    BOOST_TEST_CONTEXT(entry.path()) {
      try {
        const Store store = zarr::open(look_at(entry.path().string()), context);
        if (store.root.parts)
          walk.group(*store.root.parts, name + "/");
        else
          walk.node(store.root, name + "/array");
      } catch (const Error& error) {
        walk.node(Node{error, {}, {}}, name + "/array");
      }
    }
  }
  return walk.compared;
}

BOOST_AUTO_TEST_SUITE(golden_arrays)

BOOST_AUTO_TEST_CASE(all_stores_match_their_writers) {
  size_t compared = 0;
  for (const char* format : {"zarr", "zarr-implementations"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(PLAINFS_TEST_DATA) / format)) {
      BOOST_TEST_CONTEXT(entry.path()) compared += compare_case(entry.path());
    }
  }
  BOOST_TEST(compared > 600u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
