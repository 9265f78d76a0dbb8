#include "fs/serve/site/script_answer.h"

#include "fs/serve/site/page_script.h"

namespace plainfs::serve {
namespace {

constexpr const char* kScript = "page.js";

}  // namespace

bool answer_script(const Exchange& exchange) {
  const std::vector<std::string>& names = exchange.names;
  const bool is_asked = names.size() == 2 && names[0] == kOwnFolder && names[1] == kScript;
  if (!is_asked || exchange.request.method == "PROPFIND" || exchange.target.is_folder) return false;
  exchange.reply.add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  exchange.reply.add("Cache-Control", "no-cache");
  exchange.reply.whole(200, "text/javascript; charset=utf-8", kPageScript);
  return true;
}

std::string script_href(const Exchange& exchange) {
  return exchange.href({std::string(kOwnFolder), kScript}, false);
}

}  // namespace plainfs::serve
