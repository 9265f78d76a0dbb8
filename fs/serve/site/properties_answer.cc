#include "fs/serve/site/properties_answer.h"

#include <fmt/format.h>

#include <optional>

#include "formats/core/text/http_date.h"
#include "formats/core/text/trimmed.h"
#include "fs/report/words.h"
#include "fs/serve/http/field_text.h"
#include "fs/serve/site/file_answer.h"
#include "fs/serve/site/folder.h"

namespace plainfs::serve {
namespace {

constexpr std::string_view kXml = "application/xml; charset=utf-8";
constexpr std::string_view kHead =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<D:multistatus xmlns:D=\"DAV:\">\n";
constexpr std::string_view kEnd = "</D:multistatus>\n";
constexpr size_t kMaxHeld = 256 * 1024;

struct Properties {
  std::string href;
  std::string name;
  bool is_folder = false;
  time_t modified = 0;
  uint64_t size = 0;  // of a file, like the tag
  std::string tag;
  const FileRow* row = nullptr;
};

std::string xml_of(const Properties& of) {
  std::string text = fmt::format(
      "<D:response><D:href>{}</D:href><D:propstat><D:prop><D:displayname>{}</D:displayname>"
      "<D:getlastmodified>{}</D:getlastmodified><D:creationdate>{}</D:creationdate>",
      escaped(of.href), shown_text(of.name), http_date(of.modified),
      utc_text(of.modified, "%Y-%m-%dT%H:%M:%SZ"));
  if (of.is_folder)
    text += "<D:resourcetype><D:collection/></D:resourcetype>";
  else
    text += fmt::format(
        "<D:resourcetype/><D:getcontentlength>{}</D:getcontentlength><D:getcontenttype>{}</D:getcontenttype>"
        "<D:getetag>{}</D:getetag>",
        of.size, media_type(of.row, of.name), escaped(of.tag));
  return text + "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\n";
}

// The entries so far. An entry that requires a pass over a store is sent as soon as it is complete, so that a
// waiting client sees progress. Replies that are complete at once have a declared length.
class MultiStatus {
 public:
  explicit MultiStatus(Reply& reply) : reply_(reply) {}

  void add(const Properties& properties) {
    held_ += xml_of(properties);
    if (held_.size() > kMaxHeld || reply_.has_begun()) send();
  }
  void before_waiting() { send(); }
  void finish() {
    held_ += kEnd;
    if (!reply_.has_begun()) return reply_.whole(207, kXml, held_);
    send();
    reply_.finish();
  }

 private:
  void send() {
    if (!reply_.can_be_chunked()) return;
    if (!reply_.has_begun()) {
      reply_.add("Content-Type", kXml);
      reply_.begin_chunked(207);
    }
    reply_.write(held_);
    held_.clear();
  }

  Reply& reply_;
  std::string held_{kHead};
};

// Returns the status of a file, in a generated directory also of one that cannot be read, like in a mount.
Status status_of_file(const Site::Place& place) {
  Filesystem& filesystem = *place.filesystem;
  try {
    return filesystem.status_with_size(place.inode);
  } catch (const Error& error) {
    std::optional<Status> status = filesystem.status_of_unreadable(place.inode);
    if (!status) throw;
    filesystem.report(place.inode, error);
    return *std::move(status);
  }
}

// Adds a file. Its size may require a pass. Throws if it has no size.
void add_file(const Exchange& exchange, MultiStatus& all, const std::vector<std::string>& path,
              const Site::Place& place) {
  if (!place.filesystem->status_so_far(place.inode).is_whole) all.before_waiting();
  const Status status = status_of_file(place);
  all.add({exchange.href(path, false), path.empty() ? "" : path.back(), false, exchange.modified(status.stat),
           static_cast<uint64_t>(status.stat.st_size), exchange.tag(place, status.opening),
           place.filesystem->row(place.inode)});
}

void add_folder(const Exchange& exchange, MultiStatus& all, const std::vector<std::string>& path,
                time_t modified) {
  all.add({exchange.href(path, true), path.empty() ? "" : path.back(), true, modified, 0, {}});
}

// Reported lengths are always correct: a file without a known length is omitted, and GET reports why. Links
// to folders are omitted as well, since a client that copies everything could follow them in circles.
void add_entry(const Exchange& exchange, MultiStatus& all, const FolderEntry& entry) {
  std::vector<std::string> path = exchange.names;
  path.push_back(entry.name);
  if (!entry.error.empty() || (entry.is_folder && entry.is_link)) return;
  if (entry.is_folder) return add_folder(exchange, all, path, entry.modified);
  try {
    add_file(exchange, all, path, entry.place);
  } catch (const Error& error) {
    entry.place.filesystem->report(entry.place.inode, error);
  }
}

void refuse_depth(Reply& reply) {
  reply.whole(403, kXml,
              "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
              "<D:error xmlns:D=\"DAV:\"><D:propfind-finite-depth/></D:error>\n");
}

}  // namespace

void answer_properties(const Exchange& exchange, const Site::Place& place) {
  const std::string given = exchange.request.field("Depth");
  const std::string_view depth = trimmed(given);
  if (depth != "0" && depth != "1") return refuse_depth(exchange.reply);
  const bool is_folder = place.kind == FileKind::directory;
  if (!is_folder && exchange.target.is_folder) throw not_found("{}: not a folder", exchange.names.back());
  exchange.reply.add("DAV", "1");
  exchange.reply.add("Cache-Control", "no-cache");
  MultiStatus all(exchange.reply);
  if (!is_folder) {
    add_file(exchange, all, exchange.names, place);
    return all.finish();
  }
  // Before sending anything: a folder that cannot be read is an error, not an empty folder.
  std::vector<FolderEntry> entries;
  if (depth == "1") entries = folder_entries(exchange, place);
  const time_t modified = place.filesystem
                              ? exchange.modified(place.filesystem->status_so_far(place.inode).stat)
                              : exchange.settings.started;
  add_folder(exchange, all, exchange.names, modified);
  for (const FolderEntry& entry : entries) add_entry(exchange, all, entry);
  all.finish();
}

void answer_root_properties(const Exchange& exchange) {
  const std::string given = exchange.request.field("Depth");
  const std::string_view depth = trimmed(given);
  if (depth != "0" && depth != "1") return refuse_depth(exchange.reply);
  exchange.reply.add("DAV", "1");
  MultiStatus all(exchange.reply);
  all.add({"/", "", true, exchange.settings.started, 0, {}});
  all.finish();
}

}  // namespace plainfs::serve
