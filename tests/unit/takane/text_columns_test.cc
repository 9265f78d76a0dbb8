#include "formats/schemas/takane/columns.h"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "tests/support/mentions.h"

using namespace plainfs;
using namespace plainfs::takane;

namespace {

Elements numbers(const std::vector<uint64_t>& values) {
  Elements elements;
  elements.count = values.size();
  elements.bytes.resize(values.size() * sizeof(uint64_t));
  std::memcpy(elements.bytes.data(), values.data(), elements.bytes.size());
  return elements;
}

ArrayPtr vls(const std::vector<uint64_t>& offsets, const std::vector<uint64_t>& lengths,
             std::string_view heap) {
  const DType u64 = number_type(Kind::unsigned_integer, 8);
  Elements records;
  records.count = offsets.size();
  records.children = {numbers(offsets), numbers(lengths)};
  Elements bytes;
  bytes.count = heap.size();
  bytes.bytes.assign(as_byte_span(heap).begin(), as_byte_span(heap).end());
  return vls_text(std::make_shared<MemoryArray>(packed_compound_type({{"offset", u64}, {"length", u64}}),
                                                Shape{offsets.size()}, std::move(records)),
                  std::make_shared<MemoryArray>(number_type(Kind::unsigned_integer, 1), Shape{heap.size()},
                                                std::move(bytes)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(takane_text_columns)

BOOST_AUTO_TEST_CASE(pointers_may_overlap_leave_gaps_and_come_in_any_order) {
  const ArrayPtr texts = vls({6, 0, 1, 9, 9}, {3, 5, 2, 0, 0}, std::string_view("hello ab\0zz", 11));
  const Elements values = read_all(*texts);
  BOOST_TEST(values.text(0) == "ab");  // cut at the NUL
  BOOST_TEST(values.text(1) == "hello");
  BOOST_TEST(values.text(2) == "el");
  BOOST_TEST(values.text(3) == "");
}

BOOST_AUTO_TEST_CASE(far_apart_pointers_are_read_one_by_one) {
  std::string heap(200'000, '.');
  heap.replace(0, 3, "abc");
  heap.replace(heap.size() - 3, 3, "xyz");
  const Elements values = read_all(*vls({heap.size() - 3, 0}, {3, 3}, heap));
  BOOST_TEST(values.text(0) == "xyz");
  BOOST_TEST(values.text(1) == "abc");
}

BOOST_AUTO_TEST_CASE(a_pointer_out_of_the_heap_is_damage) {
  BOOST_CHECK_EXCEPTION(read_all(*vls({3}, {2}, "abcd")), Error,
                        mentions("a vls pointer lies outside the heap of"));
  BOOST_CHECK_EXCEPTION(read_all(*vls({5}, {0}, "abcd")), Error,
                        mentions("a vls pointer lies outside the heap of"));
  BOOST_CHECK_EXCEPTION(read_all(*vls({~uint64_t{0}}, {2}, "abcd")), Error,
                        mentions("a vls pointer lies outside the heap of"));
}

BOOST_AUTO_TEST_CASE(fixed_strings_keep_blanks_and_end_at_nul) {
  DType fixed = number_type(Kind::fixed_text, 4);
  fixed.padding = Padding::space_padded;
  Elements elements;
  elements.count = 2;
  const std::string_view stored("a \0xb   ", 8);
  elements.bytes.assign(as_byte_span(stored).begin(), as_byte_span(stored).end());
  const ArrayPtr texts = nul_terminated(std::make_shared<MemoryArray>(fixed, Shape{2}, std::move(elements)));
  BOOST_TEST((texts->dtype().padding == Padding::null_terminated));
  const Elements values = read_all(*texts);
  BOOST_TEST(trim_padding(as_text(values.bytes).substr(0, 4), texts->dtype().padding) == "a ");
  BOOST_TEST(trim_padding(as_text(values.bytes).substr(4, 4), texts->dtype().padding) == "b   ");
}

BOOST_AUTO_TEST_SUITE_END()
