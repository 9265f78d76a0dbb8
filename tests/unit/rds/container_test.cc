#include "formats/containers/rds/container.h"

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/mentions.h"
#include "tests/support/probe.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/rds/r_stream.h"
#include "tests/unit/rds/rds_file.h"
#include "tests/unit/unpacked/compress.h"

namespace {

using namespace plainfs;

using rds::RdsFile;
using rds::start;

void fails(Errc code, const std::string& words, const std::string& content) {
  TestContext context;
  const RdsFile file(content);
  try {
    rds::open(look_at(file.path), context);
    BOOST_ERROR("no error, expected: " << words);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == code));
    BOOST_TEST(std::string(error.what()).find(words) != std::string::npos,
               "\"" << error.what() << "\" does not contain \"" << words << "\"");
  }
}

BOOST_AUTO_TEST_SUITE(container)

BOOST_AUTO_TEST_CASE(files_without_data_are_refused) {
  fails(Errc::unsupported, "without data", start().nil().text);
  fails(Errc::unsupported, "without data", start().symbol("x").text);
  fails(Errc::unsupported, "without data", start().i(253).text);
}

BOOST_AUTO_TEST_CASE(bytes_after_the_object_are_reported) {
  TestContext context;
  const RdsFile file(start().integers({1}).text + "more");
  rds::open(look_at(file.path), context);
  BOOST_TEST(context.warned("4 bytes after the R object are ignored"));
}

BOOST_AUTO_TEST_CASE(content_without_data_is_named_once) {
  TestContext context;
  const std::string primitive = rds::RStream().i(8).i(3).raw("sum").text;
  rds::RStream out = start();
  out.list(6, rds::kWithAttributes).raw(primitive).i(253).integers({1}).nil();
  out.list(1).raw(primitive).i(253);
  const RdsFile file(out.names({"f", "env", "x", "", "inner", ""}).text);
  rds::open(look_at(file.path), context);
  BOOST_REQUIRE(context.warnings().size() == 1U);
  BOOST_TEST(context.warnings()[0] ==
             "without data, left out: 2 environments (/env, /6), 2 functions (/f, /inner/1)");
}

BOOST_AUTO_TEST_CASE(non_vector_attribute_is_named) {
  rds::RStream out = start();
  out.list(1).i(13 | rds::kWithAttributes).i(1).i(7).tag("unit").strings({"m"}).tag("spec").list(0).nil();
  TestContext context;
  rds::open(look_at(RdsFile(out.text).path), context);
  BOOST_REQUIRE(context.warnings().size() == 1U);
  BOOST_TEST(context.warnings()[0] == "not vectors, left out: 1 attribute (/1/spec)");
}

