// The examples of the Amazon S3 API Reference, "Signature Calculations for the Authorization Header".
#include "formats/core/remote/sigv4.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs::remote;

namespace {

const Keys kKeys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
constexpr std::time_t kTime = 1369353600;  // 2013-05-24T00:00:00Z

std::string authorization(const std::string& url, std::vector<std::string> fields, const Keys& keys = kKeys) {
  HttpRequest request;
  request.url = url;
  request.fields = std::move(fields);
  sign(request, keys, "us-east-1", "s3", kTime);
  BOOST_REQUIRE(request.fields.back().starts_with("Authorization: "));
  return request.fields.back();
}

std::string signature(const std::string& url, std::vector<std::string> fields = {},
                      const Keys& keys = kKeys) {
  const std::string whole = authorization(url, std::move(fields), keys);
  return whole.substr(whole.find("Signature=") + 10);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sigv4)

BOOST_AUTO_TEST_CASE(range_request_is_signed_like_amazon) {
  BOOST_TEST(authorization("https://examplebucket.s3.amazonaws.com/test.txt", {"Range: bytes=0-9"}) ==
             "Authorization: AWS4-HMAC-SHA256 "
             "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
             "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
             "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

BOOST_AUTO_TEST_CASE(a_query_without_a_value_is_signed_with_an_equals_sign) {
  BOOST_TEST(signature("https://examplebucket.s3.amazonaws.com/?lifecycle") ==
             "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

BOOST_AUTO_TEST_CASE(list_request_is_signed_like_amazon) {
  BOOST_TEST(signature("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J") ==
             "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

BOOST_AUTO_TEST_CASE(the_order_of_a_query_does_not_matter) {
  const std::string host = "https://examplebucket.s3.amazonaws.com/";
  BOOST_TEST(signature(host + "?prefix=J&max-keys=2") == signature(host + "?max-keys=2&prefix=J"));
}

BOOST_AUTO_TEST_CASE(the_default_port_is_not_part_of_the_host) {
  const std::string plain = signature("https://examplebucket.s3.amazonaws.com/test.txt");
  BOOST_TEST(signature("https://examplebucket.s3.amazonaws.com:443/test.txt") == plain);
  BOOST_TEST(signature("https://examplebucket.s3.amazonaws.com:8443/test.txt") != plain);
}

BOOST_AUTO_TEST_CASE(the_token_of_keys_for_a_time_is_sent_and_signed) {
  Keys keys = kKeys;
  keys.token = "a-token";
  HttpRequest request;
  request.url = "https://examplebucket.s3.amazonaws.com/test.txt";
  sign(request, keys, "us-east-1", "s3", kTime);
  BOOST_TEST(std::count(request.fields.begin(), request.fields.end(), "x-amz-security-token: a-token") == 1);
  BOOST_TEST(request.fields.back().find("x-amz-date;x-amz-security-token") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(fields_changed_by_proxies_are_not_signed) {
  const std::string url = "https://examplebucket.s3.amazonaws.com/test.txt";
  BOOST_TEST(signature(url, {"Accept-Encoding: identity", "If-Match: \"a\""}) == signature(url));
}

BOOST_AUTO_TEST_SUITE_END()
