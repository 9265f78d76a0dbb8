#include <boost/test/unit_test.hpp>

#include "formats/core/base/error.h"
#include "formats/core/remote/azure_origin.h"
#include "formats/core/remote/object_origin.h"
#include "tests/support/mentions.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

AzureOrigin origin(const std::string& location, const RemoteOptions& options = {},
                   std::map<std::string, std::string> variables = {}) {
  return AzureOrigin(location, options, [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(azure)

BOOST_AUTO_TEST_CASE(location_names_account_container_and_key) {
  BOOST_TEST(origin("az://lab/data/x").get("az://lab/data/a b/c", {}).url ==
             "https://lab.blob.core.windows.net/data/a%20b/c");
  RemoteOptions options;
  options.endpoint = "http://127.0.0.1:10000/lab/";
  BOOST_TEST(origin("az://lab/data/x", options).get("az://lab/data/x", {}).url ==
             "http://127.0.0.1:10000/lab/data/x");
  for (const char* bad : {"az://lab", "az://lab/", "az:///data", "az://l?b/data", "az://lab@evil/data"})
    BOOST_CHECK_EXCEPTION(origin(bad), Error, mentions("az://ACCOUNT/CONTAINER/PATH"));
  BOOST_CHECK_EXCEPTION(origin("az://lab/data/x").get("az://lab/data2/x", {}), Error,
                        mentions("lies outside"));
}

BOOST_AUTO_TEST_CASE(bucket_or_container_alone_names_no_key) {
  for (const char* bucket : {"s3://lab", "gs://lab", "az://lab", "az://lab/data"})
    BOOST_TEST(is_bucket(bucket));
  for (const char* key : {"s3://lab/x", "gs://lab/x", "az://lab/data/x", "https://lab"})
    BOOST_TEST(!is_bucket(key));
}

// Computed by Python's hmac from the text that Microsoft's "Authorize with Shared Key" describes.
BOOST_AUTO_TEST_CASE(shared_key_signs_fields_and_query) {
  HttpRequest request;
  request.url = "https://lab.blob.core.windows.net/data/a%20b?prefix=x%2Fy&comp=list";
  request.fields = {"Range: bytes=0-9", "If-Match: \"0x8D\"", "x-ms-version: 2020-10-02",
                    "x-ms-date: Sat, 28 Nov 2026 02:00:00 GMT"};
  std::string key;
  for (int i = 0; i < 64; ++i) key += static_cast<char>(i);
  sign_shared_key(request, "lab", key);
  BOOST_TEST(request.fields.back() ==
             "Authorization: SharedKey lab:FfO2QASLERJCy29F0c+lnlvOPUHfsg45iigI2DI1SS4=");
}

BOOST_AUTO_TEST_CASE(key_with_invalid_base64_is_refused) {
  BOOST_CHECK_EXCEPTION(origin("az://lab/data/x", {}, {{"AZURE_STORAGE_KEY", "no base64"}}), Error,
                        mentions("AZURE_STORAGE_KEY is not base64"));
}

BOOST_AUTO_TEST_CASE(token_goes_only_over_https_or_to_this_machine) {
  RemoteOptions options;
  options.query = "sv=1&sig=hidden";
  BOOST_TEST(origin("az://lab/data/x", options).get("az://lab/data/x", {}).url ==
             "https://lab.blob.core.windows.net/data/x?sv=1&sig=hidden");
  options.endpoint = "http://127.0.0.1:10000/lab";
  origin("az://lab/data/x", options);
  options.endpoint = "http://lab.example";
  BOOST_CHECK_EXCEPTION(origin("az://lab/data/x", options), Error, mentions("only sent over https"));
  options.endpoint = "https://lab.example/?sig=1";
  BOOST_CHECK_EXCEPTION(origin("az://lab/data/x", options), Error, mentions("a query is not part"));
}

BOOST_AUTO_TEST_CASE(missing_key_is_reported_with_the_reason) {
  RemoteOptions options;
  BOOST_TEST(origin("az://lab/data/x").credential_source().find("AZURE_STORAGE_KEY and") !=
             std::string::npos);
  BOOST_TEST(origin("az://lab/data/x", {}, {{"AZURE_STORAGE_ACCOUNT", "other"}})
                 .credential_source()
                 .find("names another account") != std::string::npos);
  options.no_sign = true;
  BOOST_TEST(origin("az://lab/data/x", options).credential_source() == "the request has no key (no_sign)");
}

BOOST_AUTO_TEST_CASE(list_has_sizes_tags_and_folders) {
  const ObjectPage page = origin("az://lab/data/x")
                              .page_of(
                                  "<EnumerationResults><Blobs><Blob><Name>a&amp;b</Name><Properties>"
                                  "<Etag>0x8D</Etag><Content-Length>11</Content-Length></Properties></Blob>"
                                  "<Blob><Name>d</Name><Properties><ResourceType>directory</ResourceType>"
                                  "<Content-Length>0</Content-Length></Properties></Blob>"
                                  "<BlobPrefix><Name>d/</Name></BlobPrefix></Blobs><NextMarker>m</NextMarker>"
                                  "</EnumerationResults>");
  BOOST_REQUIRE(page.objects.size() == 1U);
  BOOST_TEST(page.objects[0].key == "a&b");
  BOOST_TEST(page.objects[0].version.size == 11U);
  BOOST_TEST(page.objects[0].version.etag == "\"0x8D\"");
  BOOST_TEST(page.prefixes == std::vector<std::string>{"d/"}, boost::test_tools::per_element());
  BOOST_TEST(page.continuation == "m");
  BOOST_CHECK_EXCEPTION(origin("az://lab/data/x").page_of("<html>"), Error,
                        mentions("not a list of objects"));
}

BOOST_AUTO_TEST_SUITE_END()
