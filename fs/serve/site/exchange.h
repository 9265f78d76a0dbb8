// A request with everything that answering it requires: the site, the settings, and the reply.
#pragma once

#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fs/filesystem.h"
#include "fs/serve/http/entity_tag.h"
#include "fs/serve/http/host_names.h"
#include "fs/serve/http/reply.h"
#include "fs/serve/pages/cells/kept_cells.h"
#include "fs/serve/pages/folder/kept_cards.h"

namespace plainfs::serve {

// The folder of a mount's own files. It is not served, as it names folders of this machine.
inline constexpr std::string_view kOwnFolder = ".plainfs";

struct ServedStore {
  std::string name;  // of its folder, if there are several stores
  Filesystem* filesystem = nullptr;
};

// The site that is served: one store as the root, or several stores as folders of it.
class Site {
 public:
  // The target of a path.
  struct Place {
    Filesystem* filesystem = nullptr;  // null: the folder of all stores
    size_t store = 0;
    Inode inode = kRootInode;
    FileKind kind = FileKind::directory;
    std::vector<std::string> names;  // of the path with links resolved, from the root of the site
  };

  // stores: at least one; they must outlive this. Stores with equal names are renamed: "a.h5", "a.h5-2".
  explicit Site(std::vector<ServedStore> stores);

  const std::vector<ServedStore>& stores() const { return stores_; }
  bool is_one_store() const { return stores_.size() == 1; }
  // Returns the place at a path and follows links. Throws not_found, also for .plainfs, which names folders
  // of this machine.
  Place find(const std::vector<std::string>& names) const;
  // Holds the inodes that the stores give to this thread until the visits end (Filesystem::visit).
  std::vector<std::unique_ptr<Filesystem::Visit>> visit() const;
  // Returns the store that the path leads into, or null.
  Filesystem* filesystem_of(const std::vector<std::string>& names) const;

 private:
  const ServedStore* store_of(const std::vector<std::string>& names) const;

  std::vector<ServedStore> stores_;
};

// Returns the text of an error for a client: like in the mount's log, but without the folders of this
// machine.
std::string public_message(const Site& site, const Error& error);

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
  std::string base{};  // path of the site behind a proxy, "/lab"; empty: the root
};

// Returns whether `text` can be a path prefix: "/lab", "/user/name/proxy".
bool is_base_path(std::string_view text);

// A request and the state of the server that answers it.
struct Exchange {
  const HttpRequest& request;
  const Target& target;
  std::vector<std::string> names;  // of the target, without the token
  Reply& reply;
  const Site& site;
  const EntityTags& tags;
  const AnswerSettings& settings;
  KeptCells& cells;
  KeptCards& cards;
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

// Answers with a file. whole_first: read all of it before sending any of it.
void answer_file(const Exchange& exchange, const Site::Place& place, bool whole_first = false);
// Answers with a page, a plain list or JSON, depending on the request.
void answer_folder(const Exchange& exchange, const Site::Place& place);
// Answers with a page or JSON of a member of a store that has no folder ("cell.names?page"). Returns false if
// the request asks for neither, if there is no such member, or if a file or folder has that name.
bool answer_member(const Exchange& exchange);
// Answers PROPFIND for an existing place.
void answer_properties(const Exchange& exchange, const Site::Place& place);
// Answers PROPFIND for "/", which lists nothing. Clients that start at the root of a server need it.
void answer_root_properties(const Exchange& exchange);

// Returns the media type for the extension of `name`, such as text/csv.
std::string_view media_type(std::string_view name);

}  // namespace plainfs::serve
