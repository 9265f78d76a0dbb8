// A store in memory, served to the clients of a test.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fs/serve/answering.h"
#include "tests/support/memory_store.h"
#include "tests/support/test_context.h"
#include "tests/unit/fs_tree/memory_anndata.h"

namespace plainfs::serve {

// Keeps the received bytes, and disconnects after `most` of them.
struct TextClient : Client {
  std::string text;
  size_t most = SIZE_MAX;
  void send(const Slices& bytes) override {
    for (const iovec& part : bytes.parts) text.append(static_cast<const char*>(part.iov_base), part.iov_len);
    if (text.size() > most) throw Lost();
  }
};

// Zeros with an unreadable second half.
class HalfArray : public Array {
 public:
  explicit HalfArray(uint64_t count) : Array(number_type(Kind::integer, 4), Shape{count}) {}
  Elements read(const Box& box) const override {
    if (box.origin[0] + box.extent[0] > count() / 2) throw damaged("/nowhere/store.h5: half of it is gone");
    return zero_elements(dtype(), box.extent[0]);
  }
};

// A received reply.
struct Answer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;  // reassembled if it came in chunks
  std::string raw;
  bool is_kept = false;  // the connection

  std::string field(std::string_view name) const {
    for (const auto& [known, value] : fields)
      if (known == name) return value;
    return {};
  }
  bool is_chunked() const { return field("Transfer-Encoding") == "chunked"; }
};

inline std::string put_together(std::string_view pieces) {
  std::string body;
  for (;;) {
    const size_t end = pieces.find("\r\n");
    if (end == std::string_view::npos) throw std::runtime_error("a piece without its length");
    const size_t size = std::stoul(std::string(pieces.substr(0, end)), nullptr, 16);
    pieces.remove_prefix(end + 2);
    body += pieces.substr(0, size);
    if (pieces.substr(size, 2) != "\r\n") throw std::runtime_error("a piece without its end");
    pieces.remove_prefix(size + 2);
    if (size == 0) return pieces.empty() ? body : throw std::runtime_error("something behind the last piece");
  }
}

inline Answer parse_answer(const std::string& text) {
  Answer answer;
  answer.raw = text;
  const size_t head = text.find("\r\n\r\n");
  if (head == std::string::npos) throw std::runtime_error("no header: " + text.substr(0, 100));
  answer.status = std::stoi(text.substr(text.find(' ') + 1));
  for (size_t at = text.find("\r\n") + 2; at < head;) {
    const size_t end = text.find("\r\n", at), colon = text.find(": ", at);
    answer.fields.emplace_back(text.substr(at, colon - at), text.substr(colon + 2, end - colon - 2));
    at = end + 2;
  }
  answer.body = text.substr(head + 4);
  if (answer.is_chunked()) answer.body = put_together(answer.body);
  return answer;
}

struct Served {
  TestContext context;
  std::shared_ptr<MemoryGroup> root = std::make_shared<MemoryGroup>(),
                               second = std::make_shared<MemoryGroup>();
  bool has_second = false, is_anndata = false;  // is_anndata: an AnnData of the members of root
  AnswerSettings settings{"token",
                          HostNames({"data.example"}),
                          Origins({"https://viewer.example"}),
                          false,
                          1'700'000'000,
                          [] { return std::string("0123456789abcdef"); },
                          {}};
  std::optional<Filesystem> filesystem, other;
  std::optional<Site> site;
  std::optional<Answering> answering;

  const Answering& answers() {
    if (answering) return *answering;
    filesystem.emplace(is_anndata ? memory_anndata(root, context) : memory_store(root), Appearance{},
                       context);
    std::vector<ServedStore> stores{{"store.h5", &*filesystem}};
    if (has_second) {
      other.emplace(memory_store(second, "/elsewhere/store.h5"), Appearance{}, context);
      stores.push_back({"store.h5", &*other});
    }
    site.emplace(std::move(stores));
    return answering.emplace(*site, settings);
  }

  // request: its lines separated by "\n", without the Host.
  Answer ask(const std::string& request, size_t most = SIZE_MAX) {
    std::string lines = request + "\nHost: 127.0.0.1\n\n", text;
    for (const char c : lines) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return ask_as_it_is(text, most);
  }
  Answer ask_as_it_is(const std::string& text, size_t most = SIZE_MAX) {
    RequestReader reader;
    reader.add(text);
    TextClient client;
    client.most = most;
    const std::optional<HttpRequest> request = reader.next();
    if (!request) throw std::runtime_error("no whole request: " + text);
    const bool is_kept = answers().answer(*request, client);
    Answer answer = parse_answer(client.text);
    answer.is_kept = is_kept;
    return answer;
  }
  Answer get(const std::string& path, const std::string& more = {}) {
    return ask("GET /token/" + path + " HTTP/1.1" + (more.empty() ? "" : "\n" + more));
  }
  std::string read(const std::string& path) {
    const Slices slices = filesystem->read(filesystem->open(filesystem->resolve(path)), 0, 1 << 26);
    Bytes bytes(slices.size());
    slices.copy_to(bytes);
    return std::string(as_text(bytes));
  }
};

}  // namespace plainfs::serve
