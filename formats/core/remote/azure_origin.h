// One container of Azure Blob Storage.
#pragma once

#include <string>
#include <vector>

#include "formats/core/remote/credentials.h"
#include "formats/core/remote/object_origin.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs::remote {

// An origin with locations "az://ACCOUNT/CONTAINER/KEY", the key not encoded. Requests carry
// AZURE_STORAGE_SAS_TOKEN, or a signature by AZURE_STORAGE_KEY (Shared Key), unless AZURE_STORAGE_ACCOUNT
// names another account. Otherwise they carry neither, which public containers allow. Thread-safe.
class AzureOrigin : public ObjectOrigin {
 public:
  // location: of any object in the container. The endpoint of `options` is the URL up to the container. With
  // Azurite it ends with the account's name.
  AzureOrigin(const std::string& location, const RemoteOptions& options, const Environment& environment);

  std::string address(const std::string& location) const override { return endpoint_ + " " + location; }
  HttpRequest get(const std::string& location, std::vector<std::string> fields) override;
  std::string credential_source() override { return credential_source_; }
  bool learn_from(const HttpHead&, const std::string&) override { return false; }

  std::string key_of(const std::string& location) const override;
  HttpRequest list(const std::string& prefix, const std::string& delimiter,
                   const std::string& continuation) override;  // List Blobs
  ObjectPage page_of(const std::string& xml) const override;
  HttpRequest put(const std::string& location, std::string body) override;  // Put Blob

 private:
  std::string source_of_credentials(const RemoteOptions& options, const Environment& environment) const;
  HttpRequest request(const std::string& key, std::string query, std::vector<std::string> fields,
                      std::string method = "GET", std::string body = {}) const;

  const std::string account_, container_;
  const std::string endpoint_;
  const std::string token_;  // a shared access signature without its "?", "" = none
  const std::string key_;    // decoded, "" = none
  const std::string credential_source_;
};

// Adds the Authorization field of Shared Key to `request` (Microsoft's "Authorize with Shared Key",
// 2009-09-19 and later), computed from the fields that it has. key: decoded from base64.
void sign_shared_key(HttpRequest& request, const std::string& account, const std::string& key);

}  // namespace plainfs::remote
