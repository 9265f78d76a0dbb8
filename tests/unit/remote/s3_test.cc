#include "formats/core/remote/object_listing.h"
#include "formats/core/remote/s3_origin.h"

#include <boost/test/unit_test.hpp>
#include <map>

#include "formats/core/base/error.h"
#include "tests/support/mentions.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

struct Variables : std::map<std::string, std::string> {
  using map::map;
  Environment environment() const {
    return [*this](const std::string& name) {
      const auto found = find(name);
      return found == end() ? std::string() : found->second;
    };
  }
};

struct Fixture {
  RemoteCounters counters;
  HttpClient client{counters};
  S3Origin origin(const std::string& location, RemoteOptions options = {}, Variables variables = {}) {
    options.no_sign = !variables.contains("AWS_ACCESS_KEY_ID");
    return S3Origin(location, options, variables.environment(), client);
  }
};

HttpHead head_with(long status, std::map<std::string, std::string> fields) {
  return {status, std::move(fields)};
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(s3, Fixture)

BOOST_AUTO_TEST_CASE(a_bucket_is_a_host_of_amazons) {
  BOOST_TEST(origin("s3://bucket/x").get("s3://bucket/a b/c", {}).url ==
             "https://bucket.s3.us-east-1.amazonaws.com/a%20b/c");
}

BOOST_AUTO_TEST_CASE(a_bucket_with_a_dot_is_part_of_the_path) {
  BOOST_TEST(origin("s3://my.bucket/x", {}, {{"AWS_REGION", "eu-west-1"}}).get("s3://my.bucket/x", {}).url ==
             "https://s3.eu-west-1.amazonaws.com/my.bucket/x");
}

BOOST_AUTO_TEST_CASE(the_option_counts_before_the_environment) {
  RemoteOptions options;
  options.endpoint = "http://localhost:9000/";
  options.region = "lab";
  auto generated = origin("s3://bucket/x", options, {{"AWS_ENDPOINT_URL", "http://other"}});
  BOOST_TEST(generated.get("s3://bucket/x", {}).url == "http://localhost:9000/bucket/x");
  BOOST_TEST(
      origin("s3://bucket/x", {}, {{"AWS_ENDPOINT_URL_S3", "http://other"}}).get("s3://bucket/x", {}).url ==
      "http://other/bucket/x");
}

BOOST_AUTO_TEST_CASE(an_endpoint_with_a_password_is_refused) {
  RemoteOptions options;
  options.endpoint = "https://me:secret@host";
  BOOST_CHECK_EXCEPTION(origin("s3://bucket/x", options), Error, mentions("~/.netrc"));
}

BOOST_AUTO_TEST_CASE(invalid_bucket_names_are_refused) {
  BOOST_CHECK_EXCEPTION(origin("s3:///x"), Error, mentions("invalid name of a bucket"));
  BOOST_CHECK_EXCEPTION(origin("s3://a@evil/x"), Error, mentions("invalid name of a bucket"));
  BOOST_CHECK_EXCEPTION(origin("s3://bucket/x").get("s3://bucket2/x", {}), Error, mentions("outside"));
}

BOOST_AUTO_TEST_CASE(keys_appear_only_in_the_signature) {
  const HttpRequest request =
      origin("s3://bucket/x", {}, {{"AWS_ACCESS_KEY_ID", "ID"}, {"AWS_SECRET_ACCESS_KEY", "hidden"}})
          .get("s3://bucket/x", {});
  BOOST_TEST(request.fields.back().find("Credential=ID/") != std::string::npos);
  for (const std::string& field : request.fields) BOOST_TEST(field.find("hidden") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(bucket_of_another_region_is_requested_there) {
  auto generated = origin("s3://bucket/x");
  BOOST_TEST(
      generated.learn_from(head_with(301, {{"x-amz-bucket-region", "eu-central-1"}}), "PermanentRedirect"));
  BOOST_TEST(generated.get("s3://bucket/x", {}).url == "https://bucket.s3.eu-central-1.amazonaws.com/x");
  BOOST_TEST(!generated.learn_from(head_with(301, {{"x-amz-bucket-region", "eu-central-1"}}), ""));
  BOOST_TEST(
      !generated.learn_from(head_with(403, {{"x-amz-bucket-region", "evil.example/"}}), "AccessDenied"));
}

BOOST_AUTO_TEST_CASE(list_request_follows_the_order_of_its_signature) {
  BOOST_TEST(origin("s3://bucket/x").list("x y/", "/", "t=").url ==
             "https://bucket.s3.us-east-1.amazonaws.com/"
             "?continuation-token=t%3D&delimiter=%2F&encoding-type=url&list-type=2&prefix=x%20y%2F");
}

BOOST_AUTO_TEST_CASE(a_page_of_objects_is_read) {
  const ObjectPage page =
      origin("s3://bucket")
          .page_of(
              "<?xml "
              "version=\"1.0\"?><ListBucketResult><IsTruncated>true</IsTruncated><EncodingType>url</"
              "EncodingType>"
              "<NextContinuationToken>a&amp;b</NextContinuationToken>"
              "<Contents><Key>x%2By+z/c</Key><ETag>&quot;abc-2&quot;</ETag><Size>12</Size></Contents>"
              "<CommonPrefixes><Prefix>x/d%20/</Prefix></CommonPrefixes></ListBucketResult>");
  BOOST_REQUIRE(page.objects.size() == 1U);
  BOOST_TEST(page.objects[0].key == "x+y z/c");
  BOOST_TEST(page.objects[0].version.etag == "\"abc-2\"");
  BOOST_TEST(page.objects[0].version.size == 12U);
  BOOST_TEST(page.prefixes.at(0) == "x/d /");
  BOOST_TEST(page.continuation == "a&b");
}

BOOST_AUTO_TEST_CASE(keys_are_decoded_only_if_the_service_encoded_them) {
  const ObjectPage page =
      origin("s3://bucket")
          .page_of(
              "<ListBucketResult><Contents><Key>a+b%20&amp;c</Key><Size>1</Size></Contents>"
              "<CommonPrefixes><Prefix>d+/</Prefix></CommonPrefixes></ListBucketResult>");
  BOOST_TEST(page.objects.at(0).key == "a+b%20&c");
  BOOST_TEST(page.prefixes.at(0) == "d+/");
}

BOOST_AUTO_TEST_CASE(list_without_strong_tags_has_no_tags) {
  for (const std::string etag : {"", "<ETag>abc</ETag>", "<ETag>W/&quot;abc&quot;</ETag>"}) {
    const ObjectPage page = origin("s3://bucket")
                                .page_of("<ListBucketResult><Contents><Key>a</Key>" + etag +
                                         "<Size>1</Size></Contents></ListBucketResult>");
    BOOST_TEST(page.objects.at(0).version.etag.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_key_is_no_longer_than_one_of_s3) {
  const auto page_with = [](size_t size) {
    return "<ListBucketResult><Contents><Key>" + std::string(size, 'k') +
           "</Key><Size>1</Size></Contents></ListBucketResult>";
  };
  BOOST_TEST(origin("s3://bucket").page_of(page_with(1024)).objects.size() == 1U);
  BOOST_CHECK_EXCEPTION(origin("s3://bucket").page_of(page_with(1025)), Error,
                        mentions("a key of 1025 bytes"));
}

BOOST_AUTO_TEST_CASE(invalid_page_is_refused) {
  BOOST_CHECK_EXCEPTION(origin("s3://bucket").page_of("<html>"), Error, mentions("not a list of objects"));
  BOOST_CHECK_EXCEPTION(
      origin("s3://bucket").page_of("<ListBucketResult><Contents><Key>a</Key><Size>x</Size></Contents>"),
      Error, mentions("invalid size x"));
  BOOST_CHECK_EXCEPTION(origin("s3://bucket").page_of("<ListBucketResult><IsTruncated>true</IsTruncated>"),
                        Error, mentions("no end"));
}

BOOST_AUTO_TEST_SUITE_END()
