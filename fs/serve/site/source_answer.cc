#include "fs/serve/site/source_answer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "cache/request.h"
#include "formats/core/base/containment.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/base/open_folder.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/percent.h"
#include "fs/report/walk.h"
#include "fs/report/words.h"
#include "fs/serve/http/byte_ranges.h"
#include "fs/serve/site/file_answer.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxListed = 100'000;

bool is_folder_on_disk(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Returns the target of a request's path on disk: below the folder of the store, or its only file.
std::string disk_path(const Store& store, const std::vector<std::string>& below) {
  if (!is_folder_on_disk(store.path)) {
    if (below.size() != 1 || below[0] != last_name(store.path))
      throw not_found("the store is one file: {}", last_name(store.path));
    return store.path;
  }
  std::string path = store.path;
  for (const std::string& name : below) path += "/" + name;
  return path;
}

Descriptor opened(const Store& store, const std::string& path) {
  Descriptor file(Containment::of_store(store.path).open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() >= 0) return file;
  if (errno == ENOENT || errno == ENOTDIR || errno == EXDEV || errno == ELOOP)
    throw not_found("{}: not in the store", last_name(path));
  throw unreadable("{}: {}", last_name(path), std::strerror(errno));
}

// Returns a tag that changes with the bytes of a file, as far as the system shows.
std::string tag_of(const struct stat& status) {
  const timespec modified = modified_time(status);
  return fmt::format("\"{:x}-{:x}-{:x}.{:x}\"", status.st_ino, status.st_size, modified.tv_sec,
                     modified.tv_nsec);
}

void send_bytes(Reply& reply, int file, ByteRange range) {
  std::string piece;
  for (uint64_t at = range.first; at <= range.last;) {
    check_cancelled();
    piece.resize(std::min<uint64_t>(kPiece, range.last - at + 1));
    const ssize_t got = ::pread(file, piece.data(), piece.size(), static_cast<off_t>(at));
    if (got <= 0)
      throw unreadable("{} bytes at {}: {}", piece.size(), at,
                       got == 0 ? "the file ends" : std::strerror(errno));
    reply.write(std::string_view(piece).substr(0, static_cast<size_t>(got)));
    at += static_cast<uint64_t>(got);
  }
}

void answer_bytes(const Exchange& exchange, const Descriptor& file, const struct stat& status) {
  Reply& reply = exchange.reply;
  const std::string tag = tag_of(status);
  const auto size = static_cast<uint64_t>(status.st_size);
  reply.add("ETag", tag);
  reply.add("Cache-Control", "no-cache");
  if (lists_tag(exchange.request.field("If-None-Match"), tag)) return reply.whole(304, "", "");
  reply.add("Last-Modified", http_date(exchange.modified(status)));
  reply.add("Accept-Ranges", "bytes");
  reply.add("Content-Type", media_type(nullptr, exchange.names.back()));
  reply.add("Content-Security-Policy", "sandbox; default-src 'none'");
  const bool wants_part = exchange.request.method == "GET" && exchange.request.count("Range") == 1 &&
                          allows_parts(exchange.request.field("If-Range"), tag);
  const WantedBytes wanted = wants_part ? wanted_bytes(exchange.request.field("Range"), size) : WantedBytes{};
  if (wants_part && wanted.kind == WantedBytes::Kind::kNone) {
    reply.add("Content-Range", fmt::format("bytes */{}", size));
    return reply.whole(416, "", "");
  }
  // Several ranges may be answered with the whole file (RFC 9110, 14.2).
  const bool is_part = wants_part && wanted.kind == WantedBytes::Kind::kParts && wanted.parts.size() == 1;
  if (is_part)
    reply.add("Content-Range",
              fmt::format("bytes {}-{}/{}", wanted.parts[0].first, wanted.parts[0].last, size));
  reply.begin(is_part ? 206 : 200, is_part ? wanted.parts[0].length() : size);
  if (!reply.is_head() && is_part) send_bytes(reply, file.number(), wanted.parts[0]);
  if (!reply.is_head() && !is_part && size > 0) send_bytes(reply, file.number(), {0, size - 1});
  reply.finish();
}

std::vector<std::string> names_on_disk(Descriptor folder) {
  const OpenFolder open(::fdopendir(folder.number()));
  if (!open) throw unreadable("a folder of the store: {}", std::strerror(errno));
  folder.release();  // the DIR owns it
  std::vector<std::string> names;
  while (const dirent* const entry = next_entry(open)) {
    if (names.size() >= kMaxListed)
      throw unsupported("a folder of more than {} files is not listed; request each by its name", kMaxListed);
    const std::string name = entry->d_name;
    names.push_back(entry->d_type == DT_DIR ? name + "/" : name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void answer_names(const Exchange& exchange, const std::vector<std::string>& names) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>The store's own "
      "files</title></head>\n<body><pre>\n";
  for (const std::string& name : names)
    html += fmt::format("<a href=\"{}\">{}</a>\n", escaped(percent_encoded(name, true)), shown_text(name));
  exchange.reply.add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  exchange.reply.add("Cache-Control", "no-cache");
  exchange.reply.whole(200, "text/html; charset=utf-8", html + "</pre></body></html>\n");
}

void answer_below(const Exchange& exchange, const Store& store, const std::vector<std::string>& below) {
  if (below.empty() && !is_folder_on_disk(store.path))
    return answer_names(exchange, {std::string(last_name(store.path))});
  const std::string path = disk_path(store, below);
  Descriptor file = opened(store, path);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw unreadable("{}: {}", last_name(path), std::strerror(errno));
  if (S_ISREG(status.st_mode)) return answer_bytes(exchange, file, status);
  if (!S_ISDIR(status.st_mode)) throw not_found("{}: not in the store", last_name(path));
  // A key that is a folder is absent: Zarr clients request both with one address.
  if (!exchange.target.is_folder && !below.empty()) throw not_found("{}: a folder", last_name(path));
  answer_names(exchange, names_on_disk(std::move(file)));
}

}  // namespace

bool answer_source(const Exchange& exchange) {
  const std::vector<std::string>& names = exchange.names;
  const auto own = std::find(names.begin(), names.end(), kOwnFolder);
  if (own == names.end() || own + 1 == names.end() || *(own + 1) != kSourceFolder) return false;
  if (exchange.request.method == "PROPFIND") throw not_found("{}: not available over WebDAV", kSourceFolder);
  const Site::Place place = exchange.site.find({names.begin(), own});
  if (!place.filesystem || place.kind != FileKind::directory) throw not_found("no store here");
  const OpenMeaning meaning = place.filesystem->meaning(place.inode);
  const Store& store = *meaning.what.store;
  if (!meaning.what.is_store || store.is_folder || !store.joined.empty())
    throw not_found("no store begins here");
  if (is_url(store.path)) throw unsupported("{}: the store is remote; read it from there", kSourceFolder);
  answer_below(exchange, store, {own + 2, names.end()});
  return true;
}

std::optional<std::vector<std::string>> source_path(const Store& store, std::vector<std::string> names) {
  if (store.is_folder || is_url(store.path) || !store.joined.empty()) return std::nullopt;
  names.emplace_back(kOwnFolder);
  names.emplace_back(kSourceFolder);
  if (!is_folder_on_disk(store.path)) names.emplace_back(last_name(store.path));
  return names;
}

}  // namespace plainfs::serve
