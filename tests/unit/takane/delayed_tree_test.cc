#include "formats/schemas/takane/delayed.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/takane/object_writer.h"

namespace plainfs::takane {
namespace {

// A delayed_array with a tree written by each test.
struct Tree : ObjectFixture {
  Tree() { write_object(root, "delayed_array"); }

  std::string file() { return root + "/array.h5"; }

  static void node(Hdf5Writer& writer, const std::string& path, const char* operation) {
    writer.group(path);
    group_attribute(writer, path, "delayed_type", "operation");
    group_attribute(writer, path, "delayed_operation", operation);
  }
  static void array(Hdf5Writer& writer, const std::string& path, const char* kind) {
    writer.group(path);
    group_attribute(writer, path, "delayed_type", "array");
    group_attribute(writer, path, "delayed_array", kind);
  }
  // 2 x 2, by row or by column: 1 at (0, 1), 2 at (1, 0).
  static void sparse(Hdf5Writer& writer, const std::string& path, bool by_column) {
    array(writer, path, "sparse matrix");
    text_attribute(writer, writer.integers(path + "/data", {2}, {by_column ? 2 : 1, by_column ? 1 : 2}).id(),
                   "type", "INTEGER");
    writer.integers(path + "/indices", {2}, {1, 0});
    writer.integers(path + "/indptr", {3}, {0, 1, 2});
    writer.integers(path + "/shape", {2}, {2, 2});
    scalar_dataset(writer, path + "/by_column", by_column);
  }
  static void dense(Hdf5Writer& writer, const std::string& path, const char* type = "INTEGER") {
    array(writer, path, "dense array");
    text_attribute(writer, writer.integers(path + "/data", {2, 2}, {5, 6, 7, 8}).id(), "type", type);
    scalar_dataset(writer, path + "/native", 1);
  }

