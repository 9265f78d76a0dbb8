#include "formats/containers/bpcells/stored_files.h"

#include <fstream>
#include <random>

#include "tests/unit/bpcells/store.h"

namespace {

using namespace plainfs;
using namespace plainfs::bpcells;

class Files {
 public:
  std::string write(const std::string& content) {
    const std::string path = directory_.path("file" + std::to_string(count_++));
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

 private:
  TemporaryDirectory directory_;
  int count_ = 0;
};

DType uint32() {
  return type_of<uint32_t>();
}

BOOST_AUTO_TEST_SUITE(stored_files)

BOOST_AUTO_TEST_CASE(numbers_follow_their_header) {
  TestContext context;
  Files files;
  using namespace std::string_literals;
  BOOST_TEST(numbers<uint32_t>(number_file(files.write("UINT32v1\1\0\0\0\0\0\0\x80"s), uint32(), context)) ==
                 (std::vector<uint32_t>{1, 0x80000000}),
             boost::test_tools::per_element());
  BOOST_TEST(numbers<uint64_t>(number_file(files.write("UINT64v1\0\0\0\0\1\0\0\0"s), type_of<uint64_t>(),
                                           context)) == (std::vector<uint64_t>{uint64_t{1} << 32}),
             boost::test_tools::per_element());
  BOOST_TEST(numbers<float>(number_file(files.write("FLOATSv1\0\0\x80\x3f"s), type_of<float>(), context)) ==
                 std::vector<float>{1},
             boost::test_tools::per_element());
  BOOST_TEST(numbers<double>(number_file(files.write("DOUBLEv1\0\0\0\0\0\0\xf0\xbf"s), type_of<double>(),
                                         context)) == std::vector<double>{-1},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(bytes_after_the_last_whole_number_do_not_count) {
  TestContext context;
  Files files;
  using namespace std::string_literals;
  BOOST_TEST(number_file(files.write("UINT32v1\1\0\0\0\2\0\0"s), uint32(), context)->count() == 1u);
  BOOST_TEST(number_file(files.write("UINT32v1"), uint32(), context)->count() == 0u);
}

BOOST_AUTO_TEST_CASE(another_header_is_damage) {
  TestContext context;
  Files files;
  const auto fails = [&](const std::string& content, const std::string& words) {
    const std::string path = files.write(content);
    require_error(Errc::damaged, words, [&] { number_file(path, uint32(), context); });
  };
  fails("", "0 bytes are too short for a header");
  fails("UINT32v", "7 bytes are too short for a header");
  fails("UINT64v1", "the header is \"UINT64v1\", expected UINT32v1");
  fails("XINT32v1abcd", "XINT32v1");
  fails("1v23TNIUabcd", "big-endian");
}

BOOST_AUTO_TEST_CASE(a_line_is_a_string) {
  TestContext context;
  Files files;
  const auto lines = [&](const std::string& content) {
    return texts(line_file(files.write(content), context));
  };
  using Lines = std::vector<std::string>;
  BOOST_TEST((lines("") == Lines{}));
  BOOST_TEST((lines("\n") == Lines{""}));
  BOOST_TEST((lines("a\nb\n") == Lines{"a", "b"}));
  BOOST_TEST((lines("a\nb") == Lines{"a", "b"}));
  BOOST_TEST((lines("a\n\nb\n\n") == Lines{"a", "", "b", ""}));
  BOOST_TEST((lines("a\r\nb\r\r\n\rc\r") == Lines{"a", "b\r", "\rc"}));
}

BOOST_AUTO_TEST_CASE(any_slice_of_a_long_list_equals_the_slice_of_the_whole) {
  TestContext context;
  Files files;
  std::mt19937 random(11);
  std::vector<std::string> names;
  std::string content;
  for (int i = 0; i < 30000; ++i) {
    names.push_back(std::string(random() % 40, 'x') + std::to_string(i));
    content += names.back() + "\n";
  }
  const ArrayPtr array = line_file(files.write(content), context);
  BOOST_TEST(array->count() == names.size());
  BOOST_TEST(array->chunk_shape()[0] < 10000u);
  for (int round = 0; round < 300; ++round) {
    const uint64_t first = random() % names.size();
    const uint64_t count = random() % std::min<uint64_t>(names.size() - first, 5000) + 1;
    const Elements slice = array->read(range(first, count));
    BOOST_REQUIRE_EQUAL(slice.count, count);
    BOOST_TEST(slice.text(0) == names[first]);
    BOOST_TEST(slice.text(count - 1) == names[first + count - 1]);
  }
  BOOST_TEST((texts(array) == names));
}

BOOST_AUTO_TEST_CASE(one_name_reads_a_small_part_of_the_file) {
  TestContext context;
  Files files;
  std::string content;
  for (int i = 0; i < 1000000; ++i) content += std::to_string(i) + "\n";
  const ArrayPtr array = line_file(files.write(content), context);
  const uint64_t before = context.counters.source_bytes_read;
  BOOST_TEST(array->read(range(500000, 1)).text(0) == "500000");
  BOOST_TEST(context.counters.source_bytes_read - before < 100000u);
}

BOOST_AUTO_TEST_CASE(a_line_without_end_is_damage) {
  TestContext context;
  Files files;
  const std::string path = files.write("name\n");
  boost::filesystem::resize_file(path, uint64_t{1} << 40);
  require_error(Errc::damaged, "line 2 is longer than", [&] { line_file(path, context); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
