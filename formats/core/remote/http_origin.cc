#include "formats/core/base/error.h"
#include "formats/core/remote/origin.h"
#include "formats/core/remote/url.h"
#include "formats/core/text/percent.h"

namespace plainfs::remote {
namespace {

class HttpOrigin : public Origin {
 public:
  HttpOrigin(std::string base, const RemoteOptions& options) : base_(std::move(base)), query_(options.query) {
    parse_url(base_);
  }

  std::string address(const std::string& location) const override {
    if (!location.starts_with(base_)) throw unreadable("{}: lies outside of the store", location);
    std::string url = base_ + percent_encoded(std::string_view(location).substr(base_.size()), true);
    if (!query_.empty()) url += "?" + query_;
    return parse_url(url).text();
  }

  HttpRequest get(const std::string& location, std::vector<std::string> fields) override {
    HttpRequest request;
    request.url = address(location);
    request.fields = std::move(fields);
    request.uses_netrc = true;
    return request;
  }

  bool follows_redirects() const override { return true; }
  bool learn_from(const HttpHead&, const std::string&) override { return false; }

 private:
  const std::string base_;
  const std::string query_;
};

}  // namespace

std::unique_ptr<Origin> http_origin(std::string base, const RemoteOptions& options) {
  return std::make_unique<HttpOrigin>(std::move(base), options);
}

}  // namespace plainfs::remote
