#include "formats/containers/hdf5/process/lent_files.h"

#include "formats/containers/hdf5/process/protocol.h"
#include "formats/core/base/local_file.h"

namespace plainfs::hdf5 {
namespace {

// The largest number of open files, and of bytes in one question. The library needs far less.
constexpr size_t kMaxSources = 65536;
constexpr uint64_t kMaxRead = uint64_t{1} << 30;

// Thrown for a question that libhdf5's process never asks.
struct Nonsense {};

bool send(Channel& channel, Reply kind, const Writer& bytes, int descriptor = -1) {
  return channel.send(static_cast<uint32_t>(kind), bytes.bytes(), descriptor);
}

bool refuse(Channel& channel, const Error& error) {
  Writer out;
  out(error);
  return send(channel, Reply::refused, out);
}

bool lend_descriptor(const std::string& location, Channel& channel, Sources& sources) {
  Writer out;
  const FilePtr file = sources.open_if_exists(location);
  const auto* const local = dynamic_cast<const LocalFile*>(file.get());
  out(local != nullptr);
  if (!local) return send(channel, Reply::reply, out);
  bool is_sent = false;
  local->lend_descriptor([&](int number) { is_sent = send(channel, Reply::reply, out, number); });
  return is_sent;
}

bool read_for(const File& file, Reader& in, Channel& channel) {
  const auto offset = in.little<uint64_t>(), size = in.little<uint64_t>();
  if (size > kMaxRead) throw Nonsense{};
  return channel.send(static_cast<uint32_t>(Reply::reply), file.read_at(offset, size));
}

}  // namespace

const File& SourceServer::file(uint64_t source) const {
  const auto found = files_.find(source);
  if (found == files_.end()) throw Nonsense{};
  return *found->second;
}

bool SourceServer::open(const std::string& location, Channel& channel, Sources& sources) {
  if (files_.size() >= kMaxSources) throw Nonsense{};
  Writer out;
  const FilePtr file = sources.open_if_exists(location);
  out(file != nullptr);
  if (!file) return send(channel, Reply::reply, out);
  const auto* const local = dynamic_cast<const LocalFile*>(file.get());
  out(local ? uint64_t{0} : next_source_, file->path(), file->size(), file->fingerprint(), local != nullptr);
  if (!local) {
    files_.emplace(next_source_++, file);
    return send(channel, Reply::reply, out);
  }
  bool is_sent = false;
  local->lend_descriptor([&](int number) { is_sent = send(channel, Reply::reply, out, number); });
  return is_sent;
}

bool SourceServer::reply(const Message& question, Channel& channel, Sources& sources) {
  Reader in(question.bytes);
  switch (static_cast<Question>(question.kind)) {
    case Question::open_source:
      return open(in.read<std::string>(), channel, sources);
    case Question::descriptor:
      return lend_descriptor(in.read<std::string>(), channel, sources);
    case Question::check_file:
      sources.open(in.read<std::string>())->check_unchanged();
      return send(channel, Reply::reply, {});
    case Question::read_source: {
      const File& asked = file(in.little<uint64_t>());
      return read_for(asked, in, channel);
    }
    case Question::check_source:
      file(in.little<uint64_t>()).check_unchanged();
      return send(channel, Reply::reply, {});
    case Question::forget_source:
      files_.erase(in.little<uint64_t>());
      return send(channel, Reply::reply, {});
  }
  return false;
}

bool SourceServer::answer(const Message& question, Channel& channel, Sources& sources) {
  try {
    return reply(question, channel, sources);
  } catch (const Error& error) {
    return refuse(channel, error);
  } catch (const Channel::Silence&) {
    throw;
  } catch (const Nonsense&) {
    return false;
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    return refuse(channel, unreadable("the request was abandoned"));
  }
}

}  // namespace plainfs::hdf5
