// Objects with single faults that the golden cases do not cover.
#include <boost/test/unit_test.hpp>

#include "formats/core/model/transient_fault.h"
#include "formats/schemas/takane/matrices.h"
#include "tests/support/faulty_pool.h"
#include "tests/unit/takane/object_writer.h"

namespace plainfs::takane {
namespace {

// Writes a 2 x 2 matrix by column with attributes chosen by each test.
void write_matrix(const std::string& directory, const char* type, const char* layout,
                  const std::vector<int>& shape = {2, 2}) {
  write_object(directory, "compressed_sparse_matrix");
  Hdf5Writer writer(directory + "/matrix.h5");
  const std::string group = "/compressed_sparse_matrix";
  writer.group(group);
  if (type) group_attribute(writer, group, "type", type);
  if (layout) group_attribute(writer, group, "layout", layout);
  writer.integers(group + "/data", {2}, {7, 0});
  writer.integers(group + "/indices", {2}, {1, 0});
  writer.integers(group + "/indptr", {3}, {0, 1, 2});
  writer.integers(group + "/shape", {shape.size()}, shape);
}

struct Objects : ObjectFixture {
  std::string matrix_failure() {
    const SparseMatrix matrix = std::get<SparseMatrix>(open().content);
    return matrix.error ? matrix.error->what() : "";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(takane_objects, Objects)

BOOST_AUTO_TEST_CASE(a_matrix_needs_its_type_its_layout_and_two_extents) {
  write_matrix(root, nullptr, "CSC");
  BOOST_TEST(matrix_failure().find("\"type\" is missing") != std::string::npos);
  write_matrix(root, "number", nullptr);
  BOOST_TEST(matrix_failure().find("\"layout\" is missing") != std::string::npos);
  write_matrix(root, "number", "CSC", {2});
  BOOST_TEST(matrix_failure().find("two numbers") != std::string::npos);
  write_matrix(root, "number", "CSC", {2, -2});
  BOOST_TEST(matrix_failure().find("non-negative") != std::string::npos);
  write_matrix(root, "number", "CSR");
  BOOST_TEST(matrix_failure() == "");
}

BOOST_AUTO_TEST_CASE(truth_values_of_a_matrix_are_one_and_zero) {
  write_matrix(root, "boolean", "CSC");
  const SparseMatrix matrix = std::get<SparseMatrix>(open().content);
  BOOST_CHECK((shown(*matrix.value) == Texts{"1", "0"}));
  BOOST_TEST(!matrix.is_real);
}

// R's files are made from the values, the .npy from their bytes.
BOOST_AUTO_TEST_CASE(an_array_has_its_missing_values_and_its_bytes) {
  write_object(root, "dense_array");
  const auto write = [&](const char* type) {
    Hdf5Writer writer(root + "/array.h5");
    writer.group("/dense_array");
    group_attribute(writer, "/dense_array", "type", type);
    const hdf5::DatasetHandle data = writer.integers("/dense_array/data", {1, 2}, {1, -5});
    const hdf5::SpaceHandle scalar(H5Screate(H5S_SCALAR));
    const int placeholder = -5;
    writer.attribute(data.id(), "missing-value-placeholder", H5T_STD_I32LE, scalar.id(), &placeholder);
  };
  const auto array = [&] { return std::get<LabelledArray>(open().parts->find("dense_array")->content); };
  write("integer");
  BOOST_CHECK((shown(*array().values) == Texts{"1", "NA"}));
  BOOST_TEST(read_all(*array().values).values<int32_t>()[1] == -5);
  write("factor");
  BOOST_CHECK((shown(*array().values) == Texts{"1", "-5"}));
  BOOST_REQUIRE(array().labels);
  BOOST_TEST(failure_of([&] { array().labels->check(); }).find("'factor'") != std::string::npos);
}

// The file is the object: without it there is nothing to list.
BOOST_AUTO_TEST_CASE(an_object_without_its_file_cannot_be_opened) {
  for (const char* type : {"compressed_sparse_matrix", "dense_array", "atomic_vector", "string_factor"}) {
    write_object(root, type);
    BOOST_TEST(failure_of([&] { open(); }).find(".h5 is missing") != std::string::npos, type);
  }
  write_object(root + "/parts/0", "dense_array");
  write_object(root, "unheard_of");
  const GroupPtr inner = find_group(*find_group(*open().parts, "parts"), "0");
  BOOST_TEST(failure_of([&] { inner->members(); }).find("array.h5 is missing") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(another_version_is_not_supported) {
  write_matrix(root, "number", "CSC");
  write_text(root + "/OBJECT",
             R"({"type": "compressed_sparse_matrix", "compressed_sparse_matrix": {"version": "2.0"}})");
  BOOST_TEST(failure_of([&] { open(); }) == "compressed_sparse_matrix version '2.0'");
}

BOOST_AUTO_TEST_CASE(ranges_without_sequences_are_listed_and_damaged) {
  write_object(root, "genomic_ranges");
  {
    Hdf5Writer writer(root + "/ranges.h5");
    writer.group("/genomic_ranges");
    for (const char* list : {"sequence", "start", "width", "strand"})
      writer.integers(std::string("/genomic_ranges/") + list, {1}, {1});
  }
  const Node node = open();
  BOOST_REQUIRE(std::get<GenomicRanges>(node.content).error);
  BOOST_TEST(std::string(std::get<GenomicRanges>(node.content).error->what()).find("sequence_information") !=
             std::string::npos);
  BOOST_CHECK(std::holds_alternative<Error>(node.parts->find("ranges")->content));
}

BOOST_AUTO_TEST_CASE(names_of_a_vector_are_as_many_as_its_values) {
  write_object(root, "atomic_vector");
  {
    Hdf5Writer writer(root + "/contents.h5");
    writer.group("/atomic_vector");
    group_attribute(writer, "/atomic_vector", "type", "integer");
    writer.integers("/atomic_vector/values", {2}, {1, 2});
    writer.texts("/atomic_vector/names", {"a"});
  }
  const Node contents = *open().parts->find("contents");
  BOOST_REQUIRE(std::holds_alternative<Error>(contents.content));
  BOOST_TEST(std::string(std::get<Error>(contents.content).what()) == "1 names for 2 values");
}

// Writes a data frame of two rows, named c1 and c2 or unnamed.
void write_frame(const std::string& place, bool has_names) {
  write_object(place, "data_frame");
  Hdf5Writer writer(place + "/basic_columns.h5");
  writer.group("/data_frame");
  writer.group("/data_frame/data");
  writer.texts("/data_frame/column_names", {"x"});
  if (has_names) writer.texts("/data_frame/row_names", {"c1", "c2"});
  const hdf5::DatasetHandle x = writer.integers("/data_frame/data/0", {2}, {5, 6});
  text_attribute(writer, x.id(), "type", "integer");
  const hdf5::ObjectHandle group(hdf5::written(H5Oopen(writer.id(), "/data_frame", H5P_DEFAULT)));
  const hdf5::SpaceHandle scalar(H5Screate(H5S_SCALAR));
  const uint64_t rows = 2;
  writer.attribute(group.id(), "row-count", H5T_NATIVE_UINT64, scalar.id(), &rows);
}

BOOST_AUTO_TEST_CASE(frame_with_another_row_count_is_a_warning) {
  const auto warnings_of = [&](const std::string& dimensions) {
    write_text(root + "/OBJECT", R"({"type": "summarized_experiment",
               "summarized_experiment": {"version": "1.0", "dimensions": )" +
                                     dimensions + "}}");
    const size_t before = test.warnings().size();
    open().parts->find("assays");
    const Texts all = test.warnings();
    return Texts(all.begin() + static_cast<ptrdiff_t>(before), all.end());
  };
  for (const char* side : {"row_data", "column_data"}) write_frame(root + "/" + side, false);
  write_text(root + "/assays/names.json", "[]");
  BOOST_TEST(warnings_of("[2, 2]").empty());
  BOOST_TEST(warnings_of("[2, 3]") == Texts{"/column_data: has 2 rows, but the experiment has 3"});
  BOOST_TEST(warnings_of("[1, 2]") == Texts{"/row_data: has 2 rows, but the experiment has 1"});
}

BOOST_AUTO_TEST_CASE(a_frame_as_reduced_dimension_has_the_names_of_the_columns) {
  write_text(root + "/OBJECT",
             R"({"type": "single_cell_experiment", "single_cell_experiment": {"version": "1.0"},
                 "summarized_experiment": {"version": "1.0", "dimensions": [0, 2]}})");
  write_frame(root + "/column_data", true);
  write_frame(root + "/reduced_dimensions/0", false);
  write_text(root + "/reduced_dimensions/names.json", R"(["PCA"])");
  const GroupPtr reduced = find_group(*find_group(*open().parts, "reduced_dimensions"), "0");
  const Table table = std::get<Table>(reduced->find("data_frame")->content);
  BOOST_REQUIRE(table.row_names);
  BOOST_CHECK((shown(*table.row_names) == Texts{"c1", "c2"}));

  // The names may be temporarily unreadable: then no reader does without them, then or later.
  FaultyContext faulty;
  faulty.files.unreadable_path = root + "/column_data";
  const Node experiment = takane::open(Probe(root, faulty.files), faulty.context).root;
  const auto reduced_frame = [&] {
    return *find_group(*find_group(*experiment.parts, "reduced_dimensions"), "0")->find("data_frame");
  };
  BOOST_TEST(transient_fault(reduced_frame()).has_value());
  BOOST_TEST(transient_fault(reduced_frame()).has_value());
  faulty.files.unreadable_path.clear();
  BOOST_CHECK((shown(*std::get<Table>(reduced_frame().content).row_names) == Texts{"c1", "c2"}));
}

BOOST_AUTO_TEST_CASE(info_lists_the_parts_of_an_experiment) {
  write_text(root + "/OBJECT",
             R"({"type": "summarized_experiment",
                 "summarized_experiment": {"version": "1.0", "dimensions": [3, 2]}})");
  write_object(root + "/assays/0", "unheard_of");
  write_text(root + "/assays/names.json", R"(["counts"])");
  test.files.clear();
  const Store store = takane::open(look_at(root), test.context);
  BOOST_REQUIRE_EQUAL(store.details.size(), 1u);
  BOOST_TEST(store.details[0].first == "takane");
  BOOST_TEST(
      to_json_text(store.details[0].second) ==
      R"({"dimensions":[3,2],"assays":["counts"],"reduced_dimensions":[],"alternative_experiments":[]})");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs::takane
