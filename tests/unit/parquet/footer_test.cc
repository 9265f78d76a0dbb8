#include "formats/containers/parquet/footer.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/unit/parquet/sample_file.h"

namespace plainfs::parquet {
namespace {

Footer footer_of(const std::string& file) {
  const ByteSpan bytes = as_byte_span(file);
  return read_footer(MemoryValue(Bytes(bytes.begin(), bytes.end())));
}

// Expects that the footer of the file is refused.
void footer_fault(const SampleFile& file, const char* words) {
  BOOST_CHECK_EXCEPTION(footer_of(file.write()), Error, mentions(words));
}

BOOST_AUTO_TEST_SUITE(parquet_footer)

BOOST_AUTO_TEST_CASE(columns_and_chunks_are_read) {
  const Footer footer = footer_of(integers_file({1, 2, 3}).write());
  BOOST_TEST(footer.rows == 3U);
  BOOST_TEST_REQUIRE(footer.leaves.size() == 1U);
  BOOST_TEST(footer.leaves[0]->name == "a");
  BOOST_TEST((footer.leaves[0]->physical == Physical::int32));
  const Chunk& chunk = footer.groups.at(0).chunks.at(0);
  BOOST_TEST(chunk.values == 3U);
  BOOST_TEST(chunk.begin == kMagicBytes);
  BOOST_TEST(chunk.begin + chunk.size == footer.data_end);
  BOOST_TEST(footer.created_by == "test");
}

BOOST_AUTO_TEST_CASE(levels_count_from_the_root) {
  SampleFile file;
  file.root_children = 1;
  file.schema = {
      {"list", -1, 1, 1, converted::kList}, {"items", -1, 2, 1}, {"item", 6, 1, 0, converted::kUtf8}};
  const Footer footer = footer_of(file.write());
  const Column& item = *footer.leaves.at(0);
  BOOST_TEST(int{item.definition} == 3);
  BOOST_TEST(int{item.repetitions} == 1);
  BOOST_TEST(item.meaning.kind == logical::kString);
  BOOST_TEST(footer.root.children[0].leaf_count == 1U);
  BOOST_TEST(footer.root.children[0].meaning.kind == logical::kList);
}

BOOST_AUTO_TEST_CASE(converted_types_state_the_meaning) {
  const auto meaning = [](int converted) {
    SampleFile file;
    file.schema = {{"a", 1, 0, 0, converted}};
    return footer_of(file.write()).leaves[0]->meaning;
  };
  BOOST_TEST(meaning(converted::kUint8).bits == 8);
  BOOST_TEST(!meaning(converted::kUint8).is_signed);
  BOOST_TEST(meaning(converted::kInt64).bits == 64);
  BOOST_TEST(meaning(converted::kInt64).is_signed);
  BOOST_TEST(meaning(converted::kTimestampMicros).unit == kMicros);
  BOOST_TEST(meaning(converted::kTimestampMicros).is_utc);
  BOOST_TEST(meaning(converted::kTimeMillis).kind == logical::kTime);
  BOOST_TEST(meaning(converted::kInterval).is_interval);
  BOOST_TEST(meaning(99).kind == logical::kNone);
}

BOOST_AUTO_TEST_CASE(faulty_schema_is_damaged) {
  SampleFile file = integers_file({1});
  file.root_children = 2;
  footer_fault(file, "2 children in a schema of 2");
  file.root_children = 2000000000;
  footer_fault(file, "2000000000 children");
  file.root_children = -1;
  footer_fault(file, "-1 children");
  file = integers_file({1});
  file.schema.push_back({"b"});
  footer_fault(file, "3 elements, expected 2");
  file = integers_file({1});
  file.schema[0].type = 8;
  footer_fault(file, "the type 8");
  file.schema[0].type = 7;
  footer_fault(file, "values of 0 bytes");
  file = integers_file({1});
  file.schema[0].repetition = 3;
  footer_fault(file, "repetition 3");
}

BOOST_AUTO_TEST_CASE(deep_schema_is_damaged) {
  SampleFile file;
  for (int i = 0; i < 100; ++i) file.schema.push_back({"g", -1, 0, 1});
  file.schema.push_back({"a"});
  footer_fault(file, "nested more than 60 deep");
}

BOOST_AUTO_TEST_CASE(row_groups_fit_the_schema) {
  SampleFile file = integers_file({1});
  file.chunks.push_back(file.chunks[0]);
  BOOST_TEST((footer_of(file.write()).groups[0].chunks.at(0).fault == Chunk::Fault::miscounted));
  file.schema.clear();
  file.root_children = 0;
  footer_fault(file, "row group 0 has 2 columns, and the schema none");
  file = integers_file({1});
  file.rows = -5;
  footer_fault(file, "has -5 rows");
}

BOOST_AUTO_TEST_CASE(fault_of_a_chunk_is_kept_for_its_column) {
  SampleFile file = integers_file({1});
  file.chunks[0].type = 2;
  BOOST_TEST((footer_of(file.write()).groups[0].chunks[0].fault == Chunk::Fault::of_other_type));
  file = integers_file({1});
  file.chunks[0].path = {"b"};
  BOOST_TEST((footer_of(file.write()).groups[0].chunks[0].fault == Chunk::Fault::of_other_column));
}

BOOST_AUTO_TEST_CASE(old_writers_leave_the_dictionary_out_of_the_size) {
  SampleFile file = integers_file({1});
  file.chunks.push_back(file.chunks[0]);
  file.schema.push_back({"b"});
  file.root_children = 2;
  file.chunks[1].path = {"b"};
  const auto size = [&](const std::string& writer) {
    file.created_by = writer;
    return footer_of(file.write()).groups[0].chunks[0].size;
  };
  const uint64_t right = size("parquet-mr version 1.2.9");
  BOOST_TEST(size("parquet-cpp-arrow version 1.0.0") == right);
  BOOST_TEST(size("parquet-mr version 1.10.0") == right);
  BOOST_TEST(size("parquet-mr version 1.2.8") > right);
  BOOST_TEST(size("parquet-mr") > right);
}

BOOST_AUTO_TEST_CASE(ends_of_the_file_are_checked) {
  const std::string file = integers_file({1}).write();
  BOOST_CHECK_EXCEPTION(footer_of("PAR1PAR1"), Error, mentions("8 bytes are too short"));
  BOOST_CHECK_EXCEPTION(footer_of(file.substr(0, file.size() - 1)), Error, mentions("truncated"));
  BOOST_CHECK_EXCEPTION(footer_of("PARX" + file.substr(4)), Error, mentions("does not begin with PAR1"));
  BOOST_CHECK_EXCEPTION(footer_of(file.substr(0, file.size() - 4) + "PARE"), Error, mentions("encrypted"));
  std::string longer = file;
  longer[file.size() - 5] = '\x7f';
  BOOST_CHECK_EXCEPTION(footer_of(longer), Error, mentions("the footer has 2130706"));
}

BOOST_AUTO_TEST_CASE(footer_that_ends_early_is_damaged) {
  const std::string file = integers_file({1}).write();
  const Footer footer = footer_of(file);
  std::string zeros = file;
  for (size_t i = (footer.data_end + file.size()) / 2; i < file.size() - 8; ++i) zeros[i] = '\0';
  BOOST_CHECK_EXCEPTION(footer_of(zeros), Error, mentions("footer: it ends"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::parquet
