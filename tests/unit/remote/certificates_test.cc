#include "formats/core/remote/certificates.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace plainfs::remote {
namespace {

// The variables that name certificates, as in a shell that sets none of them.
class Variables {
 public:
  Variables() {
    for (const char* name : {"CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"})
      ::unsetenv(name);
  }
  ~Variables() {
    for (const auto& [name, value] : kept_) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  static std::vector<std::pair<std::string, std::string>> all() {
    std::vector<std::pair<std::string, std::string>> found;
    for (const char* name : {"CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"})
      if (const char* const value = std::getenv(name)) found.emplace_back(name, value);
    return found;
  }
  std::vector<std::pair<std::string, std::string>> kept_ = all();
};

BOOST_AUTO_TEST_SUITE(certificates)

BOOST_AUTO_TEST_CASE(first_place_that_exists_is_used) {
  const Variables unset;
  const TemporaryDirectory folder;
  const std::string debian = folder.path("ca-certificates.crt"), fedora = folder.path("ca-bundle.crt");
  const char* const places[] = {debian.c_str(), fedora.c_str()};
  BOOST_TEST(certificate_file(places).empty());
  std::ofstream(fedora) << "certificates";
  BOOST_TEST(certificate_file(places) == fedora);
  std::ofstream(debian) << "certificates";
  BOOST_TEST(certificate_file(places) == debian);
}

BOOST_AUTO_TEST_CASE(variables_come_before_places) {
  const Variables unset;
  ::setenv("SSL_CERT_FILE", "/conda/cacert.pem", 1);
  ::setenv("SSL_CERT_DIR", "/conda/certs", 1);
  BOOST_TEST(certificate_file() == "/conda/cacert.pem");
  BOOST_TEST(certificate_folder() == "/conda/certs");
  ::setenv("AWS_CA_BUNDLE", "/aws.pem", 1);
  BOOST_TEST(certificate_file() == "/aws.pem");
  ::setenv("CURL_CA_BUNDLE", "/curl.pem", 1);
  BOOST_TEST(certificate_file() == "/curl.pem");
  for (const char* name : {"CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"})
    ::unsetenv(name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::remote
