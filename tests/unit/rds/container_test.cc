#include "formats/containers/rds/container.h"

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/probe.h"
#include "tests/support/says.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/rds/compress.h"
#include "tests/unit/rds/r_stream.h"
#include "tests/unit/rds/rds_file.h"

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
               "\"" << error.what() << "\" does not say \"" << words << "\"");
  }
}

BOOST_AUTO_TEST_SUITE(container)

BOOST_AUTO_TEST_CASE(files_without_data_are_refused) {
  fails(Errc::unsupported, "holds no data", start().nil().text);
  fails(Errc::unsupported, "holds no data", start().symbol("x").text);
  fails(Errc::unsupported, "holds no data", start().i(253).text);
}

BOOST_AUTO_TEST_CASE(what_follows_the_object_is_told_of) {
  TestContext context;
  const RdsFile file(start().integers({1}).text + "more");
  rds::open(look_at(file.path), context);
  BOOST_TEST(context.warned("4 bytes after the R object are ignored"));
}

BOOST_AUTO_TEST_CASE(what_is_no_data_is_named_once) {
  TestContext context;
  const std::string primitive = rds::RStream().i(8).i(3).raw("sum").text;
  rds::RStream out = start();
  out.list(6, rds::kWithAttributes).raw(primitive).i(253).integers({1}).nil();
  out.list(1).raw(primitive).i(253);
  const RdsFile file(out.names({"f", "env", "x", "", "inner", ""}).text);
  rds::open(look_at(file.path), context);
  BOOST_REQUIRE(context.warnings().size() == 1U);
  BOOST_TEST(context.warnings()[0] ==
             "no data, and left out: 2 environments (/env, /6), 2 functions (/f, /inner/1)");
}

BOOST_AUTO_TEST_CASE(nothing_is_said_where_all_is_shown) {
  TestContext context;
  rds::open(look_at(RdsFile(start().list(2).integers({1}).nil().text).path), context);
  BOOST_TEST(context.warnings().empty());
}

BOOST_AUTO_TEST_CASE(damage_after_the_object_is_damage) {
  rds::RStream out = start();
  std::string compressed = rds::compress(rds::small_object(out).text, rds::Compression::gzip);
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
  BOOST_TEST(!rds::recognises(look_at(RdsFile(text, "a.txt").path)));
  BOOST_TEST(!rds::recognises(look_at(RdsFile("hello", "a.rds").path)));
  BOOST_TEST(!rds::recognises(look_at(RdsFile("", "a.rds").path)));
  TemporaryDirectory directory;
  boost::filesystem::create_directory(directory.path("b.rds"));
  BOOST_TEST(!rds::recognises(look_at(directory.path("b.rds"))));
  BOOST_TEST(!rds::recognises(look_at(directory.path("absent.rds"))));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
