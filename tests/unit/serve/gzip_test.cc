#include "fs/serve/http/gzip.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/codecs/inflate.h"
#include "tests/unit/serve/served.h"

namespace plainfs::serve {
namespace {

std::string unpacked(const std::string& packed, size_t size) {
  return std::string(as_text(inflate_gzip(as_byte_span(packed), DecodedSize::exactly(size))));
}

BOOST_FIXTURE_TEST_SUITE(gzip, Served)

BOOST_AUTO_TEST_CASE(a_client_takes_gzip_unless_it_refuses_it) {
  for (const char* const field : {"gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", " deflate , gzip "})
    BOOST_TEST(accepts_gzip(field), field);
  for (const char* const field : {"", "deflate", "gzip;q=0", "gzip; q=0.0", "x-gzip2", "identity"})
    BOOST_TEST(!accepts_gzip(field), field);
}

BOOST_AUTO_TEST_CASE(a_stream_of_pieces_is_the_text) {
  const std::string text(300'000, 'x');
  GzipStream stream;
  std::string packed(GzipStream::begin());
  for (size_t at = 0; at < text.size(); at += 100'000)
    packed += as_text(stream.next(as_byte_span(std::string_view(text).substr(at, 100'000))));
  packed += stream.end();
  BOOST_TEST((unpacked(packed, text.size()) == text));
  BOOST_TEST((unpacked(gzipped(text), text.size()) == text));
  BOOST_TEST(unpacked(gzipped(""), 0) == "");
}

BOOST_AUTO_TEST_CASE(page_is_compressed_for_clients_that_accept_gzip) {
  root->add_array("a", {1, 2, 3});
  get("a?page");  // sizes are known afterwards
  const Answer plain = get("a?page"), packed = get("a?page", "Accept-Encoding: gzip");
  BOOST_TEST(plain.field("Content-Encoding") == "");
  BOOST_TEST(packed.field("Content-Encoding") == "gzip");
  BOOST_TEST(packed.field("Vary").find("Accept-Encoding") != std::string::npos);
  BOOST_TEST(packed.body.size() < plain.body.size() / 2);
  BOOST_TEST((unpacked(packed.body, plain.body.size()) == plain.body));
}

BOOST_AUTO_TEST_CASE(compressed_text_has_its_own_tag) {
  root->add_array("a", std::vector<int32_t>(100'000, 7)).add_array("short", {1});
  const Answer packed = get("a.csv", "Accept-Encoding: gzip");
  const Answer plain = get("a.csv");
  BOOST_TEST(packed.field("Content-Encoding") == "gzip");
  BOOST_TEST((unpacked(packed.body, plain.body.size()) == plain.body));
  BOOST_TEST(packed.field("ETag") != plain.field("ETag"));
  BOOST_TEST(get("a.csv", "Accept-Encoding: gzip\nIf-None-Match: " + packed.field("ETag")).status == 304);
  BOOST_TEST(get("a.csv", "Accept-Encoding: gzip\nIf-None-Match: " + plain.field("ETag")).status == 200);
  BOOST_TEST(get("a.csv", "Accept-Encoding: gzip\nRange: bytes=0-2").body == "7\n7");
  BOOST_TEST(get("a.npy", "Accept-Encoding: gzip").field("Content-Encoding") == "");
  BOOST_TEST(get("short.csv", "Accept-Encoding: gzip").field("Content-Encoding") == "");
  BOOST_TEST(ask("GET /token/a.csv HTTP/1.0\nAccept-Encoding: gzip").field("Content-Encoding") == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
