#include "fs/serve/site/file_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "fs/report/walk.h"
#include "fs/serve/http/byte_ranges.h"
#include "fs/serve/http/gzip.h"
#include "fs/text/text_file.h"
#include "fs/views/view.h"

namespace plainfs::serve {
namespace {

constexpr std::string_view kBinary = "application/octet-stream";

// Bytes of a text that a browser opens in a tab. A text of unknown size has at least kTextBeginning
// bytes, so that it is saved on the first request as on later ones.
constexpr uint64_t kMaxInATab = kTextBeginning - 1;

class FileAnswer {
 public:
  FileAnswer(const Exchange& exchange, const Site::Place& place, bool whole_first)
      : exchange_(exchange),
        place_(place),
        whole_first_(whole_first),
        filesystem_(*place.filesystem),
        reply_(exchange.reply),
        file_(filesystem_.open(place.inode)),
        type_(media_type(filesystem_.row(place.inode), filesystem_.name(place.inode))) {}

  void answer() {
    if (file_.changes) return answer_changing();
    const std::string tag = exchange_.tag(place_, file_.opening->number());
    const Status known = filesystem_.status_so_far(place_.inode);
    const std::string if_match = exchange_.request.field("If-Match");
    if (!if_match.empty() && !lists_tag(if_match, tag)) return reply_.whole(412, "", "");
    const bool may_pack = exchange_.request.method == "GET" && exchange_.request.count("Range") == 0 &&
                          accepts_gzip(exchange_.request.field("Accept-Encoding")) && is_packable(known);
    // Different bytes need a different strong tag (RFC 9110, 8.8.3.3).
    const std::string shown_tag = may_pack ? tag.substr(0, tag.size() - 1) + "-gzip\"" : tag;
    reply_.add("ETag", shown_tag);
    reply_.add("Cache-Control", "no-cache");
    if (lists_tag(exchange_.request.field("If-None-Match"), shown_tag)) return reply_.whole(304, "", "");
    reply_.add("Last-Modified", http_date(exchange_.modified(known.stat)));
    if (may_pack) return answer_packed(known);
    reply_.add("Accept-Ranges", "bytes");
    const bool wants_parts = exchange_.request.method == "GET" && exchange_.request.count("Range") == 1 &&
                             allows_parts(exchange_.request.field("If-Range"), tag);
    if (!wants_parts && !known.is_whole && exchange_.request.method == "GET" && answer_unsized()) return;
    const uint64_t size = size_now();
    if (!wants_parts) return answer_all(size);
    const WantedBytes wanted = wanted_bytes(exchange_.request.field("Range"), size);
    switch (wanted.kind) {
      case WantedBytes::Kind::kWhole:
        return answer_all(size);
      case WantedBytes::Kind::kNone:
        reply_.add("Content-Range", fmt::format("bytes */{}", size));
        return reply_.whole(416, "", "");
      case WantedBytes::Kind::kParts:
        if (wanted.parts.size() == 1) return answer_part(wanted.parts[0], size);
        return answer_parts(wanted.parts, size);
    }
  }

 private:
  // Returns the size. May take a pass over the content.
  uint64_t size_now() {
    const Status status = filesystem_.status_with_size(place_.inode);
    if (status.opening != file_.opening->number())
      throw unreadable("the store was reopened after this file was opened");
    return static_cast<uint64_t>(status.stat.st_size);
  }

  // Whatever type the file claims, it is not a page of this server: it can run no scripts and load nothing.
  // size: nullopt if it is unknown, and at least kTextBeginning. A browser saves a large text rather than
  // opening it in a tab.
  void add_type(std::optional<uint64_t> size) {
    reply_.add("Content-Type", type_);
    const bool opens_in_a_tab = type_.starts_with("text/plain") || type_ == "application/json";
    if (opens_in_a_tab && (!size || *size > kMaxInATab)) reply_.add("Content-Disposition", "attachment");
    add_sandbox();
  }
  void add_sandbox() { reply_.add("Content-Security-Policy", "sandbox; default-src 'none'"); }

  void read_whole(uint64_t size) {
    for (uint64_t at = 0; at < size; at += kPiece)
      filesystem_.read(file_, at, std::min<uint64_t>(kPiece, size - at));
  }

  void send(ByteRange range) {
    for (uint64_t at = range.first; at <= range.last;) {
      const uint64_t left = range.last - at;
      const size_t wanted = left < kPiece ? static_cast<size_t>(left) + 1 : kPiece;
      const Slices slices = filesystem_.read(file_, at, wanted);
      if (slices.size() != wanted) throw damaged("{} bytes at {}, expected {}", slices.size(), at, wanted);
      reply_.write(slices);
      if (left < wanted) break;
      at += wanted;
    }
  }

  void answer_all(uint64_t size) {
    if (whole_first_ && !reply_.is_head()) read_whole(size);
    add_type(size);
    reply_.begin(200, size);
    if (size > 0 && !reply_.is_head()) send({0, size - 1});
    reply_.finish();
  }

  void answer_part(ByteRange part, uint64_t size) {
    add_type(size);
    reply_.add("Content-Range", fmt::format("bytes {}-{}/{}", part.first, part.last, size));
    reply_.begin(206, part.length());
    send(part);
    reply_.finish();
  }

