// An exchange with a client: a request with everything that answering it requires, and the reply.
#pragma once

#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fs/serve/http/entity_tag.h"
#include "fs/serve/http/host_names.h"
#include "fs/serve/http/reply.h"
#include "fs/serve/site/site.h"
#include "fs/serve/site/work_budget.h"

namespace plainfs::serve {

// Settings of the server. A request is answered only if the first name of its path is the token.
struct AnswerSettings {
  std::string token;  // letters and digits; empty: no token
  HostNames hosts{{}};
  Origins origins{{}};
  bool reopens_on_change = false;
  time_t started = 0;                   // shown for entries without a time
  std::function<std::string()> random;  // returns 32 letters and digits that cannot be guessed
  std::function<void(const std::string& line)> log_request;  // null: no log
  std::vector<std::string> identities{};                     // of the stores, see EntityTags
  // The memory for large requests of all clients.
  std::shared_ptr<WorkBudget> work = std::make_shared<WorkBudget>();
  std::string base{};                     // path of the site behind a proxy, "/lab"; empty: the root
  std::chrono::milliseconds moment{700};  // a page that takes longer shows how much of it is done
};

// Returns whether `text` can be a path prefix: "/lab", "/user/name/proxy".
bool is_base_path(std::string_view text);

// Kept by pages between requests (fs/serve/pages/folder/page_state.h).
struct PageState;

// A request and the state of the server that answers it.
struct Exchange {
  const HttpRequest& request;
  const Target& target;
  std::vector<std::string> names;  // of the target, without the token
  Reply& reply;
  const Site& site;
  const EntityTags& tags;
  const AnswerSettings& settings;
  PageState& pages;
  // h5grove's question ("meta"), or empty. If it is set, names are the path of the store in question.
  std::string h5_question{};

  // Returns the path at which a proxy shows the server: X-Forwarded-Prefix if it is valid, else the base.
  std::string prefix() const;
  // Returns the absolute path of a link on this server, "/TOKEN/a/b". A folder ends with a slash.
  std::string href(const std::vector<std::string>& path, bool is_folder) const;
  // Returns the URL as the client reached the server: "http://HOST/TOKEN/a/b/".
  std::string address(const std::vector<std::string>& path, bool is_folder) const;
  // Returns the modification time to report for `status`. The Finder rejects times before WebDAV existed.
  time_t modified(const struct stat& status) const;
  // Returns the entity tag. It changes if the store was opened again meanwhile.
  std::string tag(const Site::Place& place, uint64_t opening) const;
};

}  // namespace plainfs::serve
