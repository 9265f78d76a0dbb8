// One broken part in an otherwise valid store: its users fail with a reason, and the rest reads.
#include <boost/filesystem.hpp>
#include <set>

#include "tests/unit/bpcells/store.h"

namespace {

using namespace plainfs;
using namespace plainfs::bpcells;
using bpcells_writer::StoreFiles;

using Break = std::function<void(const StoreFiles& files, const std::string& directory)>;

void cut(const std::string& path, uint64_t bytes) {
  boost::filesystem::resize_file(path, boost::filesystem::file_size(path) - bytes);
}

void read_part(const Array& array) {
  array.check();
  read_all(array);
}

// Checks that every part outside of `broken` reads, and that each part in it fails with `words`.
void check_parts(const Node& node, const std::set<std::string>& broken, const std::string& words) {
  std::set<std::string> listed;
  for (const Member& member : node.parts->members()) {
    listed.insert(member.name);
    const ArrayPtr array = array_of(member.node);
    BOOST_TEST_CONTEXT(member.name) {
      if (broken.count(member.name))
        require_error(Errc::damaged, words, [&] { read_part(*array); });
      else
        BOOST_CHECK_NO_THROW(read_part(*array));
    }
  }
  for (const std::string& name : broken) BOOST_TEST(listed.count(name) == 1u, name << " is not listed");
}

Node broken_matrix(const TemporaryDirectory& directory, Context& context, const Break& break_it,
                   const std::string& packing) {
  const StoreFiles files = bpcells_writer::write_matrix(directory.path(), small_matrix(), packing);
  break_it(files, directory.path());
  return open_refined(directory.path(), context);
}

// broken: the parts that fail with `words`.
void damage_part(const std::set<std::string>& broken, const std::string& words, const Break& break_it,
                 const std::string& packing = "packed") {
  TestContext context;
  TemporaryDirectory directory;
  check_parts(broken_matrix(directory, context, break_it, packing), broken, words);
}

// Checks that the matrix as a whole fails with `words` while all its parts read.
void damage_matrix(const std::string& words, const Break& break_it) {
  TestContext context;
  TemporaryDirectory directory;
  const Node node = broken_matrix(directory, context, break_it, "packed");
  check_parts(node, {}, "");
  const auto& matrix = std::get<SparseMatrix>(node.content);
  BOOST_REQUIRE(matrix.error.has_value());
  require_error(Errc::damaged, words, [&] { throw *matrix.error; });
}

void damage_fragments(const std::set<std::string>& broken, const std::string& words, const Break& break_it) {
  TestContext context;
  TemporaryDirectory directory;
  const StoreFiles files = bpcells_writer::write_fragments(directory.path(), small_fragments());
  break_it(files, directory.path());
  check_parts(open_refined(directory.path(), context), broken, words);
}

Break remove(const std::string& name) {
  return [name](const StoreFiles&, const std::string& directory) {
    boost::filesystem::remove(directory + "/" + name);
  };
}

Break cut_file(const std::string& name, uint64_t bytes) {
  return
      [name, bytes](const StoreFiles&, const std::string& directory) { cut(directory + "/" + name, bytes); };
}

template <class T>
Break replace(const std::string& name, std::vector<T> values) {
  return [name, values](const StoreFiles& files, const std::string&) { files.numbers(name, values); };
}

Break replace_lines(const std::string& name, std::vector<std::string> lines) {
  return [name, lines](const StoreFiles& files, const std::string&) { files.lines(name, lines); };
}

std::vector<uint64_t> good_idxptr() {
  return small_matrix().idxptr;
}

BOOST_AUTO_TEST_SUITE(damaged_stores)

BOOST_AUTO_TEST_CASE(an_undamaged_store_reads) {
  damage_part({}, "", [](const StoreFiles&, const std::string&) {});
  damage_part(
      {}, "", [](const StoreFiles&, const std::string&) {}, "unpacked");
  damage_fragments({}, "", [](const StoreFiles&, const std::string&) {});
}

BOOST_AUTO_TEST_CASE(missing_array_fails_only_its_users) {
  damage_part({"index"}, "index_idx: there is no such array", remove("index_idx"));
  damage_part({"index"}, "index_starts: there is no such array", remove("index_starts"));
  damage_part({"val"}, "val_idx_offsets: there is no such array", remove("val_idx_offsets"));
  damage_part({"row_names"}, "row_names: there is no such array", remove("row_names"));
  damage_part({"val"}, "val: there is no such array", remove("val"), "unpacked");
}

BOOST_AUTO_TEST_CASE(without_idxptr_packed_entries_have_no_length) {
  damage_part({"val", "index", "idxptr"}, "idxptr", remove("idxptr"));
  damage_part({"idxptr"}, "idxptr: there is no such array", remove("idxptr"), "unpacked");
}

BOOST_AUTO_TEST_CASE(a_short_array_is_damage) {
  damage_part({"val"}, "val_data has", cut_file("val_data", 4));
  damage_part({"val"}, "val_idx has 5 values, expected 6", cut_file("val_idx", 4));
  damage_part({"index"}, "index_starts has 4 values, expected 5", cut_file("index_starts", 1));
  damage_part({"val"}, "val has 599 values, expected 600", cut_file("val", 4), "unpacked");
  damage_part({"shape"}, "shape has 1 values, expected 2", cut_file("shape", 4));
}

BOOST_AUTO_TEST_CASE(a_wrong_header_is_damage) {
  damage_part({"val"}, "val_data: the header is \"DOUBLEv1\"", replace("val_data", std::vector<double>(100)));
  damage_part(
      {"val"}, "val: 3 bytes are no header",
      [](const StoreFiles& files, const std::string&) { files.text("val", "UIN"); }, "unpacked");
}

BOOST_AUTO_TEST_CASE(idxptr_not_rising_from_0_is_damage) {
  auto falls = good_idxptr();
  falls[3] = falls[5];
  damage_part({"idxptr"}, "idxptr[4] falls from 100 to 80", replace("idxptr", falls));
  auto begins = good_idxptr();
  begins[0] = 1;
  damage_part({"idxptr"}, "idxptr begins with 1", replace("idxptr", begins));
}

BOOST_AUTO_TEST_CASE(out_of_range_pointer_does_not_shorten_the_matrix) {
  auto short_idxptr = good_idxptr();
  short_idxptr.pop_back();
  TestContext context;
  TemporaryDirectory directory;
  const StoreFiles files = bpcells_writer::write_matrix(directory.path(), small_matrix(), "unpacked");
  files.numbers("idxptr", short_idxptr);
  const Node node = open_refined(directory.path(), context);
  BOOST_TEST(find_array(*node.parts, "val")->count() == good_idxptr().back());
}

BOOST_AUTO_TEST_CASE(inconsistent_parts_damage_only_the_matrix) {
  auto with_one_more = good_idxptr();
  with_one_more.push_back(600);
  damage_matrix("idxptr has 32 values, expected 31 for 30 columns", replace("idxptr", with_one_more));
  damage_matrix("idxptr has 31 values, expected 41 for 40 rows", replace_lines("storage_order", {"row"}));
  damage_matrix("idxptr has 31 values, expected 1 for 0 columns",
                replace("shape", std::vector<uint32_t>{40, 0}));
}

BOOST_AUTO_TEST_CASE(unknown_storage_order_damages_the_matrix) {
  damage_matrix("neither row nor col: \"Col\"", replace_lines("storage_order", {"Col"}));
  damage_matrix("storage_order is empty", replace_lines("storage_order", {}));
}

BOOST_AUTO_TEST_CASE(damaged_names_stay_with_the_matrix_and_empty_ones_do_not) {
  TestContext context;
  TemporaryDirectory without_file, without_names;
  const Node damaged_names = broken_matrix(without_file, context, remove("row_names"), "packed");
  const ArrayPtr names = std::get<SparseMatrix>(damaged_names.content).row_names;
  BOOST_REQUIRE(names);
  require_error(Errc::damaged, "row_names", [&] { names->check(); });
  const Node no_names = broken_matrix(without_names, context, replace_lines("row_names", {}), "packed");
  BOOST_TEST(!std::get<SparseMatrix>(no_names.content).row_names);
  BOOST_TEST(find_array(*no_names.parts, "row_names")->count() == 0u);
}

BOOST_AUTO_TEST_CASE(names_give_the_shape_if_it_is_damaged) {
  TestContext context;
  TemporaryDirectory directory;
  const auto matrix =
      std::get<SparseMatrix>(broken_matrix(directory, context, cut_file("shape", 4), "packed").content);
  BOOST_TEST(matrix.error.has_value());
  BOOST_TEST(matrix.rows == 40u);
  BOOST_TEST(matrix.columns == 30u);
}

BOOST_AUTO_TEST_CASE(a_huge_idxptr_allocates_nothing) {
  auto huge = good_idxptr();
  huge.back() = ~uint64_t{0};
  damage_part({"val", "index"}, "values, expected", replace("idxptr", huge));
  damage_part({"val", "index"}, "has 600 values, expected 18446744073709551615", replace("idxptr", huge),
              "unpacked");
}

BOOST_AUTO_TEST_CASE(the_end_of_fragments_needs_their_start) {
  damage_fragments({"start", "end"}, "start_data has", cut_file("start_data", 4));
  damage_fragments({"end"}, "end_data has", cut_file("end_data", 4));
  damage_fragments({"cell"}, "cell_idx: there is no such array", remove("cell_idx"));
}

BOOST_AUTO_TEST_CASE(reversed_chromosome_ranges_are_damage) {
  damage_fragments({"chr_ptr"}, "chr_ptr[0]: a range begins at 200 and ends at 100",
                   replace("chr_ptr", std::vector<uint64_t>{200, 100, 200, 300}));
  damage_fragments({"chr_ptr"}, "chr_ptr has 3 values, expected pairs",
                   replace("chr_ptr", std::vector<uint64_t>{0, 200, 300}));
}

BOOST_AUTO_TEST_CASE(mismatched_chromosomes_damage_the_fragments) {
  TestContext context;
  TemporaryDirectory directory;
  const StoreFiles files = bpcells_writer::write_fragments(directory.path(), small_fragments());
  files.lines("chr_names", {"chr1"});
  const Node node = open_refined(directory.path(), context);
  check_parts(node, {}, "");
  const auto& fragments = std::get<Fragments>(node.content);
  BOOST_REQUIRE(fragments.error.has_value());
  BOOST_TEST(std::string(fragments.error->what()) == "chr_ptr has 4 values, expected 2 for 1 chromosomes");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
