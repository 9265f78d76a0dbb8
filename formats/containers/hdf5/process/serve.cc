#include "formats/containers/hdf5/process/serve.h"

#ifdef __linux__
#include <malloc.h>
#endif
#include <unistd.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <set>

#include "formats/containers/hdf5/library/inside_file.h"
#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/process/answers.h"
#include "formats/containers/hdf5/process/attributes_ahead.h"
#include "formats/containers/hdf5/process/confinement.h"
#include "formats/containers/hdf5/process/lent_files.h"
#include "formats/containers/hdf5/process/protocol.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/descriptor.h"

namespace plainfs::hdf5 {
namespace {

// Holds only datasets that are open in the library.
constexpr size_t kCacheBytes = 16 << 20;

// The limit in bytes of attributes in one answer. The answer omits the remaining objects.
constexpr size_t kAttributesTogether = 1 << 20;

// The daemon is trusted. Its messages are checked too, in order to find mistakes.
constexpr uint64_t kMaxAsked = uint64_t{1} << 40;

// The allocator walks its free memory to report its size, so it is asked only this often.
constexpr uint64_t kAnswersBetweenLooks = 32;

// Returns the memory obtained from the system, used or free, 0 if the allocator does not report it.
uint64_t own_memory() {
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 memory = ::mallinfo2();
  return memory.arena + memory.hblkhd;
#endif
#endif
  return 0;
}

class Server {
 public:
  Server(Descriptor socket, bool is_to_be_confined)
      : channel_(std::move(socket), true), is_to_be_confined_(is_to_be_confined) {}

  int run() {
    for (;;) {
      std::optional<Message> message = channel_.receive(kMaxAsked);
      if (!message) return 0;
      if (!answer(*message)) return 0;
    }
  }

 private:
  bool answer(Message& message);
  void put_answer(Message& message, Writer& out);
  void put_head(Writer& out);
  void settings(Reader& in, Descriptor shared, Writer& out);
  void open(uint64_t number, Reader& in, Writer& out);
  void tree(const InsideFile& file, Reader& in, Writer& out);
  static void add_known(const InsideFile& file, uint64_t object, std::deque<uint64_t>& pending, Writer& out);
  void read(const LibraryFile& file, Reader& in, Writer& out);
  Message put(Question question, ByteSpan bytes);

  const InsideFile& file(uint64_t number) const {
    const auto found = files_.find(number);
    if (found == files_.end()) throw damaged("file {} is not open", number);
    return *found->second;
  }