  void answer_parts(const std::vector<ByteRange>& parts, uint64_t size) {
    const std::string boundary = exchange_.settings.random();
    std::vector<std::string> heads;
    const std::string end = fmt::format("\r\n--{}--\r\n", boundary);
    uint64_t length = end.size();
    for (const ByteRange& part : parts) {
      heads.push_back(fmt::format("{}--{}\r\nContent-Type: {}\r\nContent-Range: bytes {}-{}/{}\r\n\r\n",
                                  heads.empty() ? "" : "\r\n", boundary, type_, part.first, part.last, size));
      length += heads.back().size() + part.length();
    }
    reply_.add("Content-Type", "multipart/byteranges; boundary=" + boundary);
    add_sandbox();
    reply_.begin(206, length);
    for (size_t i = 0; i < parts.size(); ++i) {
      reply_.write(heads[i]);
      send(parts[i]);
    }
    reply_.write(end);
    reply_.finish();
  }

  // Sends a text from its beginning, before its length is known. Returns false if that is impossible; nothing
  // was sent then.
  bool answer_unsized() {
    if (!reply_.can_be_chunked() || !file_.view->can_read_before_sized()) return false;
    const std::optional<Slices> beginning = filesystem_.read_beginning(file_, 0, kTextBeginning);
    if (!beginning || beginning->size() < kTextBeginning) return false;
    add_type(std::nullopt);
    reply_.begin_chunked(200);
    reply_.write(*beginning);
    const uint64_t size = size_now();
    if (size > kTextBeginning) send({kTextBeginning, size - 1});
    reply_.finish();
    return true;
  }

  // May read the beginning of a text with unknown size.
  bool is_packable(const Status& known) const {
    if (!is_gzipped_type(type_) || whole_first_ || !reply_.can_be_chunked()) return false;
    if (known.is_whole) return known.stat.st_size >= static_cast<off_t>(kLeastGzipped);
    if (!file_.view->can_read_before_sized()) return true;
    const std::optional<Slices> beginning = filesystem_.read_beginning(file_, 0, kLeastGzipped);
    return beginning && beginning->size() >= kLeastGzipped;
  }

  // Sends one gzip stream of a length not known in advance. A text starts before its size is known.
  void answer_packed(const Status& known) {
    GzipStream stream;
    uint64_t sent = 0;
    const auto pack = [&](const Slices& slices) {
      Bytes bytes(slices.size());
      slices.copy_to(bytes);
      sent += bytes.size();
      reply_.write(as_text(stream.next(bytes)));
    };
    std::optional<Slices> first;
    if (!known.is_whole && file_.view->can_read_before_sized())
      first = filesystem_.read_beginning(file_, 0, kTextBeginning);
    if (first && first->size() < kTextBeginning) first.reset();
    const uint64_t size = first ? 0 : size_now();
    add_type(first ? std::nullopt : std::optional(size));
    reply_.add("Content-Encoding", "gzip");
    reply_.begin_chunked(200);
    reply_.write(GzipStream::begin());
    if (first) pack(*first);
    for (const uint64_t all = first ? size_now() : size; sent < all;) {
      const size_t wanted = std::min<uint64_t>(kPiece, all - sent);
      const Slices slices = filesystem_.read(file_, sent, wanted);
      if (slices.size() != wanted) throw damaged("{} bytes at {}, expected {}", slices.size(), sent, wanted);
      pack(slices);
    }
    reply_.write(stream.end());
    reply_.finish();
  }

  // Sends content that belongs to this opening alone. No other request sees it.
  void answer_changing() {
    const uint64_t size = file_.view->size();
    reply_.add("Cache-Control", "no-store");
    answer_all(size);
  }

  const Exchange& exchange_;
  const Site::Place& place_;
  const bool whole_first_;
  Filesystem& filesystem_;
  Reply& reply_;
  const OpenFile file_;
  const std::string_view type_;
};

struct MediaType {
  std::string_view ending;
  std::string_view type;
};

// Types of files that no view generates.
constexpr MediaType kTypes[] = {
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/plain; charset=utf-8"},
    {".zarray", "application/json"},
    {".zgroup", "application/json"},
    {".zattrs", "application/json"},
    {".zmetadata", "application/json"},
    {".h5mu", "application/x-hdf5"},
    {".nwb", "application/x-hdf5"},
    {".jpg", "image/jpeg"},
    {".pdf", "application/pdf"},
};

}  // namespace

std::string_view media_type(const FileRow* row, std::string_view name) {
  if (row && !row->form.is_folder()) return row->form.media;
  if (const std::string_view type = media_type_of_view(name); !type.empty()) return type;
  for (const MediaType& known : kTypes)
    if (name.ends_with(known.ending)) return known.type;
  return kBinary;
}

void answer_file(const Exchange& exchange, const Site::Place& place, bool whole_first) {
  FileAnswer(exchange, place, whole_first).answer();
}

void send_view(const Exchange& exchange, ViewFile& file) {
  constexpr size_t kBytesAtOnce = size_t{1} << 20;
  const uint64_t size = file.size();
  exchange.reply.begin(200, size);
  for (uint64_t at = 0; at < size && !exchange.reply.is_head();) {
    const size_t wanted = std::min<uint64_t>(kBytesAtOnce, size - at);
    const Slices slices = file.read(at, wanted);
    if (slices.size() != wanted) throw damaged("{} bytes at {}, expected {}", slices.size(), at, wanted);
    exchange.reply.write(slices);
    at += wanted;
  }
  exchange.reply.finish();
}

}  // namespace plainfs::serve
