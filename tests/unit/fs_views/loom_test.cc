#include "fs/views/loom/loom_files.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/model/arrays/generated_array.h"
#include "tests/support/sample_arrays.h"
#include "tests/support/test_context.h"

namespace plainfs {

namespace {

BOOST_AUTO_TEST_SUITE(loom_files)

BOOST_AUTO_TEST_CASE(characters_of_loom_are_references) {
  for (const auto& [text, stored] : {std::pair("a b", "a b"),
                                     {"\u017c", "&#380;"},
                                     {"\U0001F600x", "&#128512;x"},
                                     {"d & e", "d & e"},
                                     {"&lt", "&amp;lt"},
                                     {"&amp;", "&amp;amp;"},
                                     {"&#65;", "&amp;#65;"},
                                     {"&", "&"},
                                     {"", ""}})
    BOOST_TEST(loom_text(text) == stored);
}

BOOST_AUTO_TEST_CASE(texts_of_a_loom_file_have_a_limit) {
  TestContext context;
  constexpr uint64_t kCells = 5;
  AnnotatedMatrix matrix;
  matrix.cells = kCells;
  matrix.genes = 1;
  matrix.x = LabelledArray{numbers<float>(std::vector<float>(kCells, 1), {kCells, 1}), nullptr, nullptr};
  matrix.obs = Table{kCells, constant_text(kCells, std::string(16 << 20, 'x')), {}};
  matrix.var = Table{1, text_array({"g"}), {}};
  const auto is_limit = [](const Error& error) {
    return std::string_view(error.what()).find("texts of over 64 MiB") != std::string_view::npos;
  };
  BOOST_CHECK_EXCEPTION(loom(matrix, context), Error, is_limit);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

}  // namespace plainfs