  Channel channel_;
  const bool is_to_be_confined_;
  SharedMemory shared_;
  std::chrono::milliseconds longest_tree_{};
  ByteCache cache_{kCacheBytes};
  Workers workers_{0};
  DecodeBudget decode_budget_, unit_budget_;
  Counters counters_;
  AskedSources sources_{[this](Question question, ByteSpan bytes) { return put(question, bytes); }};
  Context context_{cache_,    workers_, decode_budget_,    unit_budget_, sources_,
                   counters_, {},       [](const auto&) {}};
  std::map<uint64_t, std::unique_ptr<const InsideFile>> files_;
  uint64_t answers_ = 0;
  uint64_t own_bytes_ = 0;  // at the last look
};

Message Server::put(Question question, ByteSpan bytes) {
  if (!channel_.send(static_cast<uint32_t>(question), bytes)) ::_exit(0);
  std::optional<Message> reply = channel_.receive(kMaxAsked);
  if (!reply) ::_exit(0);
  if (reply->kind == static_cast<uint32_t>(Reply::reply)) return *std::move(reply);
  Reader in(reply->bytes);
  throw read_error(in);
}

void Server::settings(Reader& in, Descriptor shared, Writer& out) {
  context_.options.hdf5_plugins = in.read<bool>();
  const auto shared_bytes = in.little<uint64_t>();
  longest_tree_ = std::chrono::milliseconds(in.little<uint32_t>());
  if (shared_bytes > 0) shared_ = SharedMemory::of(std::move(shared), shared_bytes);
  const bool is_confined = is_to_be_confined_ && !context_.options.hdf5_plugins;
  library_version();  // starts the library, which reads its environment
  out(is_confined ? confine() : std::string());
}

void Server::open(uint64_t number, Reader& in, Writer& out) {
  auto opened = std::make_unique<const InsideFile>(in.read<std::string>(), context_);
  out(OpenedFacts{opened->layout(), opened->superblock_version(), opened->root_address(),
                  opened->bytes()->fingerprint()});
  files_.insert_or_assign(number, std::move(opened));
}

// Appends the result of get, a FoundObject or FoundAttributes, or its error, for each requested address.
// Stops when the answer reaches max_bytes.
template <class Get>
void answer_each(Reader& in, Writer& out, size_t max_bytes, Get&& get) {
  while (!in.at_end() && out.bytes().size() < max_bytes) {
    const auto address = in.little<uint64_t>();
    Writer one;
    try {
      one(get(address));
    } catch (const Error& error) {
      one = {};
      one(decltype(get(address)){{}, error});
    }
    out.raw(one.bytes());
  }
}

// Appends an object and notes its members. Omits it if it cannot be read, since a question about it reports
// the error, or if it is too large.
void Server::add_known(const InsideFile& file, uint64_t object, std::deque<uint64_t>& pending, Writer& out) {
  try {
    const KnownObject known = file.known(object);
    for (const StoredLink& link : known.links.value_or(std::vector<StoredLink>()))
      if (link.kind == StoredLink::Kind::hard) pending.push_back(link.address);
    Writer one;
    one(object, known);
    if (out.bytes().size() + one.bytes().size() <= kMaxOfTree) out.raw(one.bytes());
  } catch (const Error&) {
  }
}

void Server::tree(const InsideFile& file, Reader& in, Writer& out) {
  std::deque<uint64_t> pending{in.little<uint64_t>()};
  const auto most = in.little<uint64_t>();
  const auto end = std::chrono::steady_clock::now() + longest_tree_;
  std::set<uint64_t> seen;
  while (!pending.empty() && seen.size() < most && std::chrono::steady_clock::now() < end) {
    const uint64_t next = pending.front();
    pending.pop_front();
    if (seen.insert(next).second) add_known(file, next, pending, out);
  }
}

void Server::read(const LibraryFile& file, Reader& in, Writer& out) {
  const auto dataset = in.little<uint64_t>(), element_size = in.little<uint64_t>();
  const Box box{in.read<Shape>(), in.read<Shape>()};
  const size_t size = checked_size(element_count(box.extent), element_size);
  const bool is_shared = size <= shared_.bytes().size();
  out(is_shared);
  const std::span<std::byte> elements = is_shared ? shared_.bytes().first(size) : out.room(size);
  file.read(dataset, element_size, box, box.extent, Shape(box.extent.size(), 0), elements.data());
}

void Server::put_answer(Message& message, Writer& out) {
  const auto ask = static_cast<Ask>(message.kind);
  Reader in(message.bytes);
  if (ask == Ask::settings) return settings(in, std::move(message.descriptor), out);
  const auto number = in.little<uint64_t>();
  switch (ask) {
    case Ask::settings:
      return;
    case Ask::open:
      return open(number, in, out);
    case Ask::close:
      files_.erase(number);
      return;
    case Ask::objects:
      return answer_each(in, out, SIZE_MAX, [&](uint64_t address) {
        return FoundObject{file(number).object(address), {}};
      });
    case Ask::links:
      return out(file(number).links(in.little<uint64_t>()));
    case Ask::find_link: {
      const auto group = in.little<uint64_t>();
      return out(file(number).find_link(group, in.read<std::string>()));
    }
    case Ask::attributes:
      return answer_each(in, out, kAttributesTogether, [&](uint64_t address) {
        return FoundAttributes{file(number).attributes(address), {}};
      });
    case Ask::attribute: {
      const auto object = in.little<uint64_t>();
      return out(file(number).attribute(object, in.read<std::string>()));
    }
    case Ask::tree:
      return tree(file(number), in, out);
    case Ask::read:
      return read(file(number), in, out);
    case Ask::read_chunk: {
      const auto dataset = in.little<uint64_t>();
      return out(file(number).read_chunk(dataset, in.read<Shape>()));
    }
  }
  throw damaged("unknown request {}", static_cast<uint32_t>(ask));
}

// Writes the head of every answer.
void Server::put_head(Writer& out) {
  if (answers_++ % kAnswersBetweenLooks == 0) own_bytes_ = own_memory();
  out(sources_.take_bytes_read(), own_bytes_);
}

// Returns false if the daemon is gone.
bool Server::answer(Message& message) {
  constexpr std::byte kRoomForHead[2 * sizeof(uint64_t)]{};  // known at the end
  sources_.clear();
  Writer out;
  out.raw(kRoomForHead);
  Answer kind = Answer::answer;
  try {
    put_answer(message, out);
  } catch (const Error& error) {
    kind = Answer::failure;
    out = {};
    out.raw(kRoomForHead);
    out(error);
  } catch (const std::bad_alloc&) {
    kind = Answer::out_of_memory;
    out = {};
    out.raw(kRoomForHead);
  }
  Bytes bytes = out.take();
  Writer head;
  put_head(head);
  std::copy(head.bytes().begin(), head.bytes().end(), bytes.begin());
  return channel_.send(static_cast<uint32_t>(kind), bytes);
}

}  // namespace

int serve_library() {
  keep_only_socket(kServedSocket);
  end_with_parent();
  replace_library_without_memory();
  return Server(Descriptor(kServedSocket), true).run();
}

int serve_library(Descriptor socket) {
  return Server(std::move(socket), false).run();
}

}  // namespace plainfs::hdf5