  Delayed read() {
    test.files.clear();
    TreeBudget budget;
    return read_delayed(ObjectPlace{root, "/", nullptr, 0}, budget, test.context);
  }
  std::string failure() {
    return failure_of([&] { read(); });
  }
  // Returns the rows of a dense result.
  std::string dense_text() {
    const Delayed result = read();
    BOOST_REQUIRE(result.dense);
    std::string text;
    for (const std::string& value : shown(*result.dense)) text += value + " ";
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(takane_delayed_tree, Tree)

BOOST_AUTO_TEST_CASE(matrices_of_different_orientation_are_joined_by_column) {
  {
    Hdf5Writer writer(file());
    node(writer, "/delayed_array", "combine");
    scalar_dataset(writer, "/delayed_array/along", 0);
    writer.group("/delayed_array/seeds");
    sparse(writer, "/delayed_array/seeds/0", true);
    sparse(writer, "/delayed_array/seeds/1", false);
  }
  const Delayed result = read();
  BOOST_REQUIRE(result.sparse);
  BOOST_TEST(!result.by_row);
  BOOST_CHECK((result.shape == Shape{4, 2}));
  const EntryRun run = result.sparse->read(0, 2);
  BOOST_CHECK((run.pointer == std::vector<uint64_t>{0, 2, 4}));
  BOOST_CHECK((run.index == std::vector<uint64_t>{1, 3, 0, 2}));
  BOOST_CHECK(!result.is_real);
}

BOOST_AUTO_TEST_CASE(sparse_matrix_joined_with_a_dense_one_is_dense) {
  {
    Hdf5Writer writer(file());
    node(writer, "/delayed_array", "combine");
    scalar_dataset(writer, "/delayed_array/along", 1);
    writer.group("/delayed_array/seeds");
    sparse(writer, "/delayed_array/seeds/0", false);
    dense(writer, "/delayed_array/seeds/1");
  }
  BOOST_TEST(dense_text() == "0 1 5 6 2 0 7 8 ");
}

BOOST_AUTO_TEST_CASE(a_constant_array_repeats_its_value) {
  {
    Hdf5Writer writer(file());
    array(writer, "/delayed_array", "constant array");
    writer.integers("/delayed_array/dimensions", {2}, {2, 3});
    const hdf5::SpaceHandle scalar(H5Screate(H5S_SCALAR));
    const hdf5::DatasetHandle value(
        hdf5::written(H5Dcreate2(writer.id(), "/delayed_array/value", H5T_STD_I32LE, scalar.id(), H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT)));
    const int four = 4;
    hdf5::written(H5Dwrite(value.id(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &four));
    text_attribute(writer, value.id(), "type", "INTEGER");
  }
  BOOST_TEST(dense_text() == "4 4 4 4 4 4 ");
}

BOOST_AUTO_TEST_CASE(seed_may_be_an_object_beside_the_file) {
  write_object(root + "/seeds/0", "dense_array");
  {
    Hdf5Writer writer(root + "/seeds/0/array.h5");
    writer.group("/dense_array");
    group_attribute(writer, "/dense_array", "type", "integer");
    writer.integers("/dense_array/data", {2, 2}, {1, 2, 3, 4});
  }
  {
    Hdf5Writer writer(file());
    node(writer, "/delayed_array", "transpose");
    writer.integers("/delayed_array/permutation", {2}, {1, 0});
    array(writer, "/delayed_array/seed", "custom takane seed array");
    scalar_dataset(writer, "/delayed_array/seed/index", 0);
  }
  BOOST_TEST(dense_text() == "1 3 2 4 ");
}

BOOST_AUTO_TEST_CASE(unsupported_operation_is_named) {
  {
    Hdf5Writer writer(file());
    node(writer, "/delayed_array", "matrix product");
  }
  BOOST_TEST(failure() == "the delayed operation 'matrix product'");
  {
    Hdf5Writer writer(file());
    array(writer, "/delayed_array", "external hdf5 dense array");
  }
  BOOST_TEST(failure() == "the delayed array 'external hdf5 dense array'");
}

BOOST_AUTO_TEST_CASE(invalid_tree_is_damage) {
  const auto broken = [&](auto&& write) {
    {
      Hdf5Writer writer(file());
      write(writer);
    }
    return failure();
  };
  BOOST_TEST(broken([](Hdf5Writer& writer) { writer.group("/delayed_array"); }).find("delayed_type") !=
             std::string::npos);
  BOOST_TEST(broken([](Hdf5Writer& writer) { node(writer, "/delayed_array", "subset"); }).find("seed") !=
             std::string::npos);
  BOOST_TEST(broken([](Hdf5Writer& writer) { dense(writer, "/delayed_array", "NUMBER"); }).find("'NUMBER'") !=
             std::string::npos);
  BOOST_TEST(broken([](Hdf5Writer& writer) {
               node(writer, "/delayed_array", "transpose");
               writer.integers("/delayed_array/permutation", {2}, {0, 0});
               dense(writer, "/delayed_array/seed");
             }).find("permutation") != std::string::npos);
  BOOST_TEST(broken([](Hdf5Writer& writer) {
               node(writer, "/delayed_array", "combine");
               scalar_dataset(writer, "/delayed_array/along", 2);
               writer.group("/delayed_array/seeds");
               dense(writer, "/delayed_array/seeds/0");
             }).find("along dimension 2") != std::string::npos);
}

// Each operation uses the one below it twice: 2^39 arrays in a small file.
BOOST_AUTO_TEST_CASE(shared_group_is_expanded_within_a_limit) {
  {
    Hdf5Writer writer(file());
    dense(writer, "/array0");
    for (int i = 1; i <= 40; ++i) {
      const std::string path = i == 40 ? "/delayed_array" : "/array" + std::to_string(i);
      const std::string below = "/array" + std::to_string(i - 1);
      node(writer, path, "combine");
      scalar_dataset(writer, path + "/along", 0);
      writer.group(path + "/seeds");
      for (const char* seed : {"/seeds/0", "/seeds/1"})
        hdf5::written(H5Lcreate_hard(writer.id(), below.c_str(), writer.id(), (path + seed).c_str(),
                                     H5P_DEFAULT, H5P_DEFAULT));
    }
  }
  BOOST_TEST(failure() == "a delayed array of more than 8192 operations");
}

// It is still known to be a sparse matrix.
BOOST_AUTO_TEST_CASE(an_index_beyond_the_extent_is_damage_of_the_result) {
  {
    Hdf5Writer writer(file());
    node(writer, "/delayed_array", "subset");
    writer.group("/delayed_array/index");
    writer.integers("/delayed_array/index/1", {1}, {-1});
    sparse(writer, "/delayed_array/seed", true);
  }
  const Delayed result = read();
  BOOST_REQUIRE(result.error);
  BOOST_TEST(std::string(result.error->what()).find("is not below 2") != std::string::npos);
  BOOST_TEST(result.sparse != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs::takane
