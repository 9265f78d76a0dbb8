#include "fs/layout/zip_writer.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/unit/fs_layout/memory_sink.h"

namespace plainfs {

namespace {

uint64_t number_at(const std::string& text, size_t at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text.at(at + i));
  return value;
}

void add(ZipWriter& archive, const std::string& name, const std::string& text, bool is_large = false) {
  archive.add(name, is_large, [&](PackedSink& member) {
    member.write_at(0, as_byte_span(text).first(text.size() / 2));
    member.write_at(text.size() / 2, as_byte_span(text).subspan(text.size() / 2));
    return text.size();
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(zip_archives)

BOOST_AUTO_TEST_CASE(a_member_is_stored_with_its_checksum) {
  MemorySink sink;
  ZipWriter archive(sink);
  add(archive, "a/b", "123456789");
  add(archive, "\xc3\xa4", "");
  const uint64_t size = archive.finish();
  BOOST_TEST(size == sink.text.size());
  BOOST_TEST(sink.text.substr(0, 4) == "PK\3\4");
  BOOST_TEST(number_at(sink.text, 4, 2) == 20u);  // version
  BOOST_TEST(number_at(sink.text, 6, 2) == 0u);   // flags
  BOOST_TEST(number_at(sink.text, 8, 2) == 0u);   // stored
  BOOST_TEST(number_at(sink.text, 14, 4) == 0xcbf43926u);
  BOOST_TEST(number_at(sink.text, 18, 4) == 9u);
  BOOST_TEST(number_at(sink.text, 28, 2) == 0u);  // no extra field
  BOOST_TEST(sink.text.substr(30, 12) == "a/b123456789");
  BOOST_TEST(number_at(sink.text, 42 + 6, 2) == 0x800u);  // a name in UTF-8
  const size_t end = sink.text.size() - 22;
  BOOST_TEST(number_at(sink.text, end + 10, 2) == 2u);
  BOOST_TEST(sink.text.substr(number_at(sink.text, end + 16, 4), 4) == "PK\1\2");
}

BOOST_AUTO_TEST_CASE(a_large_member_has_sizes_of_64_bits) {
  MemorySink sink;
  ZipWriter archive(sink);
  add(archive, "x", "123456789", true);
  archive.finish();
  BOOST_TEST(number_at(sink.text, 4, 2) == 45u);
  BOOST_TEST(number_at(sink.text, 18, 4) == 0xffffffffu);
  BOOST_TEST(number_at(sink.text, 28, 2) == 20u);
  BOOST_TEST(number_at(sink.text, 31 + 4, 8) == 9u);
  BOOST_TEST(number_at(sink.text, 31 + 12, 8) == 9u);
  BOOST_TEST(sink.text.substr(31 + 20, 9) == "123456789");
}

BOOST_AUTO_TEST_CASE(many_members_have_a_directory_of_64_bits) {
  MemorySink sink;
  ZipWriter archive(sink);
  for (int i = 0; i < 65535; ++i) add(archive, std::to_string(i), "");
  archive.finish();
  const size_t locator = sink.text.size() - 22 - 20;
  BOOST_TEST(sink.text.substr(locator, 4) == "PK\6\7");
  const size_t record = number_at(sink.text, locator + 8, 8);
  BOOST_TEST(sink.text.substr(record, 4) == "PK\6\6");
  BOOST_TEST(number_at(sink.text, record + 32, 8) == 65535u);
}

BOOST_AUTO_TEST_CASE(a_member_written_out_of_order_is_refused) {
  MemorySink sink;
  ZipWriter archive(sink);
  const auto skip = [](PackedSink& member) {
    member.write_at(1, as_byte_span(std::string_view("x")));
    return uint64_t{2};
  };
  BOOST_CHECK_THROW(archive.add("a", false, skip), std::logic_error);
}

BOOST_AUTO_TEST_CASE(a_name_that_no_archive_holds_is_refused) {
  MemorySink sink;
  ZipWriter archive(sink);
  BOOST_CHECK_EXCEPTION(add(archive, std::string(65536, 'x'), ""), Error, mentions("65536 bytes"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
