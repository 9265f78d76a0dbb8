// One request with all that answering it takes.
#pragma once

#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "fs/serve/entity_tag.h"
#include "fs/serve/host_names.h"
#include "fs/serve/kept_cells.h"
#include "fs/serve/reply.h"
#include "fs/serve/site.h"

namespace plainfs::serve {

struct AnswerSettings {
  std::string token;  // the first name of every path that is answered; letters and digits; empty: none
  HostNames hosts{{}};
  Origins origins{{}};
  bool reopens_on_change = false;
  time_t started = 0;                                        // shown for what has no time
  std::function<std::string()> random;                       // 32 letters and digits that cannot be guessed
  std::function<void(const std::string& line)> log_request;  // null: nowhere
  std::vector<std::string> identities{};                     // of the stores, as EntityTags has them
  std::string base{};  // the path at which a proxy shows all of it, "/lab"; empty: the root
};

// True for a path that may stand before all others: "/lab", "/user/name/proxy".
bool is_base_path(std::string_view text);

struct Asked {
  const HttpRequest& request;
  const Target& target;
  std::vector<std::string> names;  // of the target, behind the token
  Reply& reply;
  const Site& site;
  const EntityTags& tags;
  const AnswerSettings& settings;
  KeptCells& cells;
  // Of h5grove's questions ("meta") which this is; then names are those of the store that it is about.
  std::string h5_question{};

  // The path at which a proxy shows the server: X-Forwarded-Prefix if it is one, else the base.
  std::string prefix() const;
  // As a path that leads there from the root of the server: "/TOKEN/a/b", with a slash at the end of folders.
  std::string href(const std::vector<std::string>& path, bool is_folder) const;
  // The same as the client has reached it: "http://HOST/TOKEN/a/b/".
  std::string address(const std::vector<std::string>& path, bool is_folder) const;
  // Of what is shown with that status. One before WebDAV was there is refused by the Finder.
  time_t modified(const struct stat& status) const;
  // Another of these where the store was opened anew meanwhile.
  std::string tag(const Site::Place& place, uint64_t opening) const;
};

// whole_first: all of it is read before any of it is sent.
void answer_file(const Asked& asked, const Site::Place& place, bool whole_first = false);
// As a page, a plain list or JSON, whichever is wanted.
void answer_folder(const Asked& asked, const Site::Place& place);
// A page or JSON of a member of a store for which there is no folder ("cell.names?page"); false where
// that was not asked for, or there is none, or a file or folder of that name.
bool answer_member(const Asked& asked);
// PROPFIND of what is there.
void answer_properties(const Asked& asked, const Site::Place& place);
// PROPFIND of "/", which holds nothing that is told: clients that walk there from the root of a server find
// it.
void answer_root_properties(const Asked& asked);

// text/csv and so on, by the ending of its name.
std::string_view media_type(std::string_view name);

}  // namespace plainfs::serve
