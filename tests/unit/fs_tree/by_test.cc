// The cells of one level of a column of obs: by/COLUMN/LEVEL/ in the tree.
#include <boost/test/unit_test.hpp>
#include <random>

#include "formats/core/model/contents/cell_table.h"
#include "fs/filesystem.h"
#include "fs/tree/tree.h"
#include "tests/support/mentions.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/support/view_text.h"
#include "tests/unit/fs_tree/memory_anndata.h"

namespace plainfs {
namespace {

using Names = std::vector<std::string>;

// Five cells by two genes.
struct Fixture {
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  std::optional<Tree> generated;
  Table obs{5, text_array({"c1", "c2", "c3", "c4", "c5"}), {}};
  ChosenViews views = default_views();

  Fixture() {
    obs.columns = {{"type", factor(numbers<int8_t>({0, 2, 0, -1, 1}), text_array({"T", "a/b", "", "unused"}),
                                   0, "type", context)},
                   {"a/b", text_array({"y", "x", "y", "x", "x"})},
                   {"n", numbers<int32_t>({10, 9, 10, 9, 8})}};
  }
  std::shared_ptr<Inodes> inodes = std::make_shared<Inodes>();
  IndexFolderPtr index;

  Tree& tree() {
    if (generated) return *generated;
    SparseMatrix x;  // of genes by cells, as AnnData's is shown; by cell
    x.rows = 2;
    x.columns = 5;
    x.value = numbers<int32_t>({1, 2, 3, 4});
    x.index = numbers<int32_t>({0, 1, 1, 0});
    x.pointer = numbers<int32_t>({0, 2, 3, 3, 3, 4});
    root->add("X", {x});
    root->add("obs", {obs});
    root->add("var", {Table{2, text_array({"g1", "g2"}), {}}});
    generated.emplace(memory_anndata(root, context), "", views, context, inodes, index);
    return *generated;
  }
  Names names(const std::string& path) {
    Names names;
    const ListingPtr listing = tree().list(tree().find(path));
    for (const Listing::Entry& entry : listing->entries()) names.push_back(entry.name);
    return names;
  }
  bool exists(const std::string& path) {
    try {
      tree().find(path);
      return true;
    } catch (const Error& error) {
      BOOST_REQUIRE(error.code() == Errc::not_found);
      return false;
    }
  }
  std::string text(const std::string& path) { return whole_text(*tree().view(tree().find(path))); }
};

BOOST_FIXTURE_TEST_SUITE(by_levels, Fixture)

BOOST_AUTO_TEST_CASE(folder_by_is_found_and_not_listed) {
  const Names listed = names("");
  BOOST_TEST((std::find(listed.begin(), listed.end(), "by") == listed.end()));
  BOOST_TEST(names("by") == (Names{"type", "a%2Fb"}), boost::test_tools::per_element());
  BOOST_TEST(names("by/type") == (Names{"T", "a%2Fb", "%00"}), boost::test_tools::per_element());
  // Numbers on request, and values that no cell has.
  BOOST_TEST(names("by/n") == (Names{"8", "9", "10"}), boost::test_tools::per_element());
  for (const char* path : {"by/type/unused", "by/type/NA", "by/gone", "by/n/7"})
    BOOST_TEST(!exists(path), path);
}

BOOST_AUTO_TEST_CASE(sizes_of_released_names_are_no_fault_of_saving) {
  const TemporaryDirectory folder;
  index = std::make_shared<const IndexFolder>(folder.path());
  Inode released = 0;
  for (const char* path : {"obs.csv", "by/type/T/obs.csv", "pseudobulk/type.csv"}) {
    const Inodes::Visit visit(*inodes);
    released = tree().find(path);
    BOOST_TEST(tree().size(released) > 0u);
  }
  BOOST_TEST_REQUIRE(!inodes->knows(released));
  BOOST_CHECK_NO_THROW(tree().save_index(false));
}

BOOST_AUTO_TEST_CASE(a_level_is_an_annotated_matrix_of_its_cells) {
  BOOST_TEST(text("by/type/T/obs.csv") == "\"\",type,a/b,n\nc1,T,y,10\nc3,T,y,10\n");
  BOOST_TEST(text("by/type/T/X/matrix.mtx") ==
             "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 1\n2 1 2\n");
  BOOST_TEST(text("by/type/T/X/barcodes.tsv") == "c1\nc3\n");
  BOOST_TEST(text("by/n/9/obs.csv") == "\"\",type,a/b,n\nc2,\"\",x,9\nc4,NA,x,9\n");
  for (const char* path :
       {"var.csv", "anndata.h5ad", "seurat.rds", "X/matrix.rds", "X/10x/10x.h5", "anndata.zarr/X"})
    BOOST_TEST(exists(std::string("by/type/T/") + path), path);
  BOOST_TEST(!exists("by/type/T/X/data.npy"));
}

// Its cells have all values. c2, which has another level, lacks one.
BOOST_AUTO_TEST_CASE(column_of_a_level_has_the_type_of_the_whole) {
  const auto without_c2 = [](ArrayPtr values) {
    return with_missing(std::move(values), [](const Elements& elements, std::vector<uint8_t>& missing) {
      if (elements.count == 5) missing[1] = 1;
    });
  };
  obs.columns.push_back({"whole", without_c2(numbers<int32_t>({1, 2, 3, 4, 5}))});
  obs.columns.push_back({"text", without_c2(text_array({"a", "b", "c", "d", "e"}))});
  for (const char* path : {"whole/mask/0", "text/codes/0"})
    for (const char* place : {"", "by/type/T/", "by/type/T/by/type/T/"})
      BOOST_TEST(exists(std::string(place) + "anndata.zarr/obs/" + path), place << path);
  BOOST_TEST(!exists("by/type/T/anndata.zarr/obs/n/mask/0"));
}

BOOST_AUTO_TEST_CASE(levels_are_found_among_the_cells_of_a_level) {
  BOOST_TEST(names("by/a%2Fb/x/by/type") == (Names{"a%2Fb", "%00"}), boost::test_tools::per_element());
  BOOST_TEST(text("by/a%2Fb/x/by/n/9/by/type/%00/X/matrix.mtx") ==
             "%%MatrixMarket matrix coordinate integer general\n2 1 1\n2 1 3\n");
}

// Otherwise a walk through all listed folders would never end.
BOOST_AUTO_TEST_CASE(folder_by_is_listed_with_named_views_but_not_in_itself) {
  views.are_named = true;
  const Names listed = names(""), inside = names("by/type/T");
  BOOST_TEST((std::find(listed.begin(), listed.end(), "by") != listed.end()));
  BOOST_TEST((std::find(inside.begin(), inside.end(), "anndata.zarr") != inside.end()));
  BOOST_TEST((std::find(inside.begin(), inside.end(), "by") == inside.end()));
  BOOST_TEST(exists("by/type/T/by/type/T"));
}

BOOST_AUTO_TEST_CASE(equal_levels_are_numbered) {
  obs.columns = {
      {"x", factor(numbers<int8_t>({0, 1, 0, 2, 1}), text_array({"a", "a", "b"}), 0, "x", context)}};
  BOOST_TEST(names("by/x") == (Names{"a~1", "a~2", "b"}), boost::test_tools::per_element());
  BOOST_TEST(text("by/x/a~2/X/barcodes.tsv") == "c2\nc5\n");
}

BOOST_AUTO_TEST_CASE(cells_without_columns_have_no_levels) {
  obs.columns.clear();
  BOOST_TEST(!exists("by"));
}

BOOST_AUTO_TEST_CASE(unreadable_column_fails_alone) {
  obs.columns.push_back({"bad", std::make_shared<BrokenArray>(text_type(), damaged("no such chunk"))});
  obs.columns.push_back({"short", text_array({"x"})});
  obs.columns.push_back(
      {"pairs", std::make_shared<BrokenArray>(number_type(Kind::complex, 16), damaged("no"))});
  BOOST_TEST(names("by") == (Names{"type", "a%2Fb", "bad", "short"}), boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(names("by/bad"), Error, mentions("no such chunk"));
  BOOST_CHECK_EXCEPTION(names("by/short"), Error, mentions("short has 1 values for 5 cells"));
  BOOST_TEST(!exists("by/pairs"));
  BOOST_TEST(text("by/type/T/var.csv") == "\"\"\ng1\ng2\n");
}

BOOST_AUTO_TEST_CASE(a_level_in_every_row_of_a_large_table_is_refused) {
  std::vector<int32_t> values(70000);
  for (int i = 0; i < 70000; ++i) values[i] = i;
  obs = {values.size(), nullptr, {{"n", numbers(values)}}};
  BOOST_CHECK_EXCEPTION(names("by/n"), Error, mentions("n has more than 65536 levels"));
}

// Three cells with seven fragments on two chromosomes.
struct FragmentsFixture {
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>();
  Fragments fragments{numbers<uint32_t>({0, 1, 2, 1, 0, 1, 1}),
                      numbers<uint32_t>({1, 2, 3, 4, 5, 6, 7}),
                      numbers<uint32_t>({11, 12, 13, 14, 15, 16, 17}),
                      numbers<uint64_t>({0, 3, 3, 7}),
                      text_array({"a", "b", "c"}),
                      text_array({"chr1", "chr2"}),
                      {}};
  std::optional<Tree> generated;

  Tree& tree() {
    if (generated) return *generated;
    CellTable reported;
    reported.table = {3, text_array({"c", "x", "b"}), {{"type", text_array({"T", "T", "B"})}}};
    context.context.options.cells = std::make_shared<const CellTable>(reported);
    auto store = std::make_shared<Store>();
    store->path = "/nowhere/store";
    store->root = {fragments, root};
    generated.emplace(store, "", default_views(), context, std::make_shared<Inodes>());
    return *generated;
  }
  std::string text(const std::string& path) { return whole_text(*tree().view(tree().find(path))); }
};

BOOST_FIXTURE_TEST_CASE(fragments_are_divided_by_a_table_of_their_cells, FragmentsFixture) {
  BOOST_TEST(text("fragments.tsv").starts_with("chr1\t1\t10\ta\t1\n"));
  BOOST_TEST(text("by/type/B/fragments.tsv") ==
             "chr1\t2\t11\tb\t1\nchr2\t4\t13\tb\t1\nchr2\t6\t15\tb\t1\nchr2\t7\t16\tb\t1\n");
  BOOST_TEST(text("by/type/T/fragments.tsv") == "chr1\t3\t12\tc\t1\n");
  BOOST_TEST(tree().list(tree().find("by/type"))->size() == 2u);
  for (const char* name : {"fragments.tsv.gz", "fragments.tsv.gz.tbi", "fragments.tsv.gz.csi"})
    BOOST_TEST(tree().size(tree().find(std::string("by/type/T/") + name)) > 0u);
  BOOST_CHECK_EXCEPTION(tree().find("by/type/T/by"), Error, mentions("by does not exist"));
}

BOOST_FIXTURE_TEST_CASE(damaged_fragments_fail_each_level, FragmentsFixture) {
  fragments.cell = numbers<uint32_t>({0, 1, 3, 1, 0, 1, 1});
  BOOST_CHECK_EXCEPTION(text("by/type/T/fragments.tsv"), Error, mentions("cell 3 is not below 3"));
  generated.reset();
  fragments.cell = numbers<uint32_t>({0, 1, 2, 1, 0, 1, 1});
  fragments.chr_pointer = numbers<uint64_t>({0, 3, 4, 2});
  BOOST_CHECK_EXCEPTION(text("by/type/T/fragments.tsv"), Error,
                        mentions("chromosome 1 has fragments 4 to 2, but there are 7"));
  generated.reset();
  fragments.chr_pointer = numbers<uint64_t>({0, 7, 0, 7});
  BOOST_CHECK_EXCEPTION(text("by/type/T/fragments.tsv"), Error, mentions("overlap: 14 of 7"));
}

// More than are processed together, read at random places.
BOOST_FIXTURE_TEST_CASE(any_part_of_a_level_equals_that_of_all_lines, FragmentsFixture) {
  constexpr uint32_t kCount = 150000;
  std::vector<uint32_t> cells(kCount), starts(kCount), ends(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    cells[i] = i % 7 == 0 ? 1 : i % 2 * 2;
    starts[i] = i;
    ends[i] = i + 5;
  }
  fragments.cell = numbers(cells);
  fragments.start = numbers(starts);
  fragments.end = numbers(ends);
  fragments.chr_pointer = numbers<uint64_t>({0, 70000, 70000, kCount});
  std::string want;
  for (uint32_t i = 0; i < kCount; i += 7) {
    const char* chromosome = i < 70000 ? "chr1" : "chr2";
    want += fmt::format("{}\t{}\t{}\tb\t1\n", chromosome, i, i + 4);
  }
  const auto file = tree().view(tree().find("by/type/B/fragments.tsv"));
  BOOST_TEST((whole_text(*file) == want));
  std::mt19937_64 random(1);
  BOOST_TEST(slices_match(*file, want, random, 50));
}

BOOST_FIXTURE_TEST_CASE(fragments_without_a_table_have_no_levels, FragmentsFixture) {
  tree();
  context.context.options.cells = nullptr;
  BOOST_CHECK_EXCEPTION(tree().find("by"), Error, mentions("by does not exist"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
