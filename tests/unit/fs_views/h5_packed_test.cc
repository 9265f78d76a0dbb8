// HDF5 files of compressed chunks, read back by the project's own container.
#include "fs/layout/h5_packed.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "fs/layout/h5_layout.h"
#include "fs/views/matrix/tenx_h5.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"
#include "tests/unit/fs_layout/memory_sink.h"
#include "tests/unit/fs_layout/written_h5.h"

namespace plainfs {
namespace {

std::vector<std::string> variable_texts(const Array& array) {
  const Elements elements = read_all(array);
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < elements.count; ++i) texts.emplace_back(elements.text(i));
  return texts;
}

template <class T>
std::vector<T> counted(uint64_t count) {
  std::vector<T> values(count);
  for (uint64_t i = 0; i < count; ++i) values[i] = static_cast<T>(i * 2654435761u >> 7);
  return values;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(packed_hdf5_files)

// From h5py 3.7: f.create_dataset(name, shape=shape, dtype=dtype, compression="gzip").chunks
BOOST_AUTO_TEST_CASE(chunks_have_the_shape_of_h5py) {
  using Lengths = std::vector<uint64_t>;
  BOOST_TEST(h5py_chunk({4317}, 4) == (Lengths{2159}));
  BOOST_TEST(h5py_chunk({0}, 4) == (Lengths{1024}));
  BOOST_TEST(h5py_chunk({0, 5}, 4) == (Lengths{512, 5}));
  BOOST_TEST(h5py_chunk({3, 0}, 4) == (Lengths{2, 1024}));
  BOOST_TEST(h5py_chunk({60000, 2000}, 4) == (Lengths{938, 32}));
  BOOST_TEST(h5py_chunk({180}, 4) == (Lengths{180}));
}

BOOST_AUTO_TEST_CASE(chunks_side_by_side_have_a_bounded_size) {
  const std::vector<uint64_t> shape{1'000'000, 30'000};
  const std::vector<uint64_t> chunk = h5py_chunk(shape, 4);
  BOOST_TEST(chunk[0] * shape[1] * 4 <= uint64_t{32} << 20);
  BOOST_TEST(chunk[0] * chunk[1] * 4 <= uint64_t{1} << 20);
  BOOST_TEST(h5py_chunk({2, 1000}, 8, 100) == (std::vector<uint64_t>{1, 1000}));
}

BOOST_AUTO_TEST_CASE(datasets_of_any_rank_read_back) {
  const std::vector<Shape> shapes{{1}, {5000}, {300'000}, {700, 301}, {1, 9000}, {9000, 1}, {40, 50, 60}};
  for (const bool is_shuffled : {false, true}) {
    TestContext context;
    H5Layout out(context);
    out.group("/");
    for (size_t i = 0; i < shapes.size(); ++i)
      out.dataset("/a" + std::to_string(i),
                  numbers<double>(counted<double>(element_count(shapes[i])), shapes[i]));
    const auto packed = out.pack({4, 0, is_shuffled, false});
    const WrittenFile file(packed_bytes(*packed, 4));
    for (size_t i = 0; i < shapes.size(); ++i) {
      const std::string name = "a" + std::to_string(i);
      BOOST_TEST((file.array({name})->shape() == shapes[i]));
      BOOST_TEST((file.numbers<double>({name}) == counted<double>(element_count(shapes[i]))));
    }
  }
}

BOOST_AUTO_TEST_CASE(datasets_without_elements_read_back) {
  TestContext context;
  H5Layout out(context, H5Texts::variable);
  out.group("/");
  out.dataset("/none", numbers<float>({}));
  out.dataset("/rows", numbers<float>({}, {3, 0}));
  out.texts("/texts", std::vector<std::string>{});
  const WrittenFile file(packed_bytes(*out.pack({}), 1));
  BOOST_TEST((file.array({"none"})->shape() == Shape{0}));
  BOOST_TEST((file.array({"rows"})->shape() == Shape{3, 0}));
  BOOST_TEST((file.array({"texts"})->shape() == Shape{0}));
}

BOOST_AUTO_TEST_CASE(texts_of_any_length_read_back) {
  std::vector<std::string> texts;
  for (int i = 0; i < 20'000; ++i) texts.push_back(i % 7 == 0 ? "" : std::string(i % 50, 'a') + "\u00e9");
  TestContext context;
  H5Layout out(context, H5Texts::variable);
  out.group("/");
  out.texts("/texts", texts);
  TextBuilder table(6);
  for (const char* text : {"a", "b", "", "ccc", "d", "e"}) table.add(text);
  out.dataset("/rank2", std::make_shared<MemoryArray>(text_type(), Shape{2, 3}, table.finish()));
  const WrittenFile file(packed_bytes(*out.pack({}), 4));
  BOOST_TEST((file.array({"texts"})->dtype().kind == Kind::text));
  BOOST_TEST((variable_texts(*file.array({"texts"})) == texts));
  BOOST_TEST(
      (variable_texts(*file.array({"rank2"})) == std::vector<std::string>{"a", "b", "", "ccc", "d", "e"}));
}

BOOST_AUTO_TEST_CASE(failing_sink_fails_the_file) {
  TestContext context;
  H5Layout out(context);
  out.group("/");
  out.dataset("/a", numbers<double>(counted<double>(100'000)));
  const auto packed = out.pack({});
  MemorySink sink;
  uint64_t calls = 0;
  BOOST_CHECK_EXCEPTION(packed->write(1, sink,
                                      [&](uint64_t) {
                                        if (++calls == 1) sink.fail();
                                      }),
                        Error, [](const Error& error) {
                          return std::string(error.what()).find("disk is full") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
