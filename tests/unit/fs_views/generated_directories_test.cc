// Directories that plainfs generates from a store, compared with those of the genuine program.
#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/model/derived_group.h"
#include "formats/open_store.h"
#include "formats/registry.h"
#include "fs/views/anndata/anndata_files.h"
#include "fs/views/matrix/matrix_files.h"
#include "tests/support/listed_files.h"
#include "tests/support/test_context.h"

namespace plainfs {

namespace {

namespace fs = boost::filesystem;

std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!fs::is_regular_file(entry.path())) continue;
    std::ifstream in(entry.path().string(), std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    files[fs::relative(entry.path(), folder).string()] = content.str();
  }
  return files;
}

fs::path store_in(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "store" || name.starts_with("store.")) return entry.path();
  }
  throw std::runtime_error("no store in " + folder.string());
}

struct Fixture {
  TestContext context;
  const fs::path data = PLAINFS_TEST_DATA;
  std::optional<Store> store;

  Node root(const fs::path& path) {
    store.emplace(open_store(path.string(), context));
    return refine(store->root, context);
  }
  ListEntries zarr(const fs::path& path, ZarrLimits limits = {}) {
    Node directory = root(path);
    // Refines the members, like views.
    std::vector<Member> members = directory.parts->members();
    std::vector<std::string> names;
    for (Member& member : members) {
      member.node = refine(std::move(member.node), context);
      names.push_back(member.name);
    }
    directory.parts = std::make_shared<KnownMembers>(directory.parts, std::move(members), std::move(names));
    std::vector<FoundAnnotatedMatrix> found = annotated_matrices(directory, context);
    BOOST_REQUIRE_EQUAL(found.size(), 1u);
    return anndata_zarr(found[0].make, context, limits);
  }
  void check(const ListEntries& generated, const fs::path& genuine) {
    const auto want = files_below(genuine), ours = listed_texts(generated);
    BOOST_REQUIRE(!want.empty());
    for (const auto& [path, text] : want) {
      const auto found = ours.find(path);
      BOOST_TEST((found != ours.end()), path);
      if (found != ours.end()) BOOST_TEST((found->second == text), genuine.string() + "/" + path);
    }
    for (const auto& [path, text] : ours) BOOST_TEST(want.count(path) == 1u, path);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(generated_directories, Fixture)

BOOST_AUTO_TEST_CASE(anndata_zarr_matches_anndata) {
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(data / "anndata-zarr")) {
    const std::string name = entry.path().filename().string();
    if (!fs::is_directory(entry.path()) || name == "boundary") continue;
    check(zarr(store_in(data / "anndata" / name)), entry.path() / "anndata.zarr");
    ++cases;
  }
  BOOST_TEST(cases == 7);
}

BOOST_AUTO_TEST_CASE(last_chunks_match_anndata) {
  const fs::path folder = data / "anndata-zarr" / "boundary";
  ZarrLimits small;
  small.texts = 8;
  small.numbers = 16;
  small.bytes = 64;
  check(zarr(folder / "boundary.h5ad", small), folder / "anndata.zarr");
}

// Packed ones too, each with an equal unpacked matrix.
BOOST_AUTO_TEST_CASE(bpcells_directory_matches_bpcells) {
  for (const auto& [stored, genuine] : {std::pair("unpacked_uint_col", "unpacked_uint_col"),
                                        std::pair("unpacked_float_col", "unpacked_float_col"),
                                        std::pair("unpacked_double_col", "unpacked_double_col"),
                                        std::pair("unpacked_double_row", "unpacked_double_row"),
                                        std::pair("packed_uint_col", "unpacked_uint_col"),
                                        std::pair("packed_float_col", "unpacked_float_col"),
                                        std::pair("packed_double_col", "unpacked_double_col")}) {
    const Node node = root(data / "bpcells" / (std::string("mat_") + stored) / "store");
    const auto* matrix = std::get_if<SparseMatrix>(&node.content);
    BOOST_REQUIRE(matrix);
    check(bpcells_directory(*matrix, context), data / "bpcells" / (std::string("mat_") + genuine) / "store");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