BOOST_AUTO_TEST_CASE(complete_content_logs_nothing) {
  TestContext context;
  rds::open(look_at(RdsFile(start().list(2).integers({1}).nil().text).path), context);
  BOOST_TEST(context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(damage_after_the_object_is_damage) {
  rds::RStream out = start();
  std::string compressed = unpacked::compress(rds::small_object(out).text, rds::Compression::gzip);
  compressed[compressed.size() - 6] ^= 1;  // of the checksum
  fails(Errc::damaged, "gzip", compressed);
}

BOOST_AUTO_TEST_CASE(only_rds_files_are_recognised) {
  const std::string text = start().nil().text;
  BOOST_TEST(rds::recognises(look_at(RdsFile(text, "a.rds").path)));
  BOOST_TEST(rds::recognises(look_at(RdsFile(text, "a.RDS").path)));
  BOOST_TEST(rds::recognises(look_at(RdsFile("A\n3\n", "a.Rds").path)));
  BOOST_TEST(rds::recognises(look_at(RdsFile("RDX3\nX\n", "a.RData").path)));
  BOOST_TEST(rds::recognises(look_at(RdsFile("RDA2\nA\n", "a.rda").path)));
  BOOST_TEST(rds::recognises(look_at(RdsFile("A\r\n3\r\n", "a.rds").path)));
  BOOST_TEST(rds::recognises(look_at(RdsFile("RDX3\nX\n", "a.Robj").path)));
  BOOST_TEST(rds::recognises(look_at(RdsFile("\x1f\x8b", "a.rds.gz").path)));
  BOOST_TEST(rds::recognises(look_at(RdsFile(text, "a.RData.XZ").path)));
  BOOST_TEST(!rds::recognises(look_at(RdsFile("A\n3\n", "a.txt").path)));
  BOOST_TEST(!rds::recognises(look_at(RdsFile("hello", "a.rds").path)));
  BOOST_TEST(!rds::recognises(look_at(RdsFile("\x1f\x8b", "a.gz").path)));
  BOOST_TEST(!rds::recognises(look_at(RdsFile("", "a.rds").path)));
  TemporaryDirectory directory;
  boost::filesystem::create_directory(directory.path("b.rds"));
  BOOST_TEST(!rds::recognises(look_at(directory.path("b.rds"))));
  BOOST_TEST(!rds::recognises(look_at(directory.path("absent.rds"))));
}

BOOST_AUTO_TEST_CASE(r_object_is_recognised_under_any_name) {
  const std::string text = start().list(1).integers({1}).text;
  for (const std::string& content : {text, unpacked::compress(text, rds::Compression::gzip),
                                     std::string("RDX3\nX\n\0\0\0\3", 11), std::string("RDA3\nA\n3\n")})
    BOOST_TEST(rds::recognises(look_at(RdsFile(content, "model").path)));
  BOOST_TEST(!rds::recognises(
      look_at(RdsFile(unpacked::compress("##fileformat=VCFv4.3", rds::Compression::gzip), "a.vcf.gz").path)));
}

const rds::Value& value_of(const Store& store) {
  return *dynamic_cast<const rds::ValueGroup&>(*store.root.parts).value();
}

BOOST_AUTO_TEST_CASE(file_kind_is_detected_from_the_bytes) {
  TestContext context;
  rds::RStream objects;
  objects.raw("RDX3\n").header().tag("obj").integers({1}).nil();
  const Store workspace = rds::open(look_at(RdsFile(objects.text, "a.rds").path), context);
  BOOST_TEST(value_of(workspace).item("obj")->length() == 1u);
  const Store one = rds::open(look_at(RdsFile(start().integers({1, 2}).text, "a.RData").path), context);
  BOOST_TEST(value_of(one).length() == 2u);
}

BOOST_AUTO_TEST_CASE(a_file_compressed_twice_is_read) {
  std::vector<double> numbers(30000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i) / 7;
  const std::string text = start().reals(numbers).text;
  for (const rds::Compression inner : unpacked::kCompressions)
    for (const rds::Compression outer : unpacked::kCompressions) {
      TestContext context;
      const RdsFile file(unpacked::compress(unpacked::compress(text, inner), outer), "a.rds.gz");
      const Store store = rds::open(look_at(file.path), context);
      const Elements last = value_of(store).vector->read(range(29990, 10));
      BOOST_TEST(last.values<double>()[9] == numbers[29999]);
    }
}

BOOST_AUTO_TEST_CASE(referenced_environment_of_a_function_is_data) {
  rds::RStream out = start();
  out.list(2).i(3 | rds::kWithTag);
  out.environment().tag("x").integers({1}).tag("long").strings(std::vector<std::string>(20000, "word"));
  out.nil().nil().nil().nil().i(6).symbol("quit").nil();
  out.again(1);
  for (const rds::Compression compression : unpacked::kCompressions) {
    TestContext context;
    const RdsFile file(unpacked::compress(out.text, compression));
    const Store store = rds::open(look_at(file.path), context);
    const rds::ValuePtr variables = value_of(store).items[1];
    BOOST_REQUIRE((variables->type == rds::RType::list));
    BOOST_TEST(variables->item("x")->length() == 1u);
    BOOST_TEST(variables->item("long")->vector->read(range(19999, 1)).text(0) == "word");
    BOOST_REQUIRE(context.warnings().size() == 1U);
    BOOST_TEST(context.warnings()[0] == "without data, left out: 1 function (/1)");
  }
}

BOOST_AUTO_TEST_CASE(an_environment_with_too_many_values_is_left_out_alone) {
  rds::RStream out = start();
  out.list(2).integers({7}).environment().tag("many").list(2000000);
  for (int i = 0; i < 2000000; ++i) out.nil();
  out.nil().nil().nil();
  TestContext context;
  const Store store = rds::open(look_at(RdsFile(out.text).path), context);
  BOOST_TEST(value_of(store).items[0]->length() == 1u);
  BOOST_TEST(context.warned("without data, left out: 1 environment (/2)"));
}

BOOST_AUTO_TEST_CASE(reference_object_shows_fields_and_names_methods) {
  rds::RStream out = start();
  out.s4().tag(".xData").environment();
  out.tag(".->x").integers({1}).tag("x").i(3 | rds::kWithTag).i(242).nil().nil();
  out.tag("show").i(3 | rds::kWithTag).i(242).nil().nil().nil().nil().nil();
  out.class_of("Account", "bank");
  TestContext context;
  rds::open(look_at(RdsFile(out.text).path), context);
  BOOST_REQUIRE(context.warnings().size() == 1U);
  BOOST_TEST(context.warnings()[0] == "without data, left out: 1 function (/show)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
