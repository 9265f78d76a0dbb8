#include "formats/core/remote/certificates.h"

#include <unistd.h>

#include <cstdlib>

namespace plainfs::remote {
namespace {

std::string value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value ? value : "";
}

}  // namespace

std::span<const char* const> certificate_places() {
  static constexpr const char* kPlaces[] = {
      "/etc/ssl/certs/ca-certificates.crt",
      "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
      "/etc/ssl/ca-bundle.pem",
      "/var/lib/ca-certificates/ca-bundle.pem",
      "/etc/ssl/cert.pem",
  };
  return kPlaces;
}

std::string certificate_file(std::span<const char* const> places) {
  for (const char* variable : {"CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (std::string path = value_of(variable); !path.empty()) return path;
  }
  for (const char* place : places)
    if (::access(place, R_OK) == 0) return place;
  return {};
}

std::string certificate_folder() {
  return value_of("SSL_CERT_DIR");
}

}  // namespace plainfs::remote
