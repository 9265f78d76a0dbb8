// Every directory case of the golden data, array by array: the .npy and the name lists that BPCells' own data
// gave.
#include <boost/filesystem.hpp>
#include <fstream>
#include <iterator>

#include "tests/unit/bpcells/store.h"

namespace {

using namespace plainfs;
using namespace plainfs::bpcells;
namespace fs = boost::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path.string(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An NPY 1.0 file of one of BPCells' types.
void compare_npy(const fs::path& path, const Array& array) {
  const std::string npy = read_file(path);
  const size_t header = 10 + static_cast<uint8_t>(npy[8]) + 256 * static_cast<uint8_t>(npy[9]);
  const char kind = array.dtype().kind == Kind::real ? 'f' : 'u';
  const std::string descr = fmt::format("'descr': '<{}{}'", kind, array.dtype().size);
  BOOST_TEST(npy.find(descr) < header, npy.substr(10, header - 10) << " is not " << descr);
  BOOST_TEST(npy.find(fmt::format("'shape': ({},)", array.count())) < header);
  Bytes packed;
  pack(array.dtype(), read_all(array), 0, array.count(), packed);
  BOOST_TEST((as_text(packed) == std::string_view(npy).substr(header)));
}

// A CSV of names, quoted where need be.
void compare_names(const fs::path& path, const Array& array) {
  const Elements names = read_all(array);
  std::string csv;
  for (uint64_t i = 0; i < names.count; ++i) {
    std::string name(names.text(i));
    if (name.empty() || name == "NA" || name.find_first_of(",\"\r\n") != std::string::npos) {
      for (size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2) name.insert(at, 1, '"');
      name = '"' + name + '"';
    }
    csv += name + "\n";
  }
  BOOST_TEST(csv == read_file(path));
}

void compare_case(const fs::path& folder, Context& context) {
  const Node node = open_refined((folder / "store").string(), context);
  size_t compared = 0;
  for (const Member& member : node.parts->members()) {
    const ArrayPtr array = array_of(member.node);
    const fs::path expected = folder / "expected" / member.name;
    BOOST_TEST_CONTEXT(expected) {
      array->check();
      if (array->dtype().kind == Kind::text)
        compare_names(expected.string() + ".csv", *array);
      else
        compare_npy(expected.string() + ".npy", *array);
    }
    ++compared;
  }
  const auto* matrix = std::get_if<SparseMatrix>(&node.content);
  const auto* fragments = std::get_if<Fragments>(&node.content);
  BOOST_TEST((matrix ? !matrix->error.has_value() : fragments && !fragments->error.has_value()));
  BOOST_TEST(compared == 7u);
}

BOOST_AUTO_TEST_SUITE(golden_arrays)

BOOST_AUTO_TEST_CASE(all_directory_stores_read_as_bpcells_wrote_them) {
  TestContext context;
  size_t cases = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(PLAINFS_TEST_DATA "/bpcells")) {
    if (!fs::is_directory(entry.path() / "store")) continue;
    BOOST_TEST_CONTEXT(entry.path()) {
      compare_case(entry.path(), context);
    }
    ++cases;
  }
  BOOST_TEST(cases >= 31u);
}

// Lines "NAME.npy EIO" and "NAME.npy ok" of a damaged store.
BOOST_AUTO_TEST_CASE(damaged_stores_fail_where_they_are_damaged_and_nowhere_else) {
  TestContext context;
  for (const fs::directory_entry& entry : fs::directory_iterator(PLAINFS_TEST_DATA "/bad/bpcells")) {
    const std::string store = (entry.path() / "store").string();
    BOOST_TEST(recognises_directory(store));
    std::ifstream outcome((entry.path() / "outcome.txt").string());
    std::optional<Node> node;
    for (std::string file, verdict; outcome >> file >> verdict;) {
      BOOST_TEST_CONTEXT(entry.path().filename().string() << "/" << file) {
        if (file == "mount") {
          BOOST_CHECK_THROW(open_directory(store, context), Error);
          continue;
        }
        if (!node) node = open_refined(store, context);
        const fs::path path(file);
        if (path.extension() != ".npy" && path.extension() != ".csv") continue;
        const ArrayPtr array = find_array(*node->parts, path.stem().string());
        BOOST_REQUIRE(array);
        const auto read = [&] {
          array->check();
          read_all(*array);
        };
        if (verdict == "EIO")
          require_error(Errc::damaged, "", read);
        else
          BOOST_CHECK_NO_THROW(read());
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
